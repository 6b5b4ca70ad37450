"""What a watcher prints where no terminal is: a line a change."""

from __future__ import annotations

import pytest

from fathom.cli.watch import Display
from protocol.jobs import Counts, JobDetail
from tests.fathom.test_text import job


def detail(scored: int, **fields: object) -> JobDetail:
    return JobDetail(**{**job(**fields).model_dump(), "counts": Counts(planned=4, scored=scored, pending=4 - scored)})


def test_a_warning_is_said_once_and_what_did_not_change_is_not_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = ["beyond the window", "no tokenizer"]
    with Display() as display:
        for scored in (0, 0, 1, 2):
            display.show(detail(scored, warnings=warnings[: 1 + (scored > 0)]))
    printed = capsys.readouterr()
    assert [line.split()[0] for line in printed.out.splitlines()] == ["[0/4]", "[1/4]", "[2/4]"]
    assert printed.err.splitlines() == [f"fathom: warning: {warning}" for warning in warnings]


def test_an_outage_is_said_once_until_it_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    with Display() as display:
        for _ in range(3):
            display.gap("no answer")
        display.show(detail(1))
        display.gap("no answer")
    assert capsys.readouterr().err.splitlines() == ["fathom: no answer; trying again"] * 2
