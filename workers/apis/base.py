"""The contract of an API kind: one module each, with `async def call(target, call) -> Reply`.

A kind turns one prompt into one answer through whichever driver the model names. It raises `ContextOverflow` when the
server refuses the prompt as too long, and `CallError` for everything else that gives no answer; it never retries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, Protocol, cast

import httpx

from benchmarks.base import Prompt
from protocol.models import ApiKind, Generation, ModelRequest
from workers.drivers.base import Driver

AnswerPrefix = Literal["suffix", "prefill", "none"]


@dataclass(frozen=True, slots=True)
class Call:
    """One prompt to ask.

    `max_tokens` is the whole room for the reply: answer budget and thinking budget. `prompt_tokens` is our own count
    of what is sent (chat wrapper aside); timeouts scale with it. `generation` has the job's overrides merged in.
    `stream` asks for a streamed reply, where the kind can, so that the time to first token is known.
    """

    prompt: Prompt
    max_tokens: int
    prompt_tokens: int
    generation: Generation = field(default_factory=Generation)
    answer_prefix: AnswerPrefix = "suffix"
    stream: bool = False

    @property
    def user_text(self) -> str:
        """The user's turn: the input, with the answer prefix at its end in mode `suffix`."""
        return self.prompt.text if self.answer_prefix == "suffix" else self.prompt.input

    @property
    def prefill(self) -> str:
        """What the assistant's turn starts with: the answer prefix in mode `prefill`, else nothing."""
        return self.prompt.answer_prefix if self.answer_prefix == "prefill" else ""

    @property
    def plain_text(self) -> str:
        """All of the prompt as one text, for kinds without turns; `suffix` and `prefill` come to the same."""
        return self.prompt.input if self.answer_prefix == "none" else self.prompt.text

    @property
    def system(self) -> str | None:
        """The system prompt: the benchmark's own, then the model's."""
        parts = [part for part in (self.prompt.system, self.generation.system) if part]
        return "\n\n".join(parts) or None


@dataclass(frozen=True)
class Target:
    """A model as a worker holds it: how to reach it, what the probe found out, and its key (never shown)."""

    model: ModelRequest
    http: httpx.AsyncClient
    driver: Driver
    facts: Mapping[str, Any] = field(default_factory=dict)
    api_key: str | None = field(default=None, repr=False)

    @property
    def model_id(self) -> str | None:
        """The id the server knows the model by: as registered, else as the probe found it."""
        found = self.model.model_id or self.facts.get("model_id")
        return str(found) if found is not None else None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered.

    `answer` is the text as it came (`<think>` blocks are taken off later), `thinking` what the API gave apart from it.
    Token counts are the server's own, None where it says nothing; `prompt_tokens` includes cached ones, whatever the
    API's custom. `finish_reason` is in OpenAI's words where there is one: stop, length, content_filter, tool_calls.
    `detail` goes into the result (JSON values).
    """

    answer: str
    thinking: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    thinking_tokens: int | None = None
    ttft_ms: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)


class CallFunction(Protocol):
    """What the module of an API kind offers under the name `call`."""

    async def __call__(self, target: Target, call: Call) -> Reply: ...


_MODULES = {
    ApiKind.OPENAI_CHAT: "workers.apis.openai_chat",
    ApiKind.OPENAI_COMPLETIONS: "workers.apis.openai_completions",
    ApiKind.OLLAMA: "workers.apis.ollama",
    ApiKind.KOBOLDCPP: "workers.apis.koboldcpp",
    ApiKind.ANTHROPIC: "workers.apis.anthropic",
    ApiKind.SPNL: "workers.apis.spnl",
    ApiKind.COMMAND: "workers.apis.command",
}


def caller(kind: ApiKind) -> CallFunction:
    """The function that asks a model of that kind; its module is imported when first needed."""
    return cast(CallFunction, import_module(_MODULES[kind]).call)
