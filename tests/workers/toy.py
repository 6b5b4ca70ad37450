"""A benchmark that needs nothing, and jobs of it as a worker holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from benchmarks.base import AssetNeed, Block, Cell, CellScores, Prompt, Resources, Sample, Score
from protocol.jobs import RetryPolicy
from protocol.models import ApiKind, ModelRequest
from protocol.workers import CellSpec, JobSpec
from workers.jobs import OpenJob
from workers.runner import Item

FILLER = "The grass is green. The sky is blue. "


class ToyOptions(BaseModel):
    repeats: int = 20
    breaks_at: int = -1


class ToyBenchmark:
    """A needle at the start of repeated sentences; sample `breaks_at` cannot be built."""

    name, version, title = "toy", "1", "Toy"
    options_model = ToyOptions

    def tasks(self) -> Sequence[str]:
        return ["needle"]

    def cells(self, options: ToyOptions) -> list[Cell]:
        return [Cell("needle", 100, 100)]

    def needs(self, options: ToyOptions) -> list[AssetNeed]:
        return []

    def open(self, options: ToyOptions, resources: Resources) -> ToySource:
        return ToySource(options)

    def score(self, options: ToyOptions, cell: Cell, sample: Sample, answer: str) -> Score:
        return Score(float(sample.expected[0] in answer))

    def summarise(self, options: ToyOptions, cells: Sequence[CellScores]) -> list[Block]:
        return []


class ToySource:
    def __init__(self, options: ToyOptions) -> None:
        self._options = options

    def check(self, cell: Cell) -> None:
        """Every cell can be built."""

    def sample(self, cell: Cell, index: int) -> Sample:
        if index == self._options.breaks_at:
            raise ValueError(f"no sample {index}")
        value = str(1000 + index)
        text = f"One of the special magic numbers for key-{index} is: {value}. {FILLER * self._options.repeats}"
        question = f"\nWhat is the special magic number for key-{index} mentioned in the provided text?"
        prompt = Prompt(text + question, " It is", context=(0, len(text)), question=(len(text), len(text + question)))
        return Sample(prompt, (value,), 16, words(prompt.text), {"depth": 0})


def words(text: str) -> int:
    """The tokenizer of these tests."""
    return len(text.split())


def open_job(base_url: str | None = None, *, options: dict[str, Any] | None = None, **run: Any) -> OpenJob:
    """A job of the toy benchmark on a model at that address; `run` are fields of its `Run`."""
    spec = JobSpec.model_validate(
        {
            "id": "j",
            "benchmark": "toy",
            "benchmark_version": "1",
            "options": options or {},
            "run": run,
            "retry": RetryPolicy(),
            "model_name": "m",
            "model": ModelRequest(name="m", api=ApiKind.OPENAI_CHAT, base_url=base_url),
        }
    )
    parsed = ToyOptions.model_validate(spec.options)
    return OpenJob(spec, ToyBenchmark(), parsed, ToySource(parsed))


def item(index: int, lease: int = 1, job: str = "j") -> Item:
    return Item(lease, job, CellSpec(cell=0, task="needle", length=100, size=100), index, generation=0, attempt=1)
