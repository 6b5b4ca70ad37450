"""API kind `koboldcpp`: KoboldCpp's native `POST /api/v1/generate`, or its chat endpoint when the base URL ends in `/v1`.

KoboldCpp drops the front of a prompt that does not fit and says nothing, and its usage figures may be constants. So
the server's own tokenizer counts every prompt first (`/api/extra/tokencount`, `special: false`: the default adds a
BOS), and a prompt that would not fit is not sent.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx

from workers.apis import openai_chat
from workers.apis.base import Call, Reply, Target
from workers.apis.http import bearer, post
from workers.errors import CallError, ContextOverflow


async def call(target: Target, call: Call) -> Reply:
    """Ask once; the reply's prompt tokens are the server's count of what was sent, which it reads whole as it fits."""
    root, chat = endpoint(target.model.base_url or "")
    window = await _window(target, root)
    text = "".join((call.system or "", call.user_text, call.prefill)) if chat else _with_system(call)
    counted = await count(target, root, text)
    overhead = int(target.facts.get("overhead_tokens") or 0)
    if window is not None and counted + overhead + call.max_tokens > window:
        message = (
            f"{counted + overhead} tokens and a reply of {call.max_tokens} do not fit KoboldCpp's window of {window}"
        )
        raise ContextOverflow(message, prompt_tokens=counted + overhead, window=window)
    if chat:
        said = await openai_chat.call(target, call)
        return replace(said, prompt_tokens=counted + overhead)
    return replace(await _generate(target, call, root, text, window), prompt_tokens=counted)


def endpoint(base_url: str) -> tuple[str, bool]:
    """The server's root, and whether the chat endpoint is meant (`…/v1`; the native API is `…/api/v1` or the root)."""
    root = base_url.rstrip("/")
    for ending in ("/api/v1/generate", "/api/v1", "/api"):
        if root.endswith(ending):
            return root.removesuffix(ending), False
    return (root.removesuffix("/v1"), True) if root.endswith("/v1") else (root, False)


async def count(target: Target, root: str, text: str) -> int:
    """Tokens of a text by the server's tokenizer, without BOS."""
    url = f"{root}/api/extra/tokencount"
    data = (await post(target, url, {"prompt": text, "special": False}, headers=bearer(target))).data
    if not isinstance(data.get("value"), int):
        raise CallError("bad_reply", f"{url} answered without a count: {str(data)[:300]}")
    return int(data["value"])


def _with_system(call: Call) -> str:
    return f"{call.system}\n\n{call.plain_text}" if call.system else call.plain_text


async def _window(target: Target, root: str) -> int | None:
    known = target.model.context_window or target.facts.get("context_window")
    if known:
        return int(known)
    with suppress(httpx.HTTPError, ValueError):
        reply = await target.http.get(f"{root}/api/extra/true_max_context_length", headers=bearer(target))
        if reply.status_code == 200:
            return int(reply.json().get("value")) or None
    return None


async def _generate(target: Target, call: Call, root: str, text: str, window: int | None) -> Reply:
    generation, key = call.generation, f"FTHM{uuid.uuid4().hex[:12]}"
    fields: dict[str, Any] = {
        "prompt": text,
        "max_length": call.max_tokens,
        "max_context_length": window,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "top_k": generation.top_k,
        "min_p": generation.min_p,
        "rep_pen": generation.repetition_penalty,
        "sampler_seed": generation.seed,
        "stop_sequence": generation.stop or None,
        "genkey": key,
        **generation.extra_body,
    }
    body = {name: value for name, value in fields.items() if value is not None}
    url = f"{root}/api/v1/generate"
    try:
        data = (await post(target, url, body, headers=bearer(target), prompt_tokens=call.prompt_tokens)).data
    except CallError as error:
        if error.cause == "timeout":  # it goes on generating for a client that has left, and serves one at a time
            await _abort(target, root, key)
        raise
    results = data.get("results")
    if not isinstance(results, list) or not results or not isinstance(results[0].get("text"), str):
        raise CallError("bad_reply", f"{url} answered without results: {str(data)[:300]}")
    result = results[0]
    return Reply(
        answer=result["text"],
        finish_reason=_finish_reason(result, call),
        completion_tokens=result.get("completion_tokens"),
    )


def _finish_reason(result: dict[str, Any], call: Call) -> str | None:
    """Newer versions say it; else a reply as long as the limit was cut."""
    if isinstance(result.get("finish_reason"), str):
        return str(result["finish_reason"])
    tokens = result.get("completion_tokens")
    return None if tokens is None else ("length" if tokens >= call.max_tokens else "stop")


async def _abort(target: Target, root: str, key: str) -> None:
    with suppress(CallError):
        await post(target, f"{root}/api/extra/abort", {"genkey": key}, headers=bearer(target))
