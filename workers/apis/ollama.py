"""API kind `ollama`: Ollama's native `POST /api/chat`, or `/api/generate` when the base URL ends in it.

The OpenAI-compatible path of Ollama cannot set the context window and cuts longer prompts without a word; here
`num_ctx` is set from what the call needs and `truncate: false, shift: false` turn a cut into an error (Ollama API
reference, `docs/api.md`; ollama/ollama #4967, #17889).
"""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from workers.apis.base import Call, Reply, Target
from workers.apis.http import bearer, now_ms, post, stream
from workers.errors import CallError

SMALLEST_CONTEXT = 4096
_TEMPLATE_ROOM = 256
"""Tokens for the chat template where the probe has not measured it."""


async def call(target: Target, call: Call) -> Reply:
    """Ask once. With `/api/generate` the prompt is one text, in the model's template unless extra_body says `raw`."""
    root, path = endpoint(target.model.base_url or "")
    url = root + path
    body = _body(target, call, chat=path == "/api/chat")
    if call.stream:
        return await _streamed(target, call, url, body)
    data = (await post(target, url, body, headers=bearer(target), prompt_tokens=call.prompt_tokens)).data
    message = data.get("message") or {}
    answer = message.get("content") if path == "/api/chat" else data.get("response")
    if not isinstance(answer, str) or not data.get("done"):
        raise CallError("bad_reply", f"{url} answered without a finished message: {str(data)[:300]}")
    return _reply(call, answer, message.get("thinking") or data.get("thinking"), data, _first_token_ms(data))


def endpoint(base_url: str) -> tuple[str, str]:
    """The server's root and the path to call; `/v1`, `/api` and a path of the native API may stand in the base URL."""
    root = base_url.rstrip("/")
    path = "/api/generate" if root.endswith("/api/generate") else "/api/chat"
    for ending in ("/api/generate", "/api/chat", "/api", "/v1"):
        if root.endswith(ending):
            return root.removesuffix(ending).rstrip("/"), path
    return root, path


def context_for(target: Target, call: Call) -> int:
    """`num_ctx`: the smallest power of two that holds prompt, template and reply, at most the model's window.

    Powers of two, because Ollama loads the model anew whenever the number changes.
    """
    overhead = target.facts.get("overhead_tokens")
    need = call.prompt_tokens + call.max_tokens + (overhead if isinstance(overhead, int) else _TEMPLATE_ROOM)
    size = SMALLEST_CONTEXT
    while size < need:
        size *= 2
    window = target.model.context_window or target.facts.get("context_window")
    return min(size, int(window)) if window else size


def _body(target: Target, call: Call, *, chat: bool) -> dict[str, Any]:
    generation = call.generation
    options: dict[str, Any] = {
        "num_ctx": context_for(target, call),
        "num_predict": call.max_tokens,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "top_k": generation.top_k,
        "min_p": generation.min_p,
        "repeat_penalty": generation.repetition_penalty,
        "seed": generation.seed,
        "stop": generation.stop or None,
    }
    extra = dict(generation.extra_body)
    more = extra.pop("options", None)
    options |= more if isinstance(more, dict) else {}
    body: dict[str, Any] = {"model": target.model_id, "stream": call.stream, "truncate": False, "shift": False}
    body["options"] = {name: value for name, value in options.items() if value is not None}
    if chat:
        turns = [("system", call.system), ("user", call.user_text), ("assistant", call.prefill)]
        body["messages"] = [{"role": role, "content": text} for role, text in turns if text or role == "user"]
    else:
        body |= {"prompt": call.plain_text, "system": call.system}
    return {name: value for name, value in {**body, **extra}.items() if value is not None}


async def _streamed(target: Target, call: Call, url: str, body: dict[str, Any]) -> Reply:
    answer: list[str] = []
    thinking: list[str] = []
    ttft: float | None = None
    last: dict[str, Any] = {}
    async with aclosing(stream(target, url, body, headers=bearer(target), prompt_tokens=call.prompt_tokens)) as events:
        async for event, seconds in events:
            message = event.get("message") or event
            pieces = message.get("content") or event.get("response") or "", message.get("thinking") or ""
            if any(pieces) and ttft is None:
                ttft = seconds
            answer.append(pieces[0])
            thinking.append(pieces[1])
            last = event
    if not last.get("done"):
        raise CallError("connection", f"{url}: the stream ended in mid-reply, after {len(answer)} pieces")
    return _reply(call, "".join(answer), "".join(thinking), last, None if ttft is None else now_ms(ttft))


def _reply(call: Call, answer: str, thinking: str | None, last: dict[str, Any], ttft_ms: int | None) -> Reply:
    if last.get("done_reason") == "load":
        raise CallError("loading", "Ollama loaded the model and generated nothing", counts=False)
    return Reply(
        answer=answer.removeprefix(call.prefill) if call.prefill else answer,
        thinking=thinking or None,
        finish_reason=last.get("done_reason"),
        prompt_tokens=last.get("prompt_eval_count"),
        completion_tokens=last.get("eval_count"),
        ttft_ms=ttft_ms,
    )


def _first_token_ms(data: dict[str, Any]) -> int | None:
    """Loading and prompt processing by the server's own clock (nanoseconds)."""
    reading = data.get("prompt_eval_duration")
    return round((int(data.get("load_duration") or 0) + int(reading)) / 1e6) if reading else None
