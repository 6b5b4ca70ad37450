"""How figures are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from fathom.cli.text import duration, progress_line, score, size, visible, waiting_lines
from protocol.jobs import Counts, Job, JobState, RetryPolicy, Run, WaitingReason

START = datetime(2026, 1, 1, tzinfo=UTC)


def job(**changes: object) -> Job:
    fields: dict[str, object] = {
        "id": "j",
        "benchmark": "ruler",
        "benchmark_version": "1",
        "model": "m",
        "state": JobState.RUNNING,
        "options": {},
        "run": Run(),
        "priority": 0,
        "max_concurrency": None,
        "retry": RetryPolicy(),
        "counts": Counts(planned=50, scored=12, in_flight=4, pending=34),
        "mean": 0.7166,
        "last_score": 0.85,
        "eta_seconds": 700.4,
        "created_at": START,
        "started_at": START,
    }
    return Job.model_validate({**fields, **changes})


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59.4, "59s"), (222, "3m42s"), (7500, "2h05m"), (273_600, "3d04h"), (-3, "0s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_control_characters_of_an_answer_are_shown_not_obeyed() -> None:
    assert visible("a\x1b[2J\x9b\r\nb\tæ") == "a\\x1b[2J\\x9b\\r\nb\tæ"
    assert visible(None) == ""


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (93_200_000, "93.2 MB")])
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_a_score_that_does_not_exist_is_a_dash() -> None:
    assert score(None) == "-"
    assert score(0.0) == "0.000"


def test_the_progress_line_counts_what_is_done_and_says_what_is_left() -> None:
    line = progress_line(job(), START + timedelta(seconds=222))
    assert line == "[12/50] score 0.85 | mean 0.72 | elapsed 3m42s | eta 11m40s"


def test_the_progress_line_shows_what_the_mean_leaves_out() -> None:
    counts = Counts(planned=50, scored=12, noted=2, not_a_measurement=3, failed=1, waiting=5, pending=29)
    line = progress_line(job(counts=counts), START)
    assert line.startswith("[16/50] ")
    assert line.endswith(" | 2 noted | 3 not measured | 1 failed | 5 waiting")


def test_a_finished_job_shows_its_state_and_its_whole_time() -> None:
    finished = job(state=JobState.COMPLETED, finished_at=START + timedelta(seconds=60), eta_seconds=None)
    assert progress_line(finished, START + timedelta(days=1)).endswith("elapsed 1m00s | completed")


def test_reasons_for_waiting_have_a_line_each() -> None:
    reason = WaitingReason(reason="connection refused", count=7, next_try=START)
    lines = waiting_lines(job(waiting=[reason], stalled="no answer for 5 min"))
    assert lines == [
        "7 waiting: connection refused (next try 00:00:00 UTC)",
        "stalled: no answer for 5 min",
    ]
