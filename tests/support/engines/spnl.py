"""A span query server: takes the query as text, flattens its tree in order, answers as OpenAI does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web

from tests.support.engines.base import Engine, reply, words


@dataclass
class Spnl(Engine):
    """`cached` tokens come from spans that were seen before."""

    cached: int = 0

    def routes(self) -> dict[str, Any]:
        return {"POST /v1/query/execute": self.execute, "GET /v1/models": self.list_models}

    async def list_models(self, request: web.Request) -> web.Response:
        data = [{"id": name, "owned_by": "vllm", "max_model_len": self.window} for name in self.models]
        return reply({"object": "list", "data": data})

    async def execute(self, request: web.Request) -> web.StreamResponse:
        if request.content_type != "text/plain":
            return reply({"error": {"message": f"expected text/plain, got {request.content_type}"}}, 415)
        body = await self.body(request)
        if (scripted := self.scripted_reply()) is not None:
            return scripted
        generate = body["repeat"]["g"]
        prompt = "".join(leaves(generate["input"]))
        tokens = words(prompt) + self.overhead
        if tokens + generate["max_tokens"] > self.window:
            message = f"This model's maximum context length is {self.window} tokens. However, you requested {tokens}"
            return reply({"error": {"message": message, "type": "BadRequestError", "code": 400}}, 400)
        text = self.answer(prompt)
        details = {"cached_tokens": self.cached}
        usage = {"prompt_tokens": tokens, "completion_tokens": words(text), "prompt_tokens_details": details}
        if request.query.get("stream") != "true":
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            return reply({"object": "chat.completion", "choices": [choice], "usage": usage})
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        pieces: list[dict[str, Any]] = [{"delta": {"content": piece + " "}} for piece in text.split(" ")]
        for choice in [*pieces, {"delta": {}, "finish_reason": "stop"}]:
            await response.write(b"data: " + orjson.dumps({"choices": [{"index": 0, **choice}]}) + b"\n\n")
        await response.write(b"data: " + orjson.dumps({"choices": [], "usage": usage}) + b"\n\ndata: [DONE]\n\n")
        await response.write_eof()
        return response


def leaves(query: dict[str, Any]) -> list[str]:
    """The texts of a query's messages, in order."""
    kind, inner = next(iter(query.items()))
    if kind in ("cross", "plus", "seq", "par"):
        return [text for part in inner for text in leaves(part)]
    if kind in ("system", "user", "assistant"):
        return [inner]
    raise ValueError(f"unknown query {kind!r}")
