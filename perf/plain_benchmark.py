"""A benchmark that costs next to nothing to build and score, so that what is measured is the way of a sample, not its making.

`plugged_in(folder)` gives the PYTHONPATH with which the processes of a Fathom find it as benchmark `plain`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from benchmarks.base import AssetNeed, Block, Cell, CellScores, Prompt, Resources, Sample, Score

_FILLER = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "


class PlainOptions(BaseModel):
    """Samples of one cell, and how long their prompts are."""

    samples: int = Field(default=1000, ge=1)
    characters: int = Field(default=2000, ge=300)


class PlainBenchmark:
    """A needle in repeated sentences; the text around it is made once."""

    name, version, title = "plain", "1", "A needle in repeated sentences"
    options_model = PlainOptions

    def tasks(self) -> Sequence[str]:
        return ["needle"]

    def cells(self, options: PlainOptions) -> list[Cell]:
        return [Cell("needle", options.characters, options.samples)]

    def needs(self, options: PlainOptions) -> list[AssetNeed]:
        return []

    def open(self, options: PlainOptions, resources: Resources) -> PlainSource:
        return PlainSource((_FILLER * (options.characters // len(_FILLER) + 1))[: options.characters - 200])

    def score(self, options: PlainOptions, cell: Cell, sample: Sample, answer: str) -> Score:
        return Score(float(sample.expected[0] in answer))

    def summarise(self, options: PlainOptions, cells: Sequence[CellScores]) -> list[Block]:
        return []


class PlainSource:
    """Holds the text that all prompts share."""

    def __init__(self, text: str) -> None:
        self._text = text

    def check(self, cell: Cell) -> None:
        """Every cell can be built."""

    def sample(self, cell: Cell, index: int) -> Sample:
        key, value = f"key-{index}", str(1_000_000 + index)
        needle = f"One of the special magic numbers for {key} is: {value}. "
        question = f"\nWhat is the special magic number for {key} mentioned in the provided text?"
        text = needle + self._text + question
        detail: dict[str, Any] = {"depth": 0}
        return Sample(Prompt(text, " It is"), (value,), 16, len(text) // 4, detail)


BENCHMARK = PlainBenchmark()


def plugged_in(folder: Path) -> dict[str, str]:
    """Write the entry point into `folder`; returns the environment that makes it known."""
    metadata = folder / "fathom_plain-1.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: fathom-plain\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[fathom.benchmarks]\nplain = perf.plain_benchmark:BENCHMARK\n")
    root = Path(__file__).parents[1]
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(root)])}
