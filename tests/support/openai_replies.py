"""What an OpenAI-compatible server sends: whole replies, streamed ones, refusals, and what no server should send."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web


@dataclass(frozen=True)
class Reply:
    """An answer of the chat endpoint or the completions endpoint; `thinking` is (field, text)."""

    chat: bool
    text: str
    thinking: tuple[str, str] | None
    finish: str
    usage: dict[str, Any] | None

    def whole(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.text, **dict([self.thinking] if self.thinking else [])}
        body = {"message": message} if self.chat else {"text": self.text}
        choice = {"index": 0, "finish_reason": self.finish, **body}
        kind = "chat.completion" if self.chat else "text_completion"
        return {"object": kind, "choices": [choice], **({"usage": self.usage} if self.usage else {})}

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """The same word by word, as server-sent events."""
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        pieces = [self.thinking] if self.thinking and self.thinking[1] and self.chat else []
        pieces += [("content", piece) for piece in re.findall(r"\S*\s*", self.text) if piece]
        events = [self._event(None, *piece) for piece in pieces] + [self._event(self.finish)]
        if self.usage:
            events.append({"choices": [], "usage": self.usage})
        for event in events:
            await response.write(b"data: " + orjson.dumps(event) + b"\n\n")
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _event(self, finish: str | None, name: str = "", piece: str = "") -> dict[str, Any]:
        body = {"delta": {name: piece} if name else {}} if self.chat else {"text": piece}
        return {"choices": [{"index": 0, "finish_reason": finish, **body}]}


def overflow(tokens: int, window: int) -> dict[str, Any]:
    """How llama.cpp refuses a prompt that is too long."""
    message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    error = {"code": 400, "type": "exceed_context_size_error", "message": message}
    return {"error": {**error, "n_prompt_tokens": tokens, "n_ctx": window}}


def as_json(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    content = body if isinstance(body, bytes) else orjson.dumps(body) if body is not None else b""
    return web.Response(status=status, body=content, headers=headers, content_type="application/json")


async def misbehave(request: web.Request, how: str) -> web.StreamResponse:
    """See `Misbehave` of the model server."""
    if how == "hang":
        await asyncio.Event().wait()
    if how == "garbage":
        return as_json(200, b"<html>It works!</html>")
    if how == "empty":
        return as_json(200, b"")
    assert request.transport is not None
    if how == "drop":
        request.transport.abort()
        return web.Response()
    response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "1000000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    if how == "stall":
        await asyncio.Event().wait()
    while how == "trickle":
        await asyncio.sleep(0.02)
        await response.write(b" ")
    request.transport.abort()
    return response
