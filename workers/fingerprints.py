"""Which engine serves a model, and what it tells of itself: a few GETs, sorted in an order that look-alikes respect.

SGLang also speaks Ollama's routes, llama.cpp Anthropic's, everyone OpenAI's; so what only one of them has is looked at
first: llama.cpp's `/props`, KoboldCpp's `/api/extra/version`, SGLang's `/server_info`, TGI's `/info`, Ollama's
`/api/version`, then `owned_by` and `max_model_len` of `/v1/models` (vLLM).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson

from protocol.models import ApiKind, Finding
from workers.apis import anthropic
from workers.apis.base import Target
from workers.apis.failures import from_transport
from workers.apis.http import bearer
from workers.errors import CallError

GET_SECONDS = 15.0
_ENDINGS = (
    "/chat/completions",
    "/completions",
    "/messages",
    "/api/v1/generate",
    "/api/generate",
    "/api/chat",
    "/api/v1",
    "/api",
    "/v1",
)
_HOSTED = {"api.openai.com": "openai", "api.anthropic.com": "anthropic", "openrouter.ai": "openrouter"}
_PATHS = (
    *("/props", "/api/extra/version", "/api/extra/true_max_context_length", "/api/v1/model"),
    *("/server_info", "/get_server_info", "/info", "/api/version", "/api/tags", "/version", "/v1/models"),
)
_WINDOW_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length")


@dataclass(frozen=True, slots=True)
class Page:
    """What a GET brought: `data` is None when it is no JSON object or the status is not 200."""

    status: int
    data: Mapping[str, Any] | None
    server: str = ""
    text: str = ""


@dataclass(slots=True)
class Fingerprint:
    """Engine, its root URL, and findings by the names of `protocol.models.Probe`."""

    engine: str
    root: str
    pages: Mapping[str, Page] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    model_ids: list[str] = field(default_factory=list)

    def note(self, name: str, value: Any, how: str) -> None:
        if value is not None:
            self.findings[name] = Finding(value=value, how=how)


async def fingerprint(target: Target) -> Fingerprint:
    """Look at a server. Raises CallError in plain words when it cannot be reached, is no model server, or refuses us."""
    root = root_of(target.model.base_url or "")
    hosted = _HOSTED.get(urlsplit(root).hostname or "")
    base = models_url(target)
    wanted = [] if hosted else [f"{root}{path}" for path in _PATHS]
    urls = list(dict.fromkeys([base, *wanted]))
    pages = dict(zip(urls, await _get_all(target, urls), strict=True))
    by_path = {url.removeprefix(root): page for url, page in pages.items()}
    engine = hosted or engine_of(by_path) or ("anthropic" if target.model.api is ApiKind.ANTHROPIC else "unknown")
    found = Fingerprint(engine, root, by_path)
    found.model_ids = _model_ids(found, pages[base])
    _refuse_what_cannot_work(target, found, pages[base])
    found.note("engine", engine, _HOW.get(engine, "no engine that is known answers like it"))
    if found.model_ids:
        found.note("model_ids", found.model_ids[:200], "listed by the server")
    _DESCRIBE.get(engine, _describe_models)(found)
    return found


def root_of(base_url: str) -> str:
    """The server's root: the base URL without the API path at its end."""
    root = base_url.rstrip("/")
    for ending in _ENDINGS:
        if root.endswith(ending):
            return root_of(root.removesuffix(ending))
    return root


def models_url(target: Target) -> str:
    """Where the list of models should be, by the model's API kind and base URL."""
    base = (target.model.base_url or "").rstrip("/")
    if target.model.api in (ApiKind.OPENAI_CHAT, ApiKind.OPENAI_COMPLETIONS):
        return f"{base}/models"
    return f"{root_of(base)}/v1/models"


