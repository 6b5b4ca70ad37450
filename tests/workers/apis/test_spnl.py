"""Span queries: the tree's leaves are the prompt, independent parts stand under `plus`, replies are OpenAI's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.base import Prompt
from tests.support.engines.spnl import Spnl, leaves
from tests.workers.targets import ask_for, open_target
from workers.apis.base import Call
from workers.apis.spnl import call, execute, spans
from workers.errors import CallError, ContextOverflow

NEEDLE = "One of the special magic numbers for tall-tree is: 4711."
QUESTION = "What is the special magic number for tall-tree mentioned in the provided text?"


@pytest.mark.parametrize("stream", [False, True])
async def test_the_query_is_sent_as_text_and_the_reply_is_read_either_way(stream: bool) -> None:
    async with Spnl(cached=5) as server, open_target(f"{server.address}/v1", "spnl", model_id="test-model") as target:
        reply = await call(target, ask_for(f"{NEEDLE}\n{QUESTION}", stream=stream, system="Be brief. "))
    assert reply.answer.strip() == "4711"
    assert (reply.prompt_tokens, reply.cached_tokens, reply.finish_reason) == (32, 5, "stop")
    assert (reply.ttft_ms is not None) == stream
    path, query, headers = server.calls[0]
    assert path == f"/v1/query/execute?stream={str(stream).lower()}"
    assert headers["content-type"] == "text/plain"
    parts = [{"system": "Be brief. "}, {"user": f"{NEEDLE}\n{QUESTION}"}]
    generate = {"model": "test-model", "input": {"cross": parts}, "max_tokens": 16, "temperature": 0.0}
    assert query == {"repeat": {"n": 1, "g": generate}}


def test_documents_stand_under_plus_between_what_precedes_and_follows_them() -> None:
    text = "Read: [one] [two] [three] Question?"
    prompt = Prompt(text, independent=((6, 11), (12, 17), (18, 25)), answer_prefix=" Answer:")
    query = spans(Call(prompt, max_tokens=1, prompt_tokens=1))
    documents = [{"user": "[one] "}, {"user": "[two] "}, {"user": "[three]"}]
    assert query == [{"user": "Read: "}, {"plus": documents}, {"user": " Question? Answer:"}]


@given(st.lists(st.tuples(st.text(max_size=5), st.text(min_size=1, max_size=5)), max_size=6), st.text(max_size=5))
def test_the_leaves_are_always_the_whole_prompt(pieces: list[tuple[str, str]], end: str) -> None:
    text, independent = "", []
    for gap, document in pieces:
        independent.append((len(text + gap), len(text + gap + document)))
        text += gap + document
    prompt = Prompt(text + end, answer_prefix=" It is", independent=tuple(independent))
    query = execute("m", Call(prompt, max_tokens=1, prompt_tokens=1))
    assert "".join(leaves(query["repeat"]["g"]["input"])) == prompt.text


async def test_a_query_beyond_the_window_is_an_overflow() -> None:
    async with Spnl(window=100) as server, open_target(server.address, "spnl", model_id="test-model") as target:
        with pytest.raises(ContextOverflow, match="maximum context length is 100"):
            await call(target, ask_for("word " * 100))


@pytest.mark.parametrize("body", [{"success": True}, {"choices": [{"message": {"content": "47"}}]}])
async def test_a_reply_without_an_end_is_no_answer(body: dict[str, Any]) -> None:
    async with Spnl() as server, open_target(server.address, "spnl", model_id="test-model") as target:
        server.scripted.append((200, body, {}))
        with pytest.raises(CallError):
            await call(target, ask_for("hello"))
