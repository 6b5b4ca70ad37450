from __future__ import annotations

import hashlib
from typing import Any

import pytest

from protocol.jobs import Status
from protocol.workers import FailureReport, ResultReport
from tests.support.model_server import ModelServer, Refuse, Say, find_needles
from tests.workers.targets import open_target
from tests.workers.toy import item, open_job, words
from workers.runner import ask, build, conclude

OVERHEAD = 7


async def _ask(
    server: ModelServer, index: int = 3, *, stream: bool = False, **run: Any
) -> ResultReport | FailureReport:
    model, facts = run.pop("model", {}), run.pop("facts", {"overhead_tokens": OVERHEAD})
    job = open_job(server.base_url, **run)
    async with open_target(server.base_url, facts=facts, **model) as target:
        return conclude(job, target, await ask(job, target, build(job, item(index)), stream=stream))


async def _result(server: ModelServer, **changes: Any) -> ResultReport:
    outcome = await _ask(server, **changes)
    assert isinstance(outcome, ResultReport)
    return outcome


def _honest(**changes: Any) -> ModelServer:
    return ModelServer(count=words, overhead=OVERHEAD, **changes)


async def test_an_answer_becomes_a_scored_result_with_all_that_was_measured() -> None:
    async with _honest() as server:
        result = await _result(server)
        [seen] = server.calls
    sent = words(seen.prompt)
    assert (result.status, result.score, result.answer, result.expected) == (Status.OK, 1.0, "1003", ["1003"])
    assert result.prompt_sha256 == hashlib.sha256(seen.prompt.encode()).hexdigest()
    assert (result.prompt_tokens, result.measured.server_prompt_tokens) == (sent, sent + OVERHEAD)
    assert result.measured.completion_tokens == 1
    assert result.measured.duration_ms is not None
    assert result.detail == {"depth": 0}
    assert result.error is None


async def test_a_wrong_answer_is_a_measured_zero() -> None:
    async with _honest(answer=lambda prompt: "no idea") as server:
        result = await _result(server)
    assert (result.status, result.score) == (Status.OK, 0.0)


async def test_thinking_is_kept_apart_and_its_budget_is_added_to_the_answers() -> None:
    async with _honest() as server:
        server.then(Say("<think>It was 1003?</think>1003", thinking="Hm."))
        result = await _result(server, thinking_budget=100)
        assert server.calls[0].body["max_tokens"] == 116
    assert (result.answer, result.thinking) == ("1003", "Hm.\n\nIt was 1003?")
    assert result.score == 1.0


async def test_thinking_alone_is_not_scored_though_it_holds_the_answer() -> None:
    async with _honest() as server:
        server.then(Say("<think>It is 1003", finish_reason="length"))
        result = await _result(server)
    assert (result.status, result.score) == (Status.THINKING_CUT, None)


async def test_a_cut_or_empty_answer_is_scored_and_noted() -> None:
    async with _honest() as server:
        server.then(Say("It is 1003, and", finish_reason="length"), Say("", usage={"completion_tokens": 1}))
        cut, empty = await _result(server), await _result(server)
    assert (cut.status, cut.score) == (Status.CUT_ANSWER, 1.0)
    assert (empty.status, empty.score) == (Status.EMPTY_ANSWER, 0.0)


@pytest.mark.parametrize("side", ["front", "tail"])
async def test_a_prompt_that_the_server_cuts_in_silence_is_caught_by_its_own_count(side: Any) -> None:
    async with _honest(window=100, truncate=side) as server:
        result = await _result(server)
    assert (result.status, result.score) == (Status.TRUNCATED_PROMPT, None)
    assert "missing" in (result.error or "")


@pytest.mark.parametrize("usage", ["sent", "none", "constant"])
async def test_a_cut_that_usage_hides_is_proved_by_the_canary(usage: Any) -> None:
    def answer(prompt: str) -> str:
        return prompt.split()[2] if prompt.startswith("Code word:") and "Which code word" in prompt else "1003"

    async with _honest(window=100, truncate="front", usage=usage, answer=answer) as server:
        hidden = await _result(server)
        proved = await _result(server, canary=True)
    assert hidden.status is Status.OK  # nothing but the canary can tell
    assert (proved.status, proved.score) == (Status.TRUNCATED_PROMPT, None)
    assert isinstance(proved.detail["canary"], dict)
    assert proved.detail["canary"]["seen"] is False
    assert proved.detail["canary"].keys() >= {"prompt_tokens", "completion_tokens"}  # what it cost besides


