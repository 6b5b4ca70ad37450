"""Anthropic's Messages API: cached tokens are added, refusals are sorted, streams end with their stop event."""

from __future__ import annotations

import pytest

from tests.support.engines.anthropic import Anthropic
from tests.workers.targets import ask_for, open_target
from workers.apis.anthropic import call
from workers.errors import CallError, ContextOverflow

NEEDLE = "One of the special magic numbers for tall-tree is: 4711."
QUESTION = "What is the special magic number for tall-tree mentioned in the provided text?"


@pytest.mark.parametrize("stream", [False, True])
async def test_cached_tokens_count_as_read_and_thinking_is_kept_apart(stream: bool) -> None:
    async with (
        Anthropic(cached=20, thinking="let me see", api_key="k") as server,
        open_target(f"{server.address}/v1", "anthropic", model_id="test-model", api_key="k") as target,
    ):
        reply = await call(target, ask_for(f"{NEEDLE}\n{QUESTION}", stream=stream))
    assert (reply.answer.strip(), reply.thinking) == ("4711", "let me see")
    assert (reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens) == (30, 20, 4)
    assert reply.finish_reason == "stop"
    assert (reply.ttft_ms is not None) == stream
    assert server.calls[0][2]["anthropic-version"] == "2023-06-01"


async def test_a_prefill_is_sent_without_white_space_at_its_end() -> None:
    asked = ask_for(QUESTION, answer_prefix_text=" It is ", system="Be brief.", answer_prefix="prefill")
    async with Anthropic() as server, open_target(server.address, "anthropic", model_id="test-model") as target:
        await call(target, asked)
    body = server.calls[0][1]
    assert body["system"] == "Be brief."
    assert body["messages"] == [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": " It is"}]


async def test_a_prompt_that_is_too_long_is_an_overflow() -> None:
    async with (
        Anthropic(window=100) as server,
        open_target(server.address, "anthropic", model_id="test-model") as target,
    ):
        with pytest.raises(ContextOverflow, match="107 tokens > 100 maximum"):
            await call(target, ask_for("word " * 100))


@pytest.mark.parametrize(
    ("status", "kind", "headers", "cause", "permanent", "retry_after"),
    [
        (429, "rate_limit_error", {"retry-after": "17"}, "rate_limited", False, 17.0),
        (529, "overloaded_error", {}, "overloaded", False, None),
        (401, "authentication_error", {}, "auth", True, None),
        (400, "invalid_request_error", {}, "bad_request", True, None),
    ],
)
async def test_refusals_are_sorted(
    status: int, kind: str, headers: dict[str, str], cause: str, permanent: bool, retry_after: float | None
) -> None:
    async with Anthropic() as server, open_target(server.address, "anthropic", model_id="test-model") as target:
        server.scripted.append((status, {"type": "error", "error": {"type": kind, "message": "no"}}, headers))
        with pytest.raises(CallError, match="no") as caught:
            await call(target, ask_for("hello"))
    assert (caught.value.cause, caught.value.permanent, caught.value.retry_after) == (cause, permanent, retry_after)


async def test_an_error_in_mid_stream_is_no_answer() -> None:
    events = b'data: {"type":"message_start","message":{"usage":{"input_tokens":3}}}\n\n'
    events += b'data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    async with Anthropic() as server, open_target(server.address, "anthropic", model_id="test-model") as target:
        server.scripted.append((200, events, {}))
        with pytest.raises(CallError, match="Overloaded") as caught:
            await call(target, ask_for("hello", stream=True))
        server.scripted.append((200, events.split(b"\n\n")[0] + b"\n\n", {}))
        with pytest.raises(CallError, match="ended in mid-reply"):
            await call(target, ask_for("hello", stream=True))
    assert not caught.value.permanent


async def test_a_window_that_is_full_is_a_cut_answer() -> None:
    async with (
        Anthropic(stop_reason="model_context_window_exceeded") as server,
        open_target(server.address, "anthropic", model_id="test-model") as target,
    ):
        reply = await call(target, ask_for("hello"))
    assert (reply.finish_reason, reply.detail) == ("length", {"stop_reason": "model_context_window_exceeded"})
