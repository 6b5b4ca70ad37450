"""Our scores against the reference's own scorer and evaluate.py."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.ruler.scoring import mean_percent, postprocess, score, string_match_all, string_match_part
from benchmarks.ruler.tasks import TASKS
from fathom.cli import main
from fathom.formats.ruler import write_predictions
from protocol.jobs import Job, JobState, RetryPolicy, Run, Status
from protocol.results import Result
from tests.conformance.evaluator import evaluate, per_sample_scores, reference_metrics

pytestmark = pytest.mark.conformance

_ALPHABET = "aAbBßẞ12İıΣσς \n\t-é"
_TEXT = st.text(_ALPHABET, max_size=12)


@cache
def _reference() -> ModuleType:
    return reference_metrics()


@given(
    st.lists(st.tuples(_TEXT, st.lists(st.text(_ALPHABET, min_size=1, max_size=3), min_size=1, max_size=4)), min_size=1)
)
@settings(max_examples=300, deadline=None)
def test_scores_equal_the_references_for_any_texts(pairs: list[tuple[str, list[str]]]) -> None:
    answers, expected = [postprocess(answer) for answer, _ in pairs], [texts for _, texts in pairs]
    ours = [string_match_all(answer, texts) for answer, texts in pairs]
    assert mean_percent(ours) == pytest.approx(_reference().string_match_all(answers, expected), abs=0.011)
    assert [s * 100 for s in ours] == pytest.approx(_reference().string_match_all_per_sample(answers, expected))
    any_of = [string_match_part(answer, texts) for answer, texts in pairs]
    assert mean_percent(any_of) == pytest.approx(_reference().string_match_part(answers, expected), abs=0.011)


def _job(count_invalid: str = "exclude") -> Job:
    run = Run.model_validate({"count_invalid": count_invalid})
    return Job(
        id="j", benchmark="ruler", benchmark_version="1", model="m", state=JobState.COMPLETED, options={}, run=run,
        priority=0, max_concurrency=None, retry=RetryPolicy(), counts={}, created_at=datetime.now(UTC),
    )  # fmt: skip


def _results(task: str, length: int, seed: int) -> list[Result]:
    """Results of 40 samples with answers of every sort, scored by us."""
    rng = random.Random(f"{task} {length} {seed}")
    results = []
    for index in range(40):
        expected = [str(rng.randint(10**6, 10**7)) for _ in range(rng.choice((1, 3, 10)))]
        shown = [text for text in expected if rng.random() < 0.6]
        answer = rng.choice(["", "\tThe values are: ", "  ", "Ærligt: "]) + rng.choice([", ", "\n", "\x02"]).join(shown)
        broken = rng.random() < 0.15
        status = Status.ERROR if broken else Status.OK if postprocess(answer) else Status.EMPTY_ANSWER
        value = None if broken else score(TASKS[task].metric, answer, expected)
        results.append(
            Result(
                job="j",
                cell=3,
                index=index,
                task=task,
                length=length,
                status=status,
                score=value,
                answer=None if broken else answer,
                expected=expected,
                prompt_tokens=length - 9,
                at=datetime.now(UTC),
            )
        )
    return results


def test_the_references_evaluator_reads_our_files_and_finds_our_scores(tmp_path: Path) -> None:
    results = [r for task in TASKS for length in (4096, 8192) for r in _results(task, length, 1)]
    write_predictions(_job(), results, tmp_path)
    for length in (4096, 8192):
        folder = tmp_path / str(length) / "pred"
        found = evaluate(folder)
        assert set(found) == set(TASKS)
        for task, (percent, nulls) in found.items():
            ours = [r for r in results if (r.task, r.length) == (task, length) and r.score is not None]
            assert percent == mean_percent([r.score for r in ours if r.score is not None])
            assert nulls == f"{sum(r.status is Status.EMPTY_ANSWER for r in ours)}/{len(ours)}"
            assert per_sample_scores(folder)[task] == pytest.approx([100 * (r.score or 0) for r in ours])
        scored = json.loads(CliRunner().invoke(main, ["score", "--json", str(folder)]).stdout)
        assert {s["task"]: (s["score"], f"{s['nulls']}/{s['n']}") for s in scored} == found


def test_what_is_no_measurement_scores_0_there_too_when_the_job_counts_it_so(tmp_path: Path) -> None:
    results = _results("vt", 4096, 2)
    write_predictions(_job("zero"), results, tmp_path)
    percent, nulls = evaluate(tmp_path / "4096" / "pred")["vt"]
    assert percent == mean_percent([r.score or 0.0 for r in results])
    assert nulls == f"{sum(r.status is not Status.OK for r in results)}/{len(results)}"
