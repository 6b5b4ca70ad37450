from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.base import Prompt
from protocol.jobs import Status
from workers.apis.base import Reply
from workers.integrity import (
    canary_question,
    canary_seen,
    code_word,
    judge,
    missing_tokens,
    take_thinking_off,
    too_large,
    with_canary,
)


def _status(answer: str, sent: int = 1000, overhead: int = 0, **reply: Any) -> Status:
    thinking = reply.pop("thinking", None)
    got = Reply(answer=answer, thinking=thinking, **reply)
    return judge(got, take_thinking_off(answer, thinking), sent, overhead).status


STATUSES = [
    # answer, what else the server says, status
    ("42", {"finish_reason": "stop", "completion_tokens": 2, "prompt_tokens": 1000}, Status.OK),
    ("42", {}, Status.OK),
    ("42 and", {"finish_reason": "length", "completion_tokens": 128}, Status.CUT_ANSWER),
    ("<think>hm</think>42", {"finish_reason": "length"}, Status.CUT_ANSWER),
    ("<think>hm</think>42", {"finish_reason": "stop"}, Status.OK),
    ("", {"finish_reason": "stop", "completion_tokens": 1}, Status.EMPTY_ANSWER),
    ("", {"finish_reason": "stop"}, Status.EMPTY_ANSWER),
    (" \n", {"finish_reason": "stop", "completion_tokens": 2}, Status.EMPTY_ANSWER),
    (" \n\n", {"finish_reason": "length", "completion_tokens": 128}, Status.EMPTY_ANSWER),
    ("<think>hm</think>", {"finish_reason": "stop", "completion_tokens": 5}, Status.EMPTY_ANSWER),
    ("", {"thinking": "hm", "finish_reason": "stop", "completion_tokens": 5}, Status.EMPTY_ANSWER),
    ("", {"finish_reason": "stop", "completion_tokens": 0}, Status.NO_TOKENS),
    ("", {}, Status.NO_TOKENS),
    ("", {"finish_reason": "length", "completion_tokens": 0}, Status.NO_TOKENS),
    ("<think>hm and", {"finish_reason": "length", "completion_tokens": 128}, Status.THINKING_CUT),
    ("<think>hm and", {"finish_reason": "stop", "completion_tokens": 128}, Status.THINKING_CUT),
    ("", {"thinking": "hm", "finish_reason": "length", "completion_tokens": 128}, Status.THINKING_CUT),
    ("", {"thinking_tokens": 128, "finish_reason": "length", "completion_tokens": 128}, Status.THINKING_CUT),
    ("", {"finish_reason": "length", "completion_tokens": 128}, Status.THINKING_CUT),
    ("", {"finish_reason": "content_filter"}, Status.ERROR),
    ("42", {"prompt_tokens": 600, "finish_reason": "stop"}, Status.TRUNCATED_PROMPT),
    ("", {"prompt_tokens": 600, "completion_tokens": 0}, Status.TRUNCATED_PROMPT),
]


@pytest.mark.parametrize(("answer", "reply", "status"), STATUSES)
def test_a_reply_gets_the_status_the_rules_give(answer: str, reply: dict[str, Any], status: Status) -> None:
    assert _status(answer, **reply) == status


@pytest.mark.parametrize(
    ("sent", "overhead", "read", "missing"),
    [
        (1000, 0, 1000, None),
        (1000, 0, 968, None),  # 32 short: not more than 32
        (1000, 0, 967, 33),
        (10_000, 0, 9_800, None),  # 2 %: not more than 2 %
        (10_000, 0, 9_799, 201),
        (1000, 50, 1010, 40),  # the wrapper's tokens do not make up for the prompt's
        (1000, 50, 1050, None),
        (1000, 0, 5000, None),
        (1000, 0, None, None),
        (100, 0, 0, 100),
    ],
)
def test_a_prompt_is_truncated_when_more_than_two_percent_and_32_tokens_are_missing(
    sent: int, overhead: int, read: int | None, missing: int | None
) -> None:
    assert missing_tokens(sent, overhead, read) == missing


@pytest.mark.parametrize(
    ("text", "apart", "answer", "thinking", "unclosed"),
    [
        ("42", None, "42", None, False),
        ("42", "hm", "42", "hm", False),
        ("<think>hm</think>\n\n42", None, "42", "hm", False),
        ("<THINK>hm</THINK> 42", None, "42", "hm", False),
        ("<think>a</think>4<think>b</think>2", None, "42", "a\n\nb", False),
        ("hm, the template opened the block</think>42", None, "42", "hm, the template opened the block", False),
        ("<think>never ends", None, "", "never ends", True),
        ("42 <think>more", None, "42 ", "more", True),
        ("<think></think>42", None, "42", None, False),
        ("<think>hm</think>42", "apart", "42", "apart\n\nhm", False),
        ("I think it is 42", None, "I think it is 42", None, False),
    ],
)
def test_thinking_is_taken_off_and_kept_apart(
    text: str, apart: str | None, answer: str, thinking: str | None, unclosed: bool
) -> None:
    visible = take_thinking_off(text, apart)
    assert (visible.answer, visible.thinking, visible.unclosed) == (answer, thinking, unclosed)


@given(st.text(alphabet="<>/think ab\n", max_size=60), st.text(alphabet="ab <>", max_size=10))
def test_whatever_comes_before_the_last_closing_tag_is_never_scored(before: str, answer: str) -> None:
    assert take_thinking_off(f"<think>{before}</think>{answer}").answer.strip() in answer


def test_a_prompt_that_cannot_fit_with_its_answer_is_refused_with_the_figures() -> None:
    assert too_large(8000, 64, 128, 8192) is None
    why = too_large(8001, 64, 128, 8192)
    assert why is not None
    assert "8193" in why
    assert "8192" in why
    assert too_large(10**9, 0, 0, None) is None


def test_the_canary_is_at_the_very_start_and_the_spans_move_with_it() -> None:
    prompt = Prompt("Text.\nQuestion?", " Answer:", None, (0, 5), (6, 15), ((0, 2), (2, 5)))
    marked = with_canary(prompt, "KLMN-1234")
    assert marked.input.startswith("Code word: KLMN-1234\n")
    assert marked.context is not None
    assert marked.question is not None
    assert marked.input[slice(*marked.context)] == "Text."
    assert marked.input[slice(*marked.question)] == "Question?"
    assert [marked.input[slice(*span)] for span in marked.independent] == ["Te", "xt."]
    assert canary_question(marked).text.startswith(marked.text)


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_code_word_is_recognised_in_any_answer_that_repeats_it(seed: str) -> None:
    word = code_word(seed)
    assert word == code_word(seed)
    assert canary_seen(f"The code word is {word.lower()}.", word)
    assert canary_seen(word.replace("-", " "), word)
    assert not canary_seen("The code word is BCDF-0000.", word)
