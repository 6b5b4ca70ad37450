"""What the two OpenAI kinds share: parameters, usage, choices, streamed replies.

Fields as in OpenAI's API reference, with what vLLM, SGLang, llama.cpp, Ollama and OpenRouter add: `reasoning` or
`reasoning_content` beside the answer, `finish_reason` `abort` and `error` for calls that the server gave up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from workers.apis.base import Call, Reply, Target
from workers.apis.http import bearer, now_ms, post, stream
from workers.errors import CallError

GIVEN_UP = ("abort", "error")
_KOBOLD_CONSTANT = (100, 100, 200)

TextOf = Callable[[Mapping[str, Any]], tuple[str, str | None]]
"""Takes answer and thinking from a choice (or a streamed choice's delta)."""


def parameters(target: Target, call: Call) -> dict[str, Any]:
    """Model, token limit, sampling parameters, stop sequences and seed; only what is set."""
    generation = call.generation
    chosen = {
        "model": target.model_id,
        limit_field(target): call.max_tokens,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "top_k": generation.top_k,
        "min_p": generation.min_p,
        "repetition_penalty": generation.repetition_penalty,
        "seed": generation.seed,
        "stop": generation.stop or None,
    }
    return {name: value for name, value in chosen.items() if value is not None}


def with_extra(body: dict[str, Any], call: Call) -> dict[str, Any]:
    """The body with the model's `extra_body` merged over it; a field set to null is left out."""
    merged = {**body, **call.generation.extra_body}
    return {name: value for name, value in merged.items() if value is not None}


def limit_field(target: Target) -> str:
    """OpenAI's own API takes `max_completion_tokens` (its reasoning models refuse the older name); others `max_tokens`."""
    return "max_completion_tokens" if "//api.openai.com/" in f"{target.model.base_url}/" else "max_tokens"


async def ask(target: Target, call: Call, path: str, body: dict[str, Any], text_of: TextOf) -> Reply:
    """Send a body to `path` below the base URL and read the reply, streamed if the call wants it."""
    url = f"{(target.model.base_url or '').rstrip('/')}{path}"
    body = with_extra(body, call)
    if call.stream:
        return await _streamed(target, call, url, body, text_of)
    data = (await post(target, url, body, headers=bearer(target), prompt_tokens=call.prompt_tokens)).data
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise CallError("bad_reply", f"{url} answered without choices: {str(data)[:300]}")
    answer, thinking = text_of(choices[0])
    return reply(target, call, answer, thinking, choices[0].get("finish_reason"), data.get("usage"), None)


@dataclass
class _Streamed:
    answer: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Any = None
    ttft: float | None = None


async def _streamed(target: Target, call: Call, url: str, body: dict[str, Any], text_of: TextOf) -> Reply:
    body = {**body, "stream": True, "stream_options": {"include_usage": True}}
    got = _Streamed()
    events = stream(target, url, body, headers=bearer(target), prompt_tokens=call.prompt_tokens)
    async with aclosing(events):
        async for event, seconds in events:
            _take(got, event, seconds, text_of)
    if got.finish_reason is None and got.usage is None:
        raise CallError("connection", f"{url}: the stream ended in mid-reply, after {len(got.answer)} pieces")
    ttft = None if got.ttft is None else now_ms(got.ttft)
    return reply(target, call, "".join(got.answer), "".join(got.thinking) or None, got.finish_reason, got.usage, ttft)


def _take(got: _Streamed, event: dict[str, Any], seconds: float, text_of: TextOf) -> None:
    got.usage = event.get("usage") or got.usage
    for choice in event.get("choices") or []:
        answer, thinking = text_of(choice)
        if (answer or thinking) and got.ttft is None:
            got.ttft = seconds
        got.answer.append(answer)
        got.thinking.append(thinking or "")
        got.finish_reason = choice.get("finish_reason") or got.finish_reason


def reply(
    target: Target,
    call: Call,
    answer: str,
    thinking: str | None,
    finish_reason: str | None,
    usage: Any,
    ttft_ms: int | None,
) -> Reply:
    """Build the Reply. A prefill that the server repeats is taken off; a call that the server gave up is a CallError."""
    if finish_reason in GIVEN_UP:
        raise CallError("aborted", f"the server gave the call up (finish_reason {finish_reason!r})")
    if call.prefill and answer.startswith(call.prefill):
        answer = answer[len(call.prefill) :]
    counts = usage if isinstance(usage, dict) and not _is_constant(target, usage) else {}
    prompt_details = counts.get("prompt_tokens_details") or {}
    completion_details = counts.get("completion_tokens_details") or {}
    return Reply(
        answer=answer,
        thinking=thinking,
        finish_reason=finish_reason,
        prompt_tokens=counts.get("prompt_tokens"),
        cached_tokens=prompt_details.get("cached_tokens"),
        completion_tokens=counts.get("completion_tokens"),
        thinking_tokens=completion_details.get("reasoning_tokens"),
        ttft_ms=ttft_ms,
    )


def _is_constant(target: Target, usage: Mapping[str, Any]) -> bool:
    """KoboldCpp up to 1.76 at least reports 100 + 100 = 200 whatever it read: that is no count."""
    figures = (usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("total_tokens"))
    return figures == _KOBOLD_CONSTANT and target.facts.get("engine", "koboldcpp") == "koboldcpp"
