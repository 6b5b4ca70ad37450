"""Anthropic's Messages API: cached tokens apart from the others, refusals in its own words, no window to ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web

from tests.support.engines.base import Engine, reply, words


@dataclass
class Anthropic(Engine):
    """`cached` tokens of each prompt come from the cache; `thinking` precedes the answer."""

    cached: int = 0
    thinking: str | None = None
    stop_reason: str = "end_turn"

    key_header = "x-api-key"

    def routes(self) -> dict[str, Any]:
        return {"GET /v1/models": self.list_models, "POST /v1/messages": self.messages}

    async def list_models(self, request: web.Request) -> web.Response:
        if self.refuses(request):
            return error(401, "authentication_error", "invalid x-api-key")
        if "anthropic-version" not in request.headers:
            return error(400, "invalid_request_error", "anthropic-version: header is required")
        return reply({"data": [{"type": "model", "id": name} for name in self.models], "has_more": False})

    async def messages(self, request: web.Request) -> web.StreamResponse:
        body = await self.body(request)
        if self.refuses(request):
            return error(401, "authentication_error", "invalid x-api-key")
        if (scripted := self.scripted_reply()) is not None:
            return scripted
        if body.get("model") not in self.models:
            return error(404, "not_found_error", f"model: {body.get('model')}")
        last = body["messages"][-1]
        if last["role"] == "assistant" and last["content"] != last["content"].rstrip():
            return error(400, "invalid_request_error", "final assistant content cannot end with trailing whitespace")
        prompt = "\n".join([body.get("system") or "", *(message["content"] for message in body["messages"])])
        tokens = words(prompt) + self.overhead
        if tokens > self.window:
            return error(400, "invalid_request_error", f"prompt is too long: {tokens} tokens > {self.window} maximum")
        text = self.answer(prompt)
        usage = {
            "input_tokens": tokens - self.cached,
            "cache_read_input_tokens": self.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": words(text) + words(self.thinking or ""),
        }
        if body.get("stream"):
            return await self._stream(request, text, usage)
        content = [{"type": "thinking", "thinking": self.thinking}] if self.thinking else []
        content.append({"type": "text", "text": text})
        reason = {"stop_reason": self.stop_reason, "stop_sequence": None}
        return reply({"type": "message", "role": "assistant", "content": content, "usage": usage, **reason})

    async def _stream(self, request: web.Request, text: str, usage: dict[str, int]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {"usage": {**usage, "output_tokens": 1}}},
            {"type": "ping"},
        ]
        if self.thinking:
            delta = {"type": "thinking_delta", "thinking": self.thinking}
            events.append({"type": "content_block_delta", "index": 0, "delta": delta})
        for piece in text.split(" "):
            delta = {"type": "text_delta", "text": piece + " "}
            events.append({"type": "content_block_delta", "index": 1, "delta": delta})
        usage_at_end = {"output_tokens": usage["output_tokens"]}
        events.append({"type": "message_delta", "delta": {"stop_reason": self.stop_reason}, "usage": usage_at_end})
        events.append({"type": "message_stop"})
        for event in events:
            await response.write(f"event: {event['type']}\n".encode() + b"data: " + orjson.dumps(event) + b"\n\n")
        await response.write_eof()
        return response


def error(status: int, kind: str, message: str) -> web.Response:
    return reply({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}, status)