def engine_of(pages: Mapping[str, Page]) -> str | None:
    """The engine by what only it answers; None when nothing fits."""

    def has(path: str, *names: str) -> bool:
        page = pages.get(path)
        return page is not None and page.data is not None and all(name in page.data for name in names)

    version = pages.get("/api/extra/version")
    if has("/props", "default_generation_settings") or any(page.server == "llama.cpp" for page in pages.values()):
        return "llama.cpp"
    if version is not None and version.data is not None and version.data.get("result") == "KoboldCpp":
        return "koboldcpp"
    if has("/server_info", "max_total_num_tokens") or has("/get_server_info", "max_total_num_tokens"):
        return "sglang"
    if has("/info", "max_total_tokens") or has("/info", "max_input_tokens"):
        return "tgi"
    if has("/api/version", "version") and has("/api/tags", "models"):
        return "ollama"
    entries = _entries(pages.get("/v1/models"))
    if any(entry.get("owned_by") == "vllm" for entry in entries):
        return "vllm"
    if any(entry.get("owned_by") == "sglang" for entry in entries):
        return "sglang"
    if has("/version", "version") and any("max_model_len" in entry for entry in entries):
        return "vllm"
    return None


async def get(target: Target, url: str) -> Page:
    """One GET. Raises CallError when nobody answers."""
    key = anthropic.headers(target) if target.model.api is ApiKind.ANTHROPIC else {}
    headers = {**target.model.headers, **bearer(target), **key}
    try:
        async with asyncio.timeout(GET_SECONDS):
            reply = await target.http.get(url, headers=headers, timeout=httpx.Timeout(None, connect=10))
    except TimeoutError as error:
        raise CallError("timeout", f"{url} does not answer within {GET_SECONDS:.0f} s") from error
    except httpx.HTTPError as error:
        raise from_transport(error, url) from error
    data = None
    if reply.status_code == 200:
        try:
            data = orjson.loads(reply.content)
        except orjson.JSONDecodeError:
            data = None
    server = reply.headers.get("server", "").lower()
    return Page(reply.status_code, data if isinstance(data, dict) else None, server, reply.text[:200])


async def _get_all(target: Target, urls: list[str]) -> list[Page]:
    """The first alone, so that a server that is not there is asked once; the others at the same time."""
    first = await get(target, urls[0])
    rest = await asyncio.gather(*(get(target, url) for url in urls[1:]), return_exceptions=True)
    pages = [first]
    for page in rest:
        if isinstance(page, Page):
            pages.append(page)
        elif isinstance(page, CallError):
            pages.append(Page(0, None, text=page.message))
        else:
            raise page
    return pages


def _entries(page: Page | None) -> list[Mapping[str, Any]]:
    data = page.data.get("data") if page is not None and page.data is not None else None
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []


def _model_ids(found: Fingerprint, base: Page) -> list[str]:
    listed = [str(entry["id"]) for entry in _entries(base) if "id" in entry]
    tags = found.pages.get("/api/tags")
    if not listed and found.engine == "ollama" and tags is not None and tags.data is not None:
        listed = [str(model.get("name")) for model in tags.data["models"]]
    kobold = found.pages.get("/api/v1/model")
    if not listed and found.engine == "koboldcpp" and kobold is not None and kobold.data is not None:
        listed = [str(kobold.data.get("result"))]
    info = found.pages.get("/info")
    if not listed and found.engine == "tgi" and info is not None and info.data is not None:
        listed = [str(info.data.get("model_id"))]
    return listed


def _refuse_what_cannot_work(target: Target, found: Fingerprint, base: Page) -> None:
    """A wrong key, path or server, said in plain words."""
    url = models_url(target)
    if base.status in (401, 403):
        given = f"the key in {target.model.api_key_env}" if target.api_key else "a call without a key"
        hint = "check it" if target.api_key else "name the worker's variable that holds one with --api-key-env"
        raise CallError("auth", f"{url} refuses {given} ({base.status}): {hint}", permanent=True)
    if found.model_ids or found.engine != "unknown":
        openai = target.model.api in (ApiKind.OPENAI_CHAT, ApiKind.OPENAI_COMPLETIONS)
        there = found.pages.get("/v1/models")
        if openai and base.status == 404 and there is not None and there.status == 200:
            raise CallError("not_found", f"{url} is not there, the base URL should be {found.root}/v1", permanent=True)
        return
    said = f"{base.status}: {base.text[:120]!r}" if base.status != 200 else f"{base.text[:120]!r}"
    raise CallError("not_found", f"no model server is known that answers {url} with {said}", permanent=True)


