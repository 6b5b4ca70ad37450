"""Ollama's native API: the window is set from the need, cuts become errors, counts and thinking come through."""

from __future__ import annotations

import pytest

from tests.support.engines.ollama import Ollama
from tests.workers.targets import ask_for, open_target
from workers.apis.ollama import call, endpoint
from workers.errors import CallError, ContextOverflow

NEEDLE = "One of the special magic numbers for tall-tree is: 4711."
QUESTION = "What is the special magic number for tall-tree mentioned in the provided text?"


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_comes_with_counts_thinking_and_time_to_first_token(stream: bool) -> None:
    async with (
        Ollama(thinking="let me see") as server,
        open_target(server.address, "ollama", model_id="test-model") as target,
    ):
        reply = await call(target, ask_for(f"{NEEDLE}\n{QUESTION}", stream=stream))
    assert reply.answer.strip() == "4711"
    assert (reply.thinking or "").startswith("let me see")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (30, 4, "stop")
    assert reply.ttft_ms is not None
    if not stream:
        assert reply.ttft_ms == 42


async def test_a_long_prompt_gets_a_window_that_holds_it_instead_of_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = f"{NEEDLE} {'word ' * 9000}\n{QUESTION}"
    async with Ollama(window=32768) as server, open_target(server.address, "ollama", model_id="test-model") as target:
        reply = await call(target, ask_for(long, prompt_tokens=9025))
        await call(target, ask_for(long, prompt_tokens=9100))
    assert reply.answer == "4711"
    assert server.calls[0][1]["options"]["num_ctx"] == 16384
    assert server.loads == 1


async def test_a_prompt_beyond_the_window_is_refused_not_cut() -> None:
    async with (
        Ollama(window=4096) as server,
        open_target(server.address, "ollama", model_id="test-model", context_window=4096) as target,
    ):
        with pytest.raises(ContextOverflow, match="longer than the context length"):
            await call(target, ask_for("word " * 5000, prompt_tokens=5000))
    body = server.calls[0][1]
    assert (body["truncate"], body["shift"], body["options"]["num_ctx"]) == (False, False, 4096)


async def test_an_old_server_that_cuts_anyway_shows_it_in_its_count() -> None:
    async with (
        Ollama(window=4096, knows_truncate=False) as server,
        open_target(server.address, "ollama", model_id="test-model") as target,
    ):
        reply = await call(target, ask_for("word " * 5000, prompt_tokens=5000))
    assert reply.prompt_tokens == 2050


async def test_generate_takes_one_text_and_parameters_have_ollamas_names() -> None:
    generation = {
        "temperature": 0.5,
        "repetition_penalty": 1.1,
        "seed": 3,
        "stop": ["\n"],
        "extra_body": {"raw": True, "options": {"num_batch": 64}},
    }
    call_of = ask_for(f"{NEEDLE}\n{QUESTION}", answer_prefix_text=" It is", generation=generation)
    async with (
        Ollama() as server,
        open_target(f"{server.address}/api/generate", "ollama", model_id="test-model") as target,
    ):
        reply = await call(target, call_of)
    path, body, _ = server.calls[0]
    assert (path, body["raw"], body["prompt"][-6:]) == ("/api/generate", True, " It is")
    assert body["options"] == {
        "num_ctx": 4096,
        "num_predict": 16,
        "temperature": 0.5,
        "repeat_penalty": 1.1,
        "seed": 3,
        "stop": ["\n"],
        "num_batch": 64,
    }
    assert reply.answer == "4711"


async def test_turns_are_sent_in_order_with_a_prefill_last() -> None:
    asked = ask_for(QUESTION, answer_prefix_text="It is", system="Be brief.", answer_prefix="prefill")
    async with Ollama() as server, open_target(server.address, "ollama", model_id="test-model") as target:
        await call(target, asked)
    roles = [message["role"] for message in server.calls[0][1]["messages"]]
    assert roles == ["system", "user", "assistant"]


async def test_an_unknown_model_and_a_busy_server_are_told_apart() -> None:
    async with Ollama() as server:
        async with open_target(server.address, "ollama", model_id="other") as target:
            with pytest.raises(CallError, match="model 'other' not found") as missing:
                await call(target, ask_for("hello"))
        server.scripted.append((503, {"error": "server busy, please try again. maximum pending requests exceeded"}, {}))
        async with open_target(server.address, "ollama", model_id="test-model") as target:
            with pytest.raises(CallError, match="maximum pending requests") as busy:
                await call(target, ask_for("hello"))
    assert (missing.value.permanent, busy.value.permanent, busy.value.cause) == (True, False, "overloaded")


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_that_ends_in_the_middle_is_an_error(stream: bool) -> None:
    async with Ollama() as server, open_target(server.address, "ollama", model_id="test-model") as target:
        server.scripted.append((200, {"model": "m", "done": False, "message": {"content": "47"}}, {}))
        with pytest.raises(CallError):
            await call(target, ask_for("hello", stream=stream))


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("http://h:11434", ("http://h:11434", "/api/chat")),
        ("http://h:11434/v1/", ("http://h:11434", "/api/chat")),
        ("http://h:11434/api", ("http://h:11434", "/api/chat")),
        ("http://h/x/api/generate", ("http://h/x", "/api/generate")),
    ],
)
def test_base_urls_of_either_api_lead_to_the_native_one(base_url: str, expected: tuple[str, str]) -> None:
    assert endpoint(base_url) == expected
