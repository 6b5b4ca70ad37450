"""API kind `anthropic`: `POST {base}/v1/messages` (Anthropic's Messages API; llama.cpp and SGLang speak it too).

Usage counts what was read from and written to the prompt cache apart from `input_tokens`; the sum is what was read.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from workers.apis.base import Call, Reply, Target
from workers.apis.http import now_ms, post, stream
from workers.errors import CallError

VERSION = "2023-06-01"
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "tool_use": "tool_calls",
}


async def call(target: Target, call: Call) -> Reply:
    """Ask in one user turn; a prefill starts the assistant's turn (the API refuses white space at its end)."""
    url = f"{root_of(target.model.base_url or '')}/v1/messages"
    body = _body(target, call)
    if call.stream:
        return await _streamed(target, call, url, body)
    data = (await post(target, url, body, headers=headers(target), prompt_tokens=call.prompt_tokens)).data
    blocks = data.get("content")
    if not isinstance(blocks, list):
        raise CallError("bad_reply", f"{url} answered without content: {str(data)[:300]}")
    answer = "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")
    thinking = "".join(block.get("thinking") or "" for block in blocks if block.get("type") == "thinking")
    return _reply(call, answer, thinking, data.get("stop_reason"), data.get("usage") or {}, None)


def root_of(base_url: str) -> str:
    """The server's root; the base URL may end in `/v1` or in the whole path."""
    return base_url.rstrip("/").removesuffix("/messages").removesuffix("/v1")


def headers(target: Target) -> dict[str, str]:
    """API version and key."""
    return {"anthropic-version": VERSION, **({"x-api-key": target.api_key} if target.api_key else {})}


def _body(target: Target, call: Call) -> dict[str, Any]:
    generation = call.generation
    messages = [{"role": "user", "content": call.user_text}]
    if call.prefill.rstrip():
        messages.append({"role": "assistant", "content": call.prefill.rstrip()})
    fields: dict[str, Any] = {
        "model": target.model_id,
        "max_tokens": call.max_tokens,
        "system": call.system,
        "messages": messages,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "top_k": generation.top_k,
        "stop_sequences": generation.stop or None,
        "stream": True if call.stream else None,
        **generation.extra_body,
    }
    return {name: value for name, value in fields.items() if value is not None}


@dataclass
class _Streamed:
    answer: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    stop_reason: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    ttft: float | None = None
    stopped: bool = False

    def take(self, event: dict[str, Any], seconds: float) -> None:
        kind, delta = event.get("type"), event.get("delta") or {}
        if kind == "message_start":
            self.usage |= (event.get("message") or {}).get("usage") or {}
        elif kind == "content_block_delta":
            self.ttft = seconds if self.ttft is None else self.ttft
            self.answer.append(delta.get("text") or "")
            self.thinking.append(delta.get("thinking") or "")
        elif kind == "message_delta":
            self.stop_reason = delta.get("stop_reason") or self.stop_reason
            self.usage |= {name: value for name, value in (event.get("usage") or {}).items() if value is not None}
        elif kind == "message_stop":
            self.stopped = True


async def _streamed(target: Target, call: Call, url: str, body: dict[str, Any]) -> Reply:
    got = _Streamed()
    events = stream(target, url, body, headers=headers(target), prompt_tokens=call.prompt_tokens)
    async with aclosing(events):
        async for event, seconds in events:
            got.take(event, seconds)
    if not got.stopped:
        raise CallError("connection", f"{url}: the stream ended in mid-reply, after {len(got.answer)} pieces")
    ttft = None if got.ttft is None else now_ms(got.ttft)
    return _reply(call, "".join(got.answer), "".join(got.thinking), got.stop_reason, got.usage, ttft)


def _reply(
    call: Call, answer: str, thinking: str, stop_reason: str | None, usage: dict[str, Any], ttft_ms: int | None
) -> Reply:
    read, cached, written = (
        usage.get(name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    return Reply(
        answer=answer.removeprefix(call.prefill.rstrip()),  # llama.cpp repeats a prefill, Anthropic does not
        thinking=thinking or None,
        finish_reason=_REASONS.get(stop_reason or "", stop_reason),
        prompt_tokens=None if read is None else read + (cached or 0) + (written or 0),
        cached_tokens=cached,
        completion_tokens=usage.get("output_tokens"),
        ttft_ms=ttft_ms,
        detail={"stop_reason": stop_reason} if stop_reason == "model_context_window_exceeded" else {},
    )