def _describe_models(found: Fingerprint) -> None:
    """Windows that a list of models tells (vLLM, OpenRouter, LM Studio, many gateways)."""
    version = found.pages.get("/version")
    if version is not None and version.data is not None:
        found.note("version", version.data.get("version"), "GET /version")


def window_in_list(found: Fingerprint, model_id: str | None) -> tuple[int, str] | None:
    """A model's window where `/v1/models` tells it, and which field did."""
    for page in found.pages.values():
        for entry in _entries(page):
            if model_id is not None and entry.get("id") != model_id:
                continue
            top = entry.get("top_provider")
            narrower = top.get("context_length") if isinstance(top, dict) else None
            if isinstance(narrower, int):
                return narrower, "top_provider.context_length of the list of models"
            for name in _WINDOW_FIELDS:
                if isinstance(entry.get(name), int):
                    return int(entry[name]), f"{name} of the list of models"
    return None


def _describe_llama_cpp(found: Fingerprint) -> None:
    page = found.pages.get("/props")
    if page is None or page.data is None:
        return
    settings = page.data.get("default_generation_settings") or {}
    found.note("version", page.data.get("build_info"), "build_info of GET /props")
    found.note("context_window", settings.get("n_ctx"), "n_ctx of GET /props, which is each slot's own share")
    found.note("slots", page.data.get("total_slots"), "total_slots of GET /props")


def _describe_kobold(found: Fingerprint) -> None:
    version, window = found.pages["/api/extra/version"].data, found.pages["/api/extra/true_max_context_length"].data
    found.note("version", (version or {}).get("version"), "GET /api/extra/version")
    found.note("context_window", (window or {}).get("value"), "GET /api/extra/true_max_context_length")
    found.note("slots", 1, "KoboldCpp generates for one client at a time")


def _describe_sglang(found: Fingerprint) -> None:
    pages = [found.pages.get(path) for path in ("/server_info", "/get_server_info")]
    data = next((page.data for page in pages if page is not None and page.data is not None), {})
    found.note("version", data.get("version"), "GET /server_info")
    pool = data.get("max_total_num_tokens")
    listed = window_in_list(found, None)
    if isinstance(pool, int) and (listed is None or pool < listed[0]):
        how = "max_total_num_tokens of GET /server_info: the key-value pool is smaller than the model's window"
        found.note("context_window", pool, how if listed else "max_total_num_tokens of GET /server_info")
    found.note("slots", data.get("max_running_requests"), "max_running_requests of GET /server_info")


def _describe_tgi(found: Fingerprint) -> None:
    data = found.pages["/info"].data or {}
    found.note("version", data.get("version"), "GET /info")
    found.note("context_window", data.get("max_total_tokens"), "max_total_tokens of GET /info")
    found.note("slots", data.get("max_concurrent_requests"), "max_concurrent_requests of GET /info: more are refused")


def _describe_ollama(found: Fingerprint) -> None:
    found.note("version", (found.pages["/api/version"].data or {}).get("version"), "GET /api/version")


_DESCRIBE = {
    "llama.cpp": _describe_llama_cpp,
    "koboldcpp": _describe_kobold,
    "sglang": _describe_sglang,
    "tgi": _describe_tgi,
    "ollama": _describe_ollama,
}
_HOW = {
    "llama.cpp": "GET /props and the server header",
    "koboldcpp": "GET /api/extra/version",
    "sglang": "GET /server_info",
    "tgi": "GET /info",
    "ollama": "GET /api/version and /api/tags",
    "vllm": "owned_by and max_model_len of GET /v1/models",
    "openai": "the host name",
    "openrouter": "the host name",
    "anthropic": "the API kind or the host name",
}
