"""Ollama: native API. Cuts silently unless `truncate` is false; `num_ctx` sets the window; 400 with its own words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from tests.support.engines.base import Engine, cut, reply, words


@dataclass
class Ollama(Engine):
    """`window` is the trained maximum; without `num_ctx` the server's default of 4096 holds."""

    default_context: int = 4096
    thinking: str | None = None
    knows_truncate: bool = True
    loaded: dict[str, int] = field(default_factory=dict)
    loads: int = 0

    def routes(self) -> dict[str, Any]:
        return {
            "GET /": self.root,
            "GET /api/version": self.version,
            "GET /api/tags": self.tags,
            "GET /api/ps": self.ps,
            "POST /api/show": self.show,
            "POST /api/chat": self.chat,
            "POST /api/generate": self.generate,
            "GET /v1/models": self.v1_models,
        }

    async def root(self, request: web.Request) -> web.Response:
        return web.Response(text="Ollama is running")

    async def version(self, request: web.Request) -> web.Response:
        return reply({"version": "0.12.3"})

    async def tags(self, request: web.Request) -> web.Response:
        return reply({"models": [{"name": name, "model": name} for name in self.models]})

    async def ps(self, request: web.Request) -> web.Response:
        models = [{"name": name, "model": name, "context_length": size} for name, size in self.loaded.items()]
        return reply({"models": models})

    async def v1_models(self, request: web.Request) -> web.Response:
        data = [{"id": name, "object": "model", "owned_by": "library"} for name in self.models]
        return reply({"object": "list", "data": data})

    async def show(self, request: web.Request) -> web.Response:
        body = await self.body(request)
        if body.get("model") not in self.models:
            return reply({"error": f"model '{body.get('model')}' not found"}, 404)
        return reply({"model_info": {"general.architecture": "llama", "llama.context_length": self.window}})

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await self.body(request)
        prompt = "\n".join(message["content"] for message in body.get("messages", []))
        return await self._run(request, body, prompt, lambda text: {"message": self._message(text)})

    async def generate(self, request: web.Request) -> web.StreamResponse:
        body = await self.body(request)
        return await self._run(request, body, body.get("prompt", ""), lambda text: {"response": text})

    def _message(self, text: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": text}
        return message | ({"thinking": self.thinking} if self.thinking else {})

    async def _run(self, request: web.Request, body: dict[str, Any], prompt: str, shape: Any) -> web.StreamResponse:
        if (scripted := self.scripted_reply()) is not None:
            return scripted
        name = body.get("model")
        if name not in self.models:
            return reply({"error": f"model '{name}' not found"}, 404)
        options = body.get("options") or {}
        context = min(int(options.get("num_ctx") or self.default_context), self.window)
        if self.loaded.get(name) != context:
            self.loaded[name], self.loads = context, self.loads + 1
        tokens = words(prompt) + self.overhead
        if tokens > context:
            if self.knows_truncate and body.get("truncate") is False:
                return reply({"error": "the prompt is longer than the context length currently available"}, 400)
            prompt = cut(prompt, context // 2 + 2 - self.overhead, "front")
            tokens = context // 2 + 2
        text = self.answer(prompt)
        counts = {"prompt_eval_count": tokens, "eval_count": words(text) + words(self.thinking or "")}
        timing = {"load_duration": 2_000_000, "prompt_eval_duration": 40_000_000, "eval_duration": 10_000_000}
        last = {"model": name, "done": True, "done_reason": "stop", **counts, **timing}
        if not body.get("stream", True):
            return reply({**last, **shape(text)})
        response = web.StreamResponse(headers={"content-type": "application/x-ndjson"})
        await response.prepare(request)
        for piece in text.split(" "):
            await response.write(orjson.dumps({"model": name, "done": False, **shape(piece + " ")}) + b"\n")
        await response.write(orjson.dumps({**last, **shape("")}) + b"\n")
        await response.write_eof()
        return response
