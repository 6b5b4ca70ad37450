"""API kind `spnl`: span queries as JSON to `POST {base}/v1/query/execute` (a vLLM with spans enabled, and its kin).

A span query is a tree: `g` generates from its input, `cross` holds parts that attend to each other in order, `plus`
holds parts that need not (their key-value blocks can be cached and moved). A prompt with independent parts, such as
documents, becomes `cross [before, plus [parts], after]`; any other stays one user message. JSON is tagged externally,
in kebab-case (the SPNL language's own serialisation).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from itertools import pairwise
from typing import Any

from benchmarks.base import Prompt
from workers.apis.base import Call, Reply, Target
from workers.apis.http import bearer, now_ms, stream
from workers.errors import CallError

Query = dict[str, Any]


async def call(target: Target, call: Call) -> Reply:
    """Ask with one query; the reply is OpenAI's, streamed or in one piece, chat or completion."""
    root = (target.model.base_url or "").rstrip("/").removesuffix("/v1")
    url = f"{root}/v1/query/execute?stream={'true' if call.stream else 'false'}"
    headers = {**bearer(target), "content-type": "text/plain"}
    answer: list[str] = []
    thinking: list[str] = []
    finish_reason, ttft = None, None
    usage: dict[str, Any] = {}
    query = execute(target.model_id, call)
    async with aclosing(stream(target, url, query, headers=headers, prompt_tokens=call.prompt_tokens)) as events:
        async for event, seconds in events:
            usage = event.get("usage") or usage
            for choice in event.get("choices") or []:
                pieces = _pieces(choice)
                ttft = seconds if call.stream and ttft is None and any(pieces) else ttft
                answer.append(pieces[0])
                thinking.append(pieces[1])
                finish_reason = choice.get("finish_reason") or finish_reason
    if not answer:
        raise CallError("bad_reply", f"{url} answered without choices")
    if finish_reason is None:
        raise CallError("connection", f"{url}: the reply ended before it was finished, after {len(answer)} pieces")
    details = usage.get("prompt_tokens_details") or {}
    return Reply(
        answer="".join(answer),
        thinking="".join(thinking) or None,
        finish_reason=finish_reason,
        prompt_tokens=usage.get("prompt_tokens"),
        cached_tokens=details.get("cached_tokens"),
        completion_tokens=usage.get("completion_tokens"),
        ttft_ms=None if ttft is None else now_ms(ttft),
    )


def execute(model_id: str | None, call: Call) -> Query:
    """The whole query for one call."""
    generation = call.generation
    generate = {
        "model": model_id,
        "input": {"cross": spans(call)},
        "max_tokens": call.max_tokens,
        "temperature": generation.temperature,
        **generation.extra_body,
    }
    return {"repeat": {"n": 1, "g": {name: value for name, value in generate.items() if value is not None}}}


def spans(call: Call) -> list[Query]:
    """The ordered parts of a query. The texts of all user leaves, put together, are exactly the user's turn."""
    text = call.user_text
    parts: list[Query] = [{"system": call.system}] if call.system else []
    starts = _independent_starts(call.prompt)
    if len(starts) < 2:
        parts.append({"user": text})
    else:
        end = max(stop for _, stop in call.prompt.independent)
        cuts = [*starts, end]
        documents = [{"user": text[start:stop]} for start, stop in pairwise(cuts)]
        before, after = text[: cuts[0]], text[end:]
        parts += [{"user": before}] if before else []
        parts.append({"plus": documents})
        parts += [{"user": after}] if after else []
    return [*parts, {"assistant": call.prefill}] if call.prefill else parts


def _independent_starts(prompt: Prompt) -> list[int]:
    """Where each independent part begins; what stands between two of them goes with the first."""
    return sorted(start for start, _ in prompt.independent)


def _pieces(choice: Mapping[str, Any]) -> tuple[str, str]:
    message = choice.get("message") or choice.get("delta") or choice
    return message.get("content") or message.get("text") or "", message.get("reasoning_content") or ""
