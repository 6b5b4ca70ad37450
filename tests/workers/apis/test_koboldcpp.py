"""KoboldCpp: the server's tokenizer counts before sending, since it cuts in silence and its usage is a constant."""

from __future__ import annotations

import pytest

from tests.support.engines.koboldcpp import KoboldCpp
from tests.workers.targets import ask_for, open_target
from workers.apis.koboldcpp import call
from workers.errors import CallError, ContextOverflow

NEEDLE = "One of the special magic numbers for tall-tree is: 4711."
QUESTION = "What is the special magic number for tall-tree mentioned in the provided text?"


@pytest.mark.parametrize("path", ["", "/api/v1", "/api/v1/generate"])
async def test_the_native_api_answers_with_the_servers_own_count(path: str) -> None:
    async with KoboldCpp() as server, open_target(server.address + path, "koboldcpp") as target:
        reply = await call(target, ask_for(f"{NEEDLE}\n{QUESTION}"))
    assert (reply.answer, reply.prompt_tokens) == ("4711", 23)
    assert server.calls[0][1]["special"] is False
    assert server.calls[1][1]["max_context_length"] == 4096


async def test_the_chat_endpoint_answers_and_its_constant_usage_is_ignored() -> None:
    async with (
        KoboldCpp() as server,
        open_target(f"{server.address}/v1", "koboldcpp", facts={"overhead_tokens": 7}) as target,
    ):
        reply = await call(target, ask_for(f"{NEEDLE}\n{QUESTION}"))
    assert (reply.answer, reply.prompt_tokens, reply.completion_tokens) == ("4711", 30, None)


@pytest.mark.parametrize("path", ["", "/v1"])
async def test_a_prompt_that_would_be_cut_is_not_sent(path: str) -> None:
    async with KoboldCpp(window=100) as server, open_target(server.address + path, "koboldcpp") as target:
        with pytest.raises(ContextOverflow) as caught:
            await call(target, ask_for(f"{NEEDLE} {'word ' * 100}\n{QUESTION}", max_tokens=16))
    assert (caught.value.prompt_tokens, caught.value.window) == (123, 100)
    assert [path for path, _, _ in server.calls] == ["/api/extra/tokencount"]


async def test_parameters_have_kobolds_names_and_the_reply_says_how_it_ended() -> None:
    generation = {"temperature": 0.5, "repetition_penalty": 1.1, "seed": 3, "stop": ["\n"], "extra_body": {"tfs": 1}}
    async with KoboldCpp(tells_counts=True) as server, open_target(server.address, "koboldcpp") as target:
        reply = await call(target, ask_for("hello", generation=generation, system="Be brief."))
    body = server.calls[1][1]
    assert body.pop("genkey")
    assert body == {
        "prompt": "Be brief.\n\nhello",
        "max_length": 16,
        "max_context_length": 4096,
        "temperature": 0.5,
        "rep_pen": 1.1,
        "sampler_seed": 3,
        "stop_sequence": ["\n"],
        "tfs": 1,
    }
    assert (reply.finish_reason, reply.completion_tokens) == ("stop", 4)


async def test_a_full_queue_is_tried_again_and_a_wrong_key_is_not() -> None:
    async with KoboldCpp(api_key="right") as server:
        async with open_target(server.address, "koboldcpp", api_key="right") as target:
            server.scripted.append((503, {"detail": {"msg": "Server is busy; please try again later."}}, {}))
            with pytest.raises(CallError, match="busy") as busy:
                await call(target, ask_for("hello"))
        async with open_target(server.address, "koboldcpp", api_key="wrong") as target:
            with pytest.raises(CallError) as wrong:
                await call(target, ask_for("hello"))
    assert (busy.value.permanent, wrong.value.permanent, wrong.value.cause) == (False, True, "auth")


async def test_a_call_that_times_out_is_aborted_at_the_server() -> None:
    timeouts = {"first_byte": 0.3, "total": 0.3, "per_1k_tokens": 0}
    async with (
        KoboldCpp(hangs=True) as server,
        open_target(server.address, "koboldcpp", timeouts=timeouts, context_window=4096) as target,
    ):
        with pytest.raises(CallError, match="timeout"):
            await call(target, ask_for("hello"))
    keys = {path: body.get("genkey") for path, body, _ in server.calls}
    assert keys["/api/extra/abort"] == keys["/api/v1/generate"] is not None
