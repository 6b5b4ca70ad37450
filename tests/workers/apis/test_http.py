from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from tests.support.model_server import Misbehave, ModelServer, Refuse, Say
from tests.support.waiting import until
from tests.workers.targets import ask_for, open_target
from workers.apis.base import Reply
from workers.apis.openai_chat import call
from workers.errors import CallError, ContextOverflow


async def _failure(server: ModelServer, **model: Any) -> CallError:
    async with open_target(server.base_url, **model) as target:
        with pytest.raises(CallError) as caught:
            await call(target, ask_for("hello"))
    return caught.value


@pytest.mark.parametrize(
    ("refusal", "cause", "permanent", "counts", "model_down", "retry_after"),
    [
        (Refuse(429, {"error": "slow down"}, {"retry-after": "7"}), "rate_limited", False, True, False, 7.0),
        (Refuse(429, {"error": "slow down"}, {"retry-after-ms": "250"}), "rate_limited", False, True, False, 0.25),
        (Refuse(429, {"error": {"code": "insufficient_quota"}}), "quota", True, True, False, None),
        (Refuse(408, None), "timeout", False, True, False, None),
        (Refuse(500, {"error": {"message": "CUDA error"}}), "server_error", False, True, False, None),
        (Refuse(503, {"error": {"message": "The request queue is full."}}), "overloaded", False, True, False, None),
        (Refuse(503, {"error": {"message": "Loading model"}}), "loading", False, False, True, None),
        (Refuse(529, {"error": {"type": "overloaded_error"}}), "overloaded", False, True, False, None),
        (Refuse(400, {"error": {"message": "bad temperature"}}), "bad_request", True, True, False, None),
        (Refuse(401, {"error": {"message": "no key"}}), "auth", True, True, False, None),
        (Refuse(402, {"error": {"message": "no credits"}}), "payment", True, True, False, None),
        (Refuse(404, {"error": {"message": "no such model"}}), "not_found", True, True, False, None),
        (Refuse(413, b"<html>413 Request Entity Too Large</html>"), "too_large", True, True, False, None),
        (Misbehave("garbage"), "bad_reply", False, True, False, None),
        (Misbehave("empty"), "empty_reply", False, True, False, None),
        (Misbehave("drop"), "connection", False, True, False, None),
        (Misbehave("half"), "connection", False, True, False, None),
        (Say(extra={"error": {"code": 429, "message": "upstream"}}), "rate_limited", False, True, False, None),
    ],
)
async def test_a_failure_says_what_should_happen_next(
    refusal: Refuse | Misbehave | Say, cause: str, permanent: bool, counts: bool, model_down: bool, retry_after: float
) -> None:
    async with ModelServer() as server:
        server.then(refusal)
        failure = await _failure(server)
    assert (failure.cause, failure.permanent, failure.counts, failure.model_down, failure.retry_after) == (
        cause,
        permanent,
        counts,
        model_down,
        retry_after,
    )


async def test_a_refusal_carries_the_servers_own_message() -> None:
    async with ModelServer() as server:
        server.then(Refuse(400, {"error": {"message": "temperature must be below 2"}}))
        failure = await _failure(server)
    assert "temperature must be below 2" in failure.message
    assert "400" in failure.message


async def test_nobody_listening_means_the_model_is_down_and_costs_no_attempt() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        async with open_target(url) as target:
            with pytest.raises(CallError) as caught:
                await call(target, ask_for("hello"))
    assert (caught.value.cause, caught.value.counts, caught.value.model_down) == ("connection", False, True)


