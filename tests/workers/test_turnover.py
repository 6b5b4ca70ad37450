from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.turnover import Turnover


def _run(turnover: Turnover, start: float, seconds: float, calls: int) -> None:
    numbers = [turnover.start(start) for _ in range(calls)]
    for number in numbers:
        turnover.end(number, start + seconds)


def test_a_wave_of_equal_calls_is_seen_to_come_just_before_it_ends() -> None:
    turnover = Turnover(0.0)
    _run(turnover, 0.0, 2.0, 64)
    for _ in range(64):
        turnover.start(2.0)
    early = turnover.due(3.0, 0.25)
    assert early <= 64 * 0.25 / 2 + 1  # no more than by the average rate
    assert turnover.due(3.8, 0.25) == 64


def test_short_calls_end_more_than_once_a_place() -> None:
    turnover, now = Turnover(0.0), 0.0
    for _ in range(40):
        _run(turnover, now, 0.05, 10)
        now += 0.05
    for _ in range(10):
        turnover.start(now)
    assert turnover.due(now, 0.25) == 50


def test_calls_of_all_lengths_are_expected_to_end_by_the_share_that_does() -> None:
    turnover = Turnover(0.0)
    for seconds in range(1, 65):
        _run(turnover, 0.0, float(seconds), 1)
    turnover.start(100.0)
    turnover.start(100.0)
    assert turnover.due(100.5, 32.0) == 1  # half of all calls are that short
    assert turnover.due(131.5, 16.0) == 1  # of those that are older than 31.5 s, half end within 16


def test_a_call_older_than_any_before_may_end_any_time() -> None:
    turnover = Turnover(0.0)
    _run(turnover, 0.0, 1.0, 3)
    turnover.start(1.0)
    assert turnover.due(50.0, 0.1) == 1


def test_nothing_is_expected_before_anything_has_ended_nor_long_after_the_last_end() -> None:
    turnover = Turnover(0.0)
    turnover.start(0.0)
    assert turnover.due(1.0, 0.25) == 0
    turnover = Turnover(0.0)
    for second in range(3):
        _run(turnover, float(second), 1.0, 100)
    assert turnover.due(3.1, 0.25) == 25
    assert turnover.due(3600.0, 0.25) == 0


def test_a_call_that_was_stopped_is_expected_no_more_and_tells_nothing() -> None:
    turnover = Turnover(0.0)
    _run(turnover, 0.0, 1.0, 3)
    turnover.forget(turnover.start(1.0))
    assert turnover.due(1.99, 0.1) == 0


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 100), st.booleans()), max_size=100),
    st.floats(0, 100),
    st.floats(0, 5),
)
def test_never_more_than_all_calls_or_the_rate_are_expected(
    history: list[tuple[float, float, bool]], later: float, seconds: float
) -> None:
    turnover, now, flying, ended = Turnover(0.0), 0.0, [], 0
    for step, _, ends in history:
        now += step
        flying.append(turnover.start(now))
        if ends:
            turnover.end(flying.pop(0), now)
            ended += 1
    due = turnover.due(now + later, seconds)
    assert due >= 0
    assert ended or due == 0
