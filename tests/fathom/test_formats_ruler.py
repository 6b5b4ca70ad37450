"""Prediction files in the reference's format (its own evaluate.py reads them in tests/conformance)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import BadInput
from fathom.formats.ruler import read_lines, write_predictions
from protocol.jobs import Job, JobState, RetryPolicy, Run, Status
from protocol.results import Result


def _job(**run: Any) -> Job:
    return Job(
        id="j", benchmark="ruler", benchmark_version="1", model="m", state=JobState.COMPLETED, options={},
        run=Run.model_validate(run), priority=0, max_concurrency=None, retry=RetryPolicy(), counts={},
        created_at=datetime.now(UTC),
    )  # fmt: skip


def _result(index: int, status: Status = Status.OK, answer: str | None = "It is 11.", **changes: Any) -> Result:
    fields: dict[str, Any] = {
        "job": "j", "cell": 2, "index": index, "task": "niah_single_1", "length": 4096, "status": status,
        "score": 1.0 if status is Status.OK else None, "answer": answer, "expected": ["11"], "prompt_tokens": 3960,
        "at": datetime.now(UTC),
    }  # fmt: skip
    return Result(**{**fields, **changes})


def _read(path: Path) -> list[dict[str, Any]]:
    return [line for _, line in read_lines(path)]


def test_a_line_has_the_references_fields_in_its_order(tmp_path: Path) -> None:
    (path,) = write_predictions(_job(), [_result(7, variant={"depth": 50}, prompt_sha256="ab" * 32)], tmp_path)
    assert path == tmp_path / "4096" / "pred" / "niah_single_1.jsonl"
    (line,) = _read(path)
    assert list(line) == ["index", "pred", "input", "outputs", "others", "truncation", "length"]
    assert (line["index"], line["pred"], line["outputs"], line["truncation"]) == (0, "It is 11.", ["11"], -1)
    assert line["others"] == {"id": "2-7", "status": "ok", "prompt_sha256": "ab" * 32, "depth": 50}


def test_there_is_a_folder_a_length_and_a_file_a_task(tmp_path: Path) -> None:
    results = [_result(0), _result(0, task="vt"), _result(1, length=8192), _result(1)]
    assert write_predictions(_job(), results, tmp_path) == [
        tmp_path / "4096" / "pred" / "niah_single_1.jsonl",
        tmp_path / "4096" / "pred" / "vt.jsonl",
        tmp_path / "8192" / "pred" / "niah_single_1.jsonl",
    ]
    assert [line["index"] for line in _read(tmp_path / "4096" / "pred" / "niah_single_1.jsonl")] == [0, 1]


@pytest.mark.parametrize("task", ["../elsewhere", "/etc/passwd", "a/b"])
def test_no_task_leads_out_of_the_folder(tmp_path: Path, task: str) -> None:
    with pytest.raises(BadInput, match="name of a file"):
        write_predictions(_job(), [_result(0, task=task)], tmp_path / "out")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_is_no_measurement_stands_beside_the_file(tmp_path: Path) -> None:
    results = [_result(0), _result(1, Status.TRUNCATED_PROMPT, "cut"), _result(2, Status.ERROR, None)]
    write_predictions(_job(), results, tmp_path)
    folder = tmp_path / "4096" / "pred"
    assert len(_read(folder / "niah_single_1.jsonl")) == 1
    assert [(n["pred"], n["others"]["status"]) for n in _read(folder / "not_a_measurement.jsonl")] == [
        ("", "truncated_prompt"), ("", "error"),
    ]  # fmt: skip


def test_a_job_that_counts_it_as_zero_keeps_it_with_an_empty_prediction(tmp_path: Path) -> None:
    (path,) = write_predictions(_job(count_invalid="zero"), [_result(0), _result(1, Status.ERROR, "x")], tmp_path)
    assert [line["pred"] for line in _read(path)] == ["It is 11.", ""]


def test_prompts_go_in_when_they_are_given_and_text_is_escaped(tmp_path: Path) -> None:
    (path,) = write_predictions(_job(), [_result(0, answer="blå")], tmp_path, prompt_of=lambda r: f"prompt {r.index}")
    assert path.read_text() == path.read_text().encode("ascii").decode()
    (line,) = _read(path)
    assert (line["input"], line["pred"]) == ("prompt 0", "blå")


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"a": 1}) + "\n\nnope\n")
    with pytest.raises(ValueError, match="line 3 is not JSON"):
        list(read_lines(path))