OVERFLOWS = {
    "llama.cpp": (
        400,
        '{"error":{"code":400,"type":"exceed_context_size_error","message":"request (21631 tokens) exceeds the '
        'available context size (8192 tokens), try increasing it","n_prompt_tokens":21631,"n_ctx":8192}}',
    ),
    "vllm": (
        400,
        '{"error":{"message":"You passed 9000 input tokens and requested 128 output tokens. However, the model\'s '
        'context length is only 8192 tokens, resulting in …","type":"BadRequestError","code":400}}',
    ),
    "vllm, older": (
        400,
        '{"object":"error","message":"This model\'s maximum context length is 8192 tokens. However, you requested '
        '9128 tokens","type":"BadRequestError","code":400}',
    ),
    "sglang": (
        400,
        '{"object":"error","message":"The input (9000 tokens) is longer than the model\'s context length (8192 '
        'tokens).","code":400}',
    ),
    "sglang, with output": (400, '{"message":"Requested token count exceeds the model\'s maximum context length"}'),
    "sglang, small pool": (400, '{"message":"Input length (9000 tokens) exceeds the maximum allowed length (8191)"}'),
    "ollama": (400, '{"error":"the prompt is longer than the context length currently available to the model"}'),
    "tgi": (
        422,
        '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` '
        'tokens and 128 `max_new_tokens`","error_type":"validation"}',
    ),
    "openai": (
        400,
        '{"error":{"message":"This model\'s maximum context length is 128000 tokens.","code":"context_length_exceeded"}}',
    ),
    "anthropic": (
        400,
        '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 '
        'maximum"}}',
    ),
    "anthropic's proxy": (413, '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds …"}}'),
}


@pytest.mark.parametrize("engine", OVERFLOWS)
async def test_an_engines_refusal_of_a_long_prompt_is_an_overflow(engine: str) -> None:
    status, body = OVERFLOWS[engine]
    async with ModelServer() as server, open_target(server.base_url) as target:
        server.then(Refuse(status, body.encode()))
        with pytest.raises(ContextOverflow):
            await call(target, ask_for("hello"))


async def test_an_overflow_keeps_the_servers_figures() -> None:
    async with ModelServer(window=20, count=lambda text: 500) as server, open_target(server.base_url) as target:
        with pytest.raises(ContextOverflow) as caught:
            await call(target, ask_for("hello"))
    assert (caught.value.prompt_tokens, caught.value.window) == (500, 20)


@pytest.mark.parametrize(
    ("how", "timeouts", "clock"),
    [
        ("hang", {"first_byte": 0.2, "total": 50}, "first byte timeout"),
        ("hang", {"first_byte": 50, "total": 0.2}, "total timeout"),
        ("stall", {"first_byte": 50, "idle": 0.2}, "idle timeout"),
        ("trickle", {"first_byte": 50, "idle": 50, "total": 0.3}, "total timeout"),
    ],
)
async def test_a_timeout_names_its_clock_and_the_server_is_told(
    how: Any, timeouts: dict[str, float], clock: str
) -> None:
    async with ModelServer() as server:
        server.then(Misbehave(how))
        failure = await _failure(server, timeouts={**timeouts, "per_1k_tokens": 0})
        assert (failure.cause, failure.permanent) == ("timeout", False)
        assert clock in failure.message
        await until(lambda: not server.in_flight)


async def test_timeouts_grow_with_the_prompt() -> None:
    async with ModelServer(latency=0.5) as server:
        timeouts = {"first_byte": 0.1, "total": 0.1, "per_1k_tokens": 30}
        async with open_target(server.base_url, timeouts=timeouts) as target:
            assert isinstance(await call(target, ask_for("hello", prompt_tokens=1000)), Reply)
            with pytest.raises(CallError, match="timeout"):
                await call(target, ask_for("hello", prompt_tokens=0))


async def test_a_cancelled_call_is_closed_so_that_the_server_stops() -> None:
    async with ModelServer() as server, open_target(server.base_url) as target:
        server.then(Misbehave("hang"))
        task = asyncio.create_task(call(target, ask_for("hello")))
        await until(lambda: server.in_flight)
        task.cancel()
        await until(lambda: not server.in_flight)
    assert server.aborted == 1


async def test_an_early_refusal_of_a_large_body_is_not_lost() -> None:
    """Proxies answer 413 or 429 and close before they have read the body."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, open_target(url) as target:
        with pytest.raises(CallError) as caught:
            await call(target, ask_for("x" * 4_000_000))
    assert (caught.value.cause, caught.value.retry_after) == ("rate_limited", 3.0)


async def test_more_calls_than_any_default_pool_holds_run_at_once() -> None:
    async with ModelServer(latency=0.3) as server, open_target(server.base_url) as target:
        await asyncio.gather(*(call(target, ask_for("hello")) for _ in range(250)))
    assert server.peak == 250
