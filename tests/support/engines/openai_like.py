"""vLLM, SGLang, TGI, OpenAI and an Ollama behind `/v1`: one chat and completion API, each with its own manners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.support.engines.base import Body, Engine, cut, reply, words
from tests.support.engines.ollama import Ollama


@dataclass
class OpenAiLike(Engine):
    """`continues` an assistant's turn when asked to; `tells_cached` tokens in its usage."""

    continues: bool = True
    tells_cached: bool = False
    tells_usage: bool = True
    cached: int = 0
    thinking: str | None = None
    owner = "organization"
    thinking_field = "reasoning_content"

    def routes(self) -> dict[str, Any]:
        return {
            "GET /v1/models": self.list_models,
            "POST /v1/chat/completions": self.completions,
            "POST /v1/completions": self.completions,
        }

    def entry(self, name: str) -> dict[str, Any]:
        """One model of the list."""
        return {"id": name, "object": "model", "owned_by": self.owner}

    def beyond(self, tokens: int, room: int) -> web.Response | int | None:
        """A refusal, the tokens that are kept of a prompt that is cut, or None when it fits."""
        raise NotImplementedError

    async def list_models(self, request: web.Request) -> web.Response:
        if self.refuses(request):
            return self.unauthorized()
        return reply({"object": "list", "data": [self.entry(name) for name in self.models]})

    def unauthorized(self) -> web.Response:
        return reply({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, 401)

    async def completions(self, request: web.Request) -> web.Response:
        body = await self.body(request)
        if self.refuses(request):
            return self.unauthorized()
        if (scripted := self.scripted_reply()) is not None:
            return scripted
        if body.get("model") not in self.models:
            message = f"The model `{body.get('model')}` does not exist."
            return reply({"error": {"message": message, "type": "NotFoundError", "code": 404}}, 404)
        prompt, tokens = self._prompt_of(body)
        room = int(body.get("max_tokens") or body.get("max_completion_tokens") or 16)
        beyond = self.beyond(tokens, room)
        if (keep := body.get("truncate_prompt_tokens")) is not None and tokens > keep:
            return await self._answer(body, cut(prompt, keep, "front"), keep)
        if isinstance(beyond, web.Response):
            return beyond
        if beyond is not None:
            prompt, tokens = cut(prompt, beyond, "tail"), beyond
        return await self._answer(body, prompt, tokens)

    async def _answer(self, body: Body, prompt: str, tokens: int) -> web.Response:
        chat = "messages" in body
        text = self.answer(prompt)
        said: dict[str, Any] = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        if chat and self.thinking:
            said["message"][self.thinking_field] = self.thinking
        usage: dict[str, Any] = {"prompt_tokens": tokens, "completion_tokens": words(text)}
        if self.tells_cached:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached}
        choice = {"index": 0, "finish_reason": "stop", **said}
        return reply({"choices": [choice], **({"usage": usage} if self.tells_usage else {})})

    def _prompt_of(self, body: Body) -> tuple[str, int]:
        """Text and tokens; a turn that is closed and followed by a new one costs a template's worth more."""
        if "messages" not in body:
            return body["prompt"], words(body["prompt"])
        text = "\n".join(message["content"] for message in body["messages"])
        closed = body["messages"][-1]["role"] == "assistant" and not (
            self.continues and body.get("continue_final_message")
        )
        return text, words(text) + self.overhead * (2 if closed else 1)


@dataclass
class Vllm(OpenAiLike):
    """Cuts the front only when a request asks for it."""

    owner = "vllm"
    thinking_field = "reasoning"

    def routes(self) -> dict[str, Any]:
        return {**super().routes(), "GET /version": self.version, "POST /tokenize": self.tokenize}

    def entry(self, name: str) -> dict[str, Any]:
        return {**super().entry(name), "max_model_len": self.window}

    async def version(self, request: web.Request) -> web.Response:
        return reply({"version": "0.11.2"})

    async def tokenize(self, request: web.Request) -> web.Response:
        body = await self.body(request)
        tokens = words(body["prompt"])
        return reply({"count": tokens, "max_model_len": self.window, "tokens": list(range(tokens))})

    def beyond(self, tokens: int, room: int) -> web.Response | int | None:
        if tokens + room <= self.window:
            return None
        message = (
            f"You passed {tokens} input tokens and requested {room} output tokens. However, the model's context length "
            f"is only {self.window} tokens, resulting in a maximum input length of {self.window - room} tokens."
        )
        return reply({"error": {"message": message, "type": "BadRequestError", "param": None, "code": 400}}, 400)


@dataclass
class Sglang(OpenAiLike):
    """With `auto_truncate` it keeps the head of a prompt and answers 200: the question is lost."""

    auto_truncate: bool = False
    pool: int = 1_000_000
    owner = "sglang"

    def routes(self) -> dict[str, Any]:
        return {
            **super().routes(),
            "GET /server_info": self.server_info,
            "GET /api/version": self.ollama_version,
            "GET /api/tags": self.ollama_tags,
        }

    def entry(self, name: str) -> dict[str, Any]:
        return {**super().entry(name), "max_model_len": self.window}

    async def server_info(self, request: web.Request) -> web.Response:
        return reply({"version": "0.5.23", "max_total_num_tokens": self.pool, "max_running_requests": 64})

    async def ollama_version(self, request: web.Request) -> web.Response:
        return reply({"version": "0.5.23"})

    async def ollama_tags(self, request: web.Request) -> web.Response:
        return reply({"models": [{"name": name} for name in self.models]})

    def beyond(self, tokens: int, room: int) -> web.Response | int | None:
        if tokens + room <= min(self.window, self.pool):
            return None
        if self.auto_truncate:
            return self.window - room
        message = f"The input ({tokens} tokens) is longer than the model's context length ({self.window} tokens)."
        return reply({"object": "error", "message": message, "type": "BadRequestError", "code": 400}, 400)


@dataclass
class Tgi(OpenAiLike):
    def routes(self) -> dict[str, Any]:
        return {**super().routes(), "GET /info": self.info}

    async def info(self, request: web.Request) -> web.Response:
        told = {"model_id": self.models[0], "version": "3.3.6", "max_concurrent_requests": 128}
        return reply({**told, "max_input_tokens": self.window - 1, "max_total_tokens": self.window})

    def beyond(self, tokens: int, room: int) -> web.Response | int | None:
        if tokens + room <= self.window:
            return None
        message = (
            f"Input validation error: `inputs` tokens + `max_new_tokens` must be <= {self.window}. "
            f"Given: {tokens} `inputs` tokens and {room} `max_new_tokens`"
        )
        return reply({"error": message, "error_type": "validation"}, 422)


@dataclass
class Gateway(OpenAiLike):
    """A server that tells nothing but its models."""

    def beyond(self, tokens: int, room: int) -> web.Response | int | None:
        if tokens <= self.window:
            return None
        message = f"This model's maximum context length is {self.window} tokens."
        return reply({"error": {"message": message, "code": "context_length_exceeded"}}, 400)


@dataclass
class OllamaBehindV1(OpenAiLike):
    """Ollama's OpenAI path: half the window is left of a prompt that does not fit, with a 200 and a count after the cut."""

    def routes(self) -> dict[str, Any]:
        native = Ollama(window=131072, models=self.models)
        native.loaded = dict.fromkeys(self.models, self.window)
        return {
            **super().routes(),
            "GET /api/version": native.version,
            "GET /api/tags": native.tags,
            "GET /api/ps": native.ps,
        }

    def beyond(self, tokens: int, room: int) -> web.Response | int | None:
        return self.window // 2 + 2 if tokens > self.window else None
