"""KoboldCpp 1.76: drops the front of long prompts with a 200, constant usage, a BOS in its counts unless told not to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.support.engines.base import Engine, cut, reply, words


@dataclass
class KoboldCpp(Engine):
    """`advertised` is the window that the Horde is told, not the real one."""

    advertised: int = 2048
    tells_counts: bool = False
    hangs: bool = False

    def routes(self) -> dict[str, Any]:
        return {
            "GET /api/extra/version": self.version,
            "GET /api/v1/model": self.model,
            "GET /api/extra/true_max_context_length": self.true_window,
            "GET /api/v1/config/max_context_length": self.advertised_window,
            "POST /api/extra/tokencount": self.tokencount,
            "POST /api/v1/generate": self.generate,
            "POST /api/extra/abort": self.abort,
            "POST /v1/chat/completions": self.chat,
            "GET /v1/models": self.v1_models,
        }

    async def version(self, request: web.Request) -> web.Response:
        return reply({"result": "KoboldCpp", "version": "1.76"})

    async def model(self, request: web.Request) -> web.Response:
        return reply({"result": f"koboldcpp/{self.models[0]}"})

    async def true_window(self, request: web.Request) -> web.Response:
        return reply({"value": self.window})

    async def advertised_window(self, request: web.Request) -> web.Response:
        return reply({"value": self.advertised})

    async def v1_models(self, request: web.Request) -> web.Response:
        data = [{"id": f"koboldcpp/{self.models[0]}", "object": "model", "owned_by": "koboldcpp"}]
        return reply({"object": "list", "data": data})

    async def tokencount(self, request: web.Request) -> web.Response:
        if self.refuses(request):
            return reply({"detail": {"error": "Unauthorized"}}, 401)
        body = await self.body(request)
        tokens = words(body["prompt"]) + (1 if body.get("special", True) else 0)
        return reply({"value": tokens, "ids": list(range(tokens))})

    async def generate(self, request: web.Request) -> web.Response:
        body = await self.body(request)
        if (scripted := self.scripted_reply()) is not None:
            return scripted
        if self.hangs:
            await asyncio.Event().wait()
        room = min(int(body.get("max_context_length") or self.window), self.window) - int(body.get("max_length", 512))
        text = self.answer(cut(body["prompt"], room, "front"))
        result: dict[str, Any] = {"text": text}
        if self.tells_counts:
            result |= {
                "finish_reason": "stop",
                "prompt_tokens": words(body["prompt"]),
                "completion_tokens": words(text),
            }
        return reply({"results": [result]})

    async def chat(self, request: web.Request) -> web.Response:
        body = await self.body(request)
        if (scripted := self.scripted_reply()) is not None:
            return scripted
        prompt = "\n".join(message["content"] for message in body["messages"])
        room = self.window - int(body.get("max_tokens", 512)) - self.overhead
        message = {"role": "assistant", "content": self.answer(cut(prompt, room, "front"))}
        usage = {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return reply({"object": "chat.completion", "choices": [choice], "usage": usage})

    async def abort(self, request: web.Request) -> web.Response:
        await self.body(request)
        return reply({"success": "true", "done": "true"})
