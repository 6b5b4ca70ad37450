"""`fathom score`: prediction files scored by their task's metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fathom.cli import main


def _write(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _line(pred: str | None, *outputs: str, prompt: str = "") -> dict[str, Any]:
    return {
        "index": 0,
        "pred": pred,
        "input": prompt,
        "outputs": list(outputs),
        "others": {},
        "truncation": -1,
        "length": 9,
    }


def _score(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, ["score", "--json", *arguments])
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_score_nulls_and_metric_follow_from_the_file_name(tmp_path: Path) -> None:
    retrieval = _write(tmp_path / "niah_multivalue.jsonl", _line("11 and 22", "11", "22", "33", "44"), _line(None, "5"))
    answers = _write(tmp_path / "qa_1.jsonl", _line("france", "France", "Gaul"), _line(" \t", "x"), _line("no", "yes"))
    first, second = _score(str(retrieval), str(answers))
    assert (first["task"], first["metric"], first["score"], first["nulls"], first["n"]) == (
        "niah_multivalue",
        "all",
        25.0,
        1,
        2,
    )
    assert (second["task"], second["metric"], second["score"], second["nulls"], second["n"]) == (
        "qa_1",
        "part",
        33.33,
        1,
        3,
    )


def test_a_folder_is_scored_task_by_task(tmp_path: Path) -> None:
    _write(tmp_path / "4096" / "pred" / "vt.jsonl", _line("A B", "A", "B"))
    _write(tmp_path / "4096" / "pred" / "fwe.jsonl", _line("A", "A", "B"))
    _write(tmp_path / "4096" / "pred" / "not_a_measurement.jsonl", _line("", "A"))
    assert [(f["task"], f["score"]) for f in _score(str(tmp_path))] == [("fwe", 50.0), ("vt", 100.0)]


@pytest.mark.parametrize(
    ("prompt", "family", "metric"),
    [
        ("Answer …\n\nDocument 1:\nParis\n\nDocument 2:\n…", "qa", "part"),
        ("Besvar …\n\nDokument 1:\nParis", "qa", "part"),
        ("text One of the special magic numbers for a-b is: 1.", "niah", "all"),
        ("Et af de særlige magiske tal for a-b er: 1.", "niah", "all"),
        ("Memorize …\n\nVAR ABCDE = 12345\n", "vt", "all"),
        ("Below …\n1. house 2. tree 3. sky\nQuestion", "cwe", "all"),
        ("Read … ignore the dots '....'.", "fwe", "all"),
    ],
)
def test_the_family_is_told_by_the_prompt_when_the_name_says_nothing(
    tmp_path: Path, prompt: str, family: str, metric: str
) -> None:
    (found,) = _score(str(_write(tmp_path / "predictions.jsonl", _line("x", "x", prompt=prompt))))
    assert (found["task"], found["metric"]) == (family, metric)


def test_the_task_can_be_given_and_the_language_chosen(tmp_path: Path) -> None:
    path = str(_write(tmp_path / "p.jsonl", _line("BLA\u030a", "blå", "rød")))
    assert _score(path, "--task", "cwe")[0]["score"] == 0.0
    assert _score(path, "--task", "cwe", "--language", "da")[0]["score"] == 50.0


def test_the_table_shows_task_score_and_nulls(tmp_path: Path) -> None:
    path = _write(tmp_path / "vt.jsonl", _line("A", "A", "B", "C"))
    result = CliRunner().invoke(main, ["score", str(path)])
    assert result.exit_code == 0
    assert "33.33" in result.stdout
    assert "0/1" in result.stdout
    assert "string_match_all" in result.stdout


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"pred": "a", "outputs": ["a"], "input": "VAR A = 1"}\n{"pred": ', "line 2 is not JSON"),
        ("[1]\n", "line 1 is not a JSON object"),
        ('{"answer": "a", "outputs": ["a"]}\n', "line 1: no field `pred`"),
        ('{"pred": "a", "outputs": []}\n', "`outputs` must be a list of one or more texts"),
        ('{"pred": 7, "outputs": ["a"]}\n', "`pred` must be a text or null, not 7"),
        ("\n", "no predictions in it"),
        ('{"pred": "a", "outputs": ["a"], "input": "?"}\n', "give --task"),
    ],
)
def test_a_file_that_is_no_prediction_file_is_refused_with_the_line(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(text)
    result = CliRunner().invoke(main, ["score", str(path)])
    assert result.exit_code == 2
    assert part in result.stderr
