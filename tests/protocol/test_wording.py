"""What people read when a field is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from protocol import jobs, models, workers
from protocol.common import Message
from protocol.wording import blamed, worded

ODD: list[Any] = [
    None, 1, -1, 1.5, 10**30, float("inf"), float("nan"), True, "x", "", "x" * 500, b"x", [], [1], ["a"], [[1]], [None],
    [["a", "b"]], {}, {"a": 1}, {"a": {"b": [1]}},
]  # fmt: skip
REQUESTS = sorted(
    {kind for room in (jobs, models, workers) for kind in vars(room).values()
     if isinstance(kind, type) and issubclass(kind, Message) and kind.model_fields},
    key=lambda kind: kind.__name__,
)  # fmt: skip


def refusals(kind: type[BaseModel], data: dict[str, Any]) -> list[Any]:
    try:
        kind.model_validate(data)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
def test_no_field_of_a_request_is_refused_in_pydantics_words(kind: type[BaseModel]) -> None:
    entries = [entry for name in kind.model_fields for value in ODD for entry in refusals(kind, {name: value})]
    assert [(e["loc"], e["type"]) for e in entries if worded(e) == e["msg"]] == []
    assert all(worded(entry).startswith(("must ", "there is no ")) for entry in entries)


def test_an_unknown_field_is_met_with_the_one_that_was_probably_meant() -> None:
    [entry] = refusals(jobs.JobRequest, {"benchmark": "ruler", "model": "m", "prioritty": 1})
    assert worded(entry, jobs.JobRequest.model_fields) == "there is no such field; did you mean priority?"
    assert worded(entry) == "there is no such field"


def test_a_missing_field_blames_no_value() -> None:
    [entry] = refusals(jobs.JobRequest, {"benchmark": "ruler"})
    assert (worded(entry), blamed(entry)) == ("must be given", None)
