"""RULER's own files: data sets that its client reads, and predictions that its evaluate.py scores.

Field names and their order are the reference's (NVIDIA/RULER at c3f5e3b, scripts/data/synthetic/*.py and
scripts/pred/call_api.py; profile `paper`: b28e81a).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from benchmarks.base import Sample, TokenCounter
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.tasks import TASKS
from fathom.errors import BadInput
from protocol.jobs import MEASURED, Job
from protocol.results import Result

UNMEASURED = "not_a_measurement"


def dataset_line(sample: Sample, index: int, task: str, options: RulerOptions, counter: TokenCounter) -> dict[str, Any]:
    """A line of `validation.jsonl`. `length` counts prompt, answer prefix and answer budget in tokens.

    In the reference's stream and profile `head`, a NIAH line's `index` is, as there, the position of the first
    answer in characters; in our own stream it is the sample's index.
    """
    prompt, detail = sample.prompt, sample.detail
    index = detail.get("index", index)
    length = detail.get("length", sample.tokens + sample.max_tokens)
    outputs = list(sample.expected)
    if options.profile == "paper":
        return {"index": index, "input": prompt.text, "outputs": outputs, "length": length}
    line: dict[str, Any] = {
        "index": index,
        "input": prompt.input,
        "outputs": outputs,
        "length": length,
        "length_w_model_temp": length,
        "answer_prefix": prompt.answer_prefix,
    }
    if TASKS[task].family == "niah":
        position = detail.get("token_position_answer")
        if position is None:
            position = counter.count(prompt.input[: prompt.input.find(outputs[0])])
        line["token_position_answer"] = position
    return line


def encode(line: dict[str, Any]) -> str:
    """JSON with ASCII escapes, as the reference writes it."""
    return json.dumps(line, ensure_ascii=True)


def prediction_line(result: Result, index: int, prompt: str = "") -> dict[str, Any]:
    """A line of `<task>.jsonl`. What is not a measurement has an empty prediction; `others.id` addresses the sample."""
    measured = result.status in MEASURED
    return {
        "index": index,
        "pred": (result.answer or "") if measured else "",
        "input": prompt,
        "outputs": result.expected,
        "others": {
            "id": f"{result.cell}-{result.index}",
            "status": result.status.value,
            "prompt_sha256": result.prompt_sha256,
            **result.variant,
        },
        "truncation": -1,
        "length": result.prompt_tokens,
    }


def write_predictions(
    job: Job, results: Iterable[Result], folder: Path, prompt_of: Callable[[Result], str] | None = None
) -> list[Path]:
    """Write `<folder>/<length>/pred/<task>.jsonl` and return the paths, sorted.

    The reference scores every line of a file, so that a file holds measurements alone, and its scores equal ours;
    what is not a measurement stands in `not_a_measurement.jsonl` beside it, which evaluate.py leaves alone. When the
    job counts it as zero it is in the task's file, with an empty prediction. Without `prompt_of` the `input` fields,
    which the reference does not score, are empty. Raises BadInput for a task whose name is none for a file.
    """
    keep_all = job.run.count_invalid == "zero"
    written: dict[Path, int] = {}
    with ExitStack() as stack:
        files: dict[Path, IO[str]] = {}
        for result in results:
            name = result.task if keep_all or result.status in MEASURED else UNMEASURED
            if Path(f"{name}.jsonl").name != f"{name}.jsonl":
                raise BadInput(f"task {name!r} can't be the name of a file")
            path = folder / str(result.length) / "pred" / f"{name}.jsonl"
            if path not in files:
                path.parent.mkdir(parents=True, exist_ok=True)
                files[path] = stack.enter_context(path.open("w", encoding="utf-8"))
            line = prediction_line(result, written.get(path, 0), prompt_of(result) if prompt_of else "")
            files[path].write(encode(line) + "\n")
            written[path] = written.get(path, 0) + 1
    return sorted(written)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a JSONL file; raises ValueError that names the line."""
    with path.open(encoding="utf-8") as lines:
        for number, text in enumerate(lines, start=1):
            if not text.strip():
                continue
            try:
                value = json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON: {error}") from error
            if not isinstance(value, dict):
                raise ValueError(f"line {number} is not a JSON object")
            yield number, value
