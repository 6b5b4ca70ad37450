"""The contract between a benchmark and everything that runs it.

A benchmark knows which cells its options make, builds any sample of a cell by its index alone, scores an answer and
summarises scores into blocks that every front end renders. All of it is a pure function of (options, tokenizer,
corpora, seed, cell, index).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel

JsonDict = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of a job's grid. `variant` holds whatever else the benchmark varies (JSON values); `size` samples."""

    task: str
    length: int
    size: int
    variant: JsonDict = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked.

    `input` is the user's turn without the answer prefix. `context` and `question` are the (start, stop) character
    spans of `input` that hold the long context and the question, for programs and span queries that take them apart;
    `independent` are spans of the context that need not attend to each other (documents).
    """

    input: str
    answer_prefix: str = ""
    system: str | None = None
    context: tuple[int, int] | None = None
    question: tuple[int, int] | None = None
    independent: tuple[tuple[int, int], ...] = ()

    @property
    def text(self) -> str:
        """Input and answer prefix as one text."""
        return self.input + self.answer_prefix


@dataclass(frozen=True, slots=True)
class Sample:
    """One prompt with what is expected.

    `tokens` is the exact count of `prompt.text` (no BOS, no chat wrapper); `max_tokens` the answer budget. `detail`
    goes into the result: needles with depth, position of the answer, which corpus was used (JSON values).
    """

    prompt: Prompt
    expected: tuple[str, ...]
    max_tokens: int
    tokens: int
    detail: JsonDict = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Score:
    """0 to 1, and what else the benchmark says of the answer (JSON values).

    `group` in the detail is a text: the sample is also counted under that name in `CellScores.groups`.
    """

    value: float
    detail: JsonDict = field(default_factory=dict)


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text as the model will see it, without special tokens."""

    @property
    def identity(self) -> str:
        """What names it in results: the SHA-256 of its file, or `server:<model>`."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class AssetNeed:
    """A file a benchmark needs with these options.

    `role` is the key under which it is given (`essays`, `squad`, …); `kind` one of corpus, dataset, words;
    `name` the registered asset that serves when the user names none; `hint` the command that installs it. An
    `optional` one serves when it is registered; without it the benchmark does what it can and `Source.check` says
    what it can't.
    """

    role: str
    kind: str
    name: str
    hint: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Resources:
    """What samples are built from: local files by role with their names and hashes, the token counter, a cache folder.

    `overhead_tokens` is what the model's chat wrapper and BOS add to every prompt (measured once per model).
    """

    counter: TokenCounter
    files: Mapping[str, Path] = field(default_factory=dict)
    sha256: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    cache: Path | None = None
    overhead_tokens: int = 0


class Source(Protocol):
    """A benchmark opened with its options and resources; safe to use from several threads."""

    def check(self, cell: Cell) -> None:
        """Raise OptionsError when no sample of the cell can be built (too short, too few words, …)."""

    def sample(self, cell: Cell, index: int) -> Sample:
        """Build sample `index` of the cell without building any other."""


@dataclass(frozen=True, slots=True)
class CellScores:
    """All that is stored of a cell's results: how many ended in each status, and how often each score occurs.

    `scores` maps a score to its count over the measurements (what is not a measurement is not in it, unless the job
    counts it as zero).
    """

    cell: Cell
    planned: int
    statuses: Mapping[str, int]
    scores: Mapping[float, int]
    groups: Mapping[str, Mapping[float, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; a cell is text, a number or null. `notes` name the methods behind the figures."""

    id: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | int | None]]
    notes: Sequence[str] = ()
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class HeatMap:
    """`values[y][x]`, 0 to 1 or null where nothing is measured; `counts[y][x]` measurements behind each."""

    id: str
    title: str
    x_label: str
    y_label: str
    x: Sequence[str]
    y: Sequence[str]
    values: Sequence[Sequence[float | None]]
    counts: Sequence[Sequence[int]]
    notes: Sequence[str] = ()
    kind: str = "heatmap"


@dataclass(frozen=True, slots=True)
class Series:
    """A line: points (x, y, low, high), the last two the 95 % interval or null."""

    name: str
    points: Sequence[tuple[float, float | None, float | None, float | None]]


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines over a numeric x."""

    id: str
    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    log_x: bool = False
    threshold: float | None = None
    notes: Sequence[str] = ()
    kind: str = "curve"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A conclusion: a figure with its 95 % interval where it has one, its unit, and the rule that gave it."""

    id: str
    title: str
    value: str | float | int | None
    unit: str = ""
    interval: tuple[float, float] | None = None
    notes: Sequence[str] = ()
    kind: str = "verdict"


Block = Table | HeatMap | Curve | Verdict


class Benchmark(Protocol):
    """A family of tasks. Instances hold no state."""

    name: str
    version: str
    title: str
    options_model: type[BaseModel]

    def tasks(self) -> Sequence[str]: ...

    def cells(self, options: Any) -> list[Cell]:
        """The grid, in the order in which it is worked through. Raises OptionsError."""

    def needs(self, options: Any) -> list[AssetNeed]: ...

    def open(self, options: Any, resources: Resources) -> Source:
        """Load what samples are built from. May take a second; call it in a thread."""

    def score(self, options: Any, cell: Cell, sample: Sample, answer: str) -> Score:
        """Score a visible answer (thinking already taken off)."""

    def summarise(self, options: Any, cells: Sequence[CellScores]) -> list[Block]: ...
