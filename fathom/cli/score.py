"""`fathom score`: scores a file of predictions, as RULER's evaluate.py does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.ruler.scoring import mean_percent, postprocess
from benchmarks.ruler.scoring import score as score_answer
from benchmarks.ruler.tasks import TASKS, Metric
from fathom.cli.common import json_option, print_json, print_table
from fathom.errors import BadInput


@dataclass(frozen=True, slots=True)
class FileScore:
    """What one file scores; `score` in percent, `nulls` empty predictions of `n`."""

    file: str
    task: str
    metric: Metric
    score: float
    nulls: int
    n: int


@click.command("score")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--task", type=click.Choice(list(TASKS)), help="The task; default: by file name, else by content.")
@click.option("--language", default="en", show_default=True, help="Whose comparison to use: en lower case, da NFKC …")
@json_option
def score(files: Sequence[Path], task: str | None, language: str, as_json: bool) -> None:
    """Score prediction FILES (JSONL with `pred` and `outputs`), or all `<task>.jsonl` of a folder.

    Retrieval, tracing and aggregation tasks: share of expected texts found; QA tasks: any of them found. An empty
    prediction is counted as null and scores 0, as in the reference.
    """
    from benchmarks.errors import OptionsError
    from benchmarks.ruler import languages

    try:
        normalise = languages.load(language).normalise
    except OptionsError as error:
        raise BadInput(str(error)) from error
    found = [_score_file(path, task, normalise) for path in _expand(files)]
    if as_json:
        print_json([{name: getattr(f, name) for name in FileScore.__slots__} for f in found])
        return
    rows = [[f.file, f.task, f"{f.score:.2f}", f"{f.nulls}/{f.n}", f"string_match_{f.metric}"] for f in found]
    print_table(("file", "task", "score", "nulls", "metric"), rows, right=("score", "nulls"))


def _expand(files: Sequence[Path]) -> list[Path]:
    paths: list[Path] = []
    for path in files:
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*.jsonl")) if p.stem in TASKS]
            if not inside:
                raise BadInput(f"{path}: no file there is named after a task ({', '.join(TASKS)})")
            paths += inside
        else:
            paths.append(path)
    return paths


def _score_file(path: Path, task: str | None, normalise: Any) -> FileScore:
    """Score line by line: prompts may be megabytes each, and none but the first is looked at."""
    name, metric = (task, TASKS[task].metric) if task else ("", "all")
    scores: list[float] = []
    nulls = 0
    for answer, outputs, prompt in _read(path):
        if not name:
            name, metric = _task_of(path, prompt)
        scores.append(score_answer(metric, answer, outputs, normalise))
        nulls += not postprocess(answer)
    if not scores:
        raise BadInput(f"{path}: no predictions in it")
    return FileScore(str(path), name, metric, mean_percent(scores), nulls, len(scores))


def _read(path: Path) -> Iterator[tuple[str, list[str], str]]:
    """(prediction, expected, input) of each line; raises BadInput that names the line."""
    from fathom.formats.ruler import read_lines

    try:
        for number, line in read_lines(path):
            yield _checked(path, number, line)
    except (ValueError, OSError) as error:
        raise BadInput(f"{path}: {error}") from error


def _checked(path: Path, number: int, line: dict[str, Any]) -> tuple[str, list[str], str]:
    where = f"{path}: line {number}"
    if "pred" not in line:
        raise BadInput(
            f"{where}: no field `pred`; a prediction file has `pred` (the answer) and `outputs` on each line"
        )
    outputs = line.get("outputs", [line["output"]] if "output" in line else None)
    if not isinstance(outputs, list) or not outputs or not all(isinstance(text, str) and text for text in outputs):
        raise BadInput(f"{where}: `outputs` must be a list of one or more texts, not {outputs!r}")
    if not isinstance(line["pred"], str | None):
        raise BadInput(f"{where}: `pred` must be a text or null, not {line['pred']!r}")
    return line["pred"] or "", outputs, str(line.get("input", ""))


def _task_of(path: Path, prompt: str) -> tuple[str, Metric]:
    """Task and metric by the file's name (`vt.jsonl`, `vt-0.jsonl`, `vt/validation.jsonl`), else family by its prompts."""
    stem = re.sub(r"-\d+$", "", path.stem)
    for name in (stem, path.parent.name):
        if name in TASKS:
            return name, TASKS[name].metric
    family = _family_of(prompt)
    if family is None:
        raise BadInput(f"{path}: can't tell the task by its name or content; give --task")
    return family, "part" if family == "qa" else "all"


def _family_of(prompt: str) -> str | None:
    """The family of tasks a prompt is from, in any language, by what its context holds."""
    from benchmarks.ruler import languages

    spoken = [languages.load(code) for code in languages.names()]
    if any(language.document.format(i=1, document="") in prompt for language in spoken):
        return "qa"
    if any(language.needle.partition("{")[0] in prompt for language in spoken):
        return "niah"
    if re.search(r"\bVAR [A-Z]+ = ", prompt):
        return "vt"
    if re.search(r"^1\. \S+ 2\. ", prompt, re.MULTILINE):
        return "cwe"
    return "fwe" if "'....'" in prompt else None