async def test_with_the_canary_a_whole_prompt_stays_a_measurement() -> None:
    def answer(prompt: str) -> str:
        return prompt.split()[2] if "Which code word" in prompt else find_needles(prompt)

    async with _honest(answer=answer) as server:
        result = await _result(server, canary=True)
        first, second = server.calls
    assert (result.status, result.score) == (Status.OK, 1.0)
    assert second.prompt.startswith(first.prompt)  # the same prefix: the server has it cached
    assert result.prompt_sha256 == hashlib.sha256(first.prompt.split("\n\n", 1)[1].encode()).hexdigest()


async def test_a_prompt_larger_than_the_window_is_never_sent_unless_that_is_allowed() -> None:
    facts = {"context_window": 150, "overhead_tokens": OVERHEAD}
    async with _honest(window=150) as server:
        unsent = await _result(server, facts=facts)
        assert server.calls == []
        refused = await _result(server, facts=facts, allow_overflow=True)
        assert len(server.calls) == 1
    assert unsent.status is refused.status is Status.CONTEXT_OVERFLOW
    assert "150" in (unsent.error or "")
    assert "exceeds the available context size" in (refused.error or "")
    assert unsent.score is refused.score is None


async def test_the_window_given_by_hand_goes_before_the_probed_one() -> None:
    async with _honest() as server:
        result = await _result(server, model={"context_window": 10_000}, facts={"context_window": 10})
    assert result.status is Status.OK


async def test_a_failed_call_is_a_failure_and_never_a_score() -> None:
    async with _honest() as server:
        server.then(Refuse(429, {"error": "slow"}, {"retry-after": "9"}), Refuse(401, {"error": "who?"}))
        limited, refused = await _ask(server), await _ask(server)
    assert isinstance(limited, FailureReport)
    assert isinstance(refused, FailureReport)
    assert (limited.cause, limited.permanent, limited.retry_after) == ("rate_limited", False, 9.0)
    assert (refused.cause, refused.permanent) == ("auth", True)


async def test_a_jobs_generation_parameters_go_over_the_models() -> None:
    model = {"generation": {"temperature": 0.5, "seed": 1, "extra_body": {"a": 1, "b": 1}}}
    async with _honest() as server:
        await _result(server, model=model, generation={"temperature": 0.9, "extra_body": {"b": 2}})
        [seen] = server.calls
    assert (seen.body["temperature"], seen.body["seed"], seen.body["a"], seen.body["b"]) == (0.9, 1, 1, 2)


@pytest.mark.parametrize(("mode", "ends"), [("suffix", "text? It is"), ("none", "text?")])
async def test_the_answer_prefix_goes_where_the_job_says(mode: str, ends: str) -> None:
    async with _honest() as server:
        await _result(server, answer_prefix=mode)
        assert server.calls[0].prompt.endswith(ends)


async def test_debug_keeps_a_cells_first_prompt_and_only_head_and_tail_of_a_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with _honest() as server:
        first, other = await _result(server, index=0, debug=True), await _result(server, index=1, debug=True)
        monkeypatch.setattr("workers.runner._DEBUG_CHARACTERS", 40)
        long = await _result(server, index=0, debug=True)
        sent = server.calls[0].prompt
    assert first.detail["debug"] == {"head": sent, "tail": ""}
    assert long.detail["debug"] == {"head": sent[:40], "tail": sent[-40:]}
    assert "debug" not in other.detail


async def test_a_streamed_reply_tells_the_time_to_the_first_token() -> None:
    async with _honest(latency=0.1) as server:
        result = await _result(server, stream=True)
    assert (result.score, result.finish_reason) == (1.0, "stop")
    assert result.measured.ttft_ms is not None
    assert result.measured.ttft_ms >= 100
