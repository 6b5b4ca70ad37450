from __future__ import annotations

from typing import Any

import pytest

from tests.support.model_server import ModelServer, Say
from tests.workers.targets import ask_for, open_target
from workers.apis import openai_chat, openai_completions
from workers.apis.base import Reply
from workers.errors import CallError, UnsupportedApi


async def _chat(server: ModelServer, text: str = "hello", target: dict[str, Any] | None = None, **call: Any) -> Reply:
    async with open_target(server.base_url, **(target or {})) as opened:
        return await openai_chat.call(opened, ask_for(text, **call))


async def test_only_parameters_that_are_set_are_sent() -> None:
    async with ModelServer() as server:
        await _chat(server, target={"model_id": "big"})
        await _chat(server, generation={"temperature": None, "top_p": 0.9, "top_k": 5, "seed": 3, "stop": ["\n"]})
        plain, set_ = (seen.body for seen in server.calls)
    assert plain == {
        "model": "big",
        "max_tokens": 16,
        "temperature": 0.0,
        "messages": [{"role": "user", "content": "hello"}],
    }
    assert {name: set_[name] for name in ("top_p", "top_k", "seed", "stop")} == {
        "top_p": 0.9,
        "top_k": 5,
        "seed": 3,
        "stop": ["\n"],
    }
    assert "temperature" not in set_


async def test_extra_fields_go_over_ours_and_null_takes_one_out() -> None:
    async with ModelServer() as server:
        extra = {"cache_prompt": False, "temperature": None}
        await _chat(server, generation={"extra_body": extra})
        body = server.calls[0].body
    assert body["cache_prompt"] is False
    assert "temperature" not in body


async def test_the_key_and_extra_headers_are_sent() -> None:
    async with ModelServer(api_key="sk-7") as server:
        target = {"api_key": "sk-7", "api_key_env": "KEY", "headers": {"x-team": "long"}}
        await _chat(server, target=target)
        assert server.calls[0].headers["x-team"] == "long"
        with pytest.raises(CallError, match="Incorrect API key"):
            await _chat(server)


async def test_the_key_is_not_in_a_targets_representation() -> None:
    async with open_target("http://127.0.0.1:1/v1", api_key="sk-secret") as target:
        assert "sk-secret" not in repr(target)


async def test_the_benchmarks_system_prompt_comes_before_the_models() -> None:
    async with ModelServer() as server:
        await _chat(server, system="You read.", generation={"system": "Be brief."})
        assert server.calls[0].body["messages"][0] == {"role": "system", "content": "You read.\n\nBe brief."}


@pytest.mark.parametrize("engine", [None, "vllm", "llama.cpp"])
async def test_a_prefill_starts_the_assistants_turn_and_is_not_part_of_the_answer(engine: str | None) -> None:
    async with ModelServer() as server:
        server.then(Say(" It is 42"))
        reply = await _chat(
            server, target={"facts": {"engine": engine}}, answer_prefix="prefill", answer_prefix_text=" It is"
        )
        body = server.calls[0].body
    assert body["messages"][-1] == {"role": "assistant", "content": " It is"}
    assert body.get("continue_final_message") == (True if engine == "vllm" else None)
    assert reply.answer == " 42"


async def test_a_prefill_is_refused_where_the_probe_found_that_it_does_not_work() -> None:
    async with ModelServer() as server:
        target = {"facts": {"prefill": False}}
        with pytest.raises(UnsupportedApi, match="suffix"):
            await _chat(server, target=target, answer_prefix="prefill", answer_prefix_text=" It is")
        assert server.calls == []


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_reasoning_fields_are_thinking(name: str, stream: bool) -> None:
    async with ModelServer() as server:
        server.then(Say("42", thinking="Hm.", thinking_field=name))
        reply = await _chat(server, stream=stream)
    assert (reply.answer, reply.thinking, reply.finish_reason) == ("42", "Hm.", "stop")


async def test_usage_is_read_with_its_details() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 90},
        "completion_tokens_details": {"reasoning_tokens": 15},
    }
    async with ModelServer() as server:
        server.then(Say("42", usage=usage))
        reply = await _chat(server)
    assert (reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens, reply.thinking_tokens) == (
        100,
        90,
        20,
        15,
    )


async def test_a_constant_that_koboldcpp_reports_is_no_count() -> None:
    async with ModelServer(usage="constant") as server:
        assert (await _chat(server)).prompt_tokens is None
        assert (await _chat(server, target={"facts": {"engine": "vllm"}})).prompt_tokens == 100


@pytest.mark.parametrize("finish_reason", ["abort", "error"])
async def test_a_call_that_the_server_gave_up_is_tried_again(finish_reason: str) -> None:
    async with ModelServer() as server:
        server.then(Say("4", finish_reason=finish_reason))
        with pytest.raises(CallError) as caught:
            await _chat(server)
    assert not caught.value.permanent


async def test_a_reply_without_choices_is_an_error_and_not_an_empty_answer() -> None:
    async with ModelServer() as server:
        server.then(Say(extra={"choices": []}))
        with pytest.raises(CallError, match="without choices"):
            await _chat(server)


@pytest.mark.parametrize("stream", [False, True])
async def test_completions_send_system_input_and_prefix_as_one_text(stream: bool) -> None:
    async with ModelServer() as server, open_target(server.base_url, "openai-completions") as target:
        call = ask_for("Once", answer_prefix_text=" upon", system="Tell.", stream=stream)
        server.then(Say(" a time", finish_reason="length"))
        reply = await openai_completions.call(target, call)
        [seen] = server.calls
    assert seen.path == "/v1/completions"
    assert seen.body["prompt"] == "Tell.\n\nOnce upon"
    assert (reply.answer, reply.finish_reason) == (" a time", "length")
    assert (reply.ttft_ms is not None) == stream
