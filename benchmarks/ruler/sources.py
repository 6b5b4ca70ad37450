"""RULER opened with its options and files: builds any sample of any cell."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from benchmarks.base import Cell, JsonDict, Resources, Sample, Source
from benchmarks.errors import OptionsError
from benchmarks.ruler import languages
from benchmarks.ruler.common_words import Common, WordsParameters
from benchmarks.ruler.documents import Documents
from benchmarks.ruler.files import Files
from benchmarks.ruler.fitting import Draft, Meter, TooSmall, calibrate, fit, smallest
from benchmarks.ruler.frames import Frame
from benchmarks.ruler.frequent_words import Coded, CodedParameters
from benchmarks.ruler.haystacks import Essays
from benchmarks.ruler.listed_words import list_words
from benchmarks.ruler.niah import Niah, NiahParameters
from benchmarks.ruler.options import RulerOptions, TaskSettings, settings
from benchmarks.ruler.question_answering import Answering, DocumentCosts, check_documents
from benchmarks.ruler.streams import Draws
from benchmarks.ruler.tasks import TASKS
from benchmarks.ruler.variable_tracking import Tracking, TrackingParameters
from benchmarks.ruler.words import Kind, Numbers, Pairs, uuid_pool

_FIRST, _MOST = 8, 2000  # samples that `check` looks at: at least, and at most
_SHORT, _REPEATS, _SHORT_REPEATS = 4096, (30, 3), (6, 1)  # cwe below 4096 tokens, as in the reference
_SMALLER = {
    "niah": "fewer needles (num_needle_k, num_needle_v)",
    "vt": "fewer num_chains or num_hops",
    "cwe": "num_fewshot 0 (no worked example), a smaller freq_cw or num_cw",
}  # what makes a family's fixed parts shorter


class Builder(Protocol):
    """Makes drafts of one cell; `exact` when their token sums are counts."""

    exact: bool

    def build(self, draws: Draws, budget: int, index: int) -> Draft: ...


@dataclass(slots=True)
class _Opened:
    """A cell's builder, and the true count over the sum of pieces where sums are estimates.

    `order` gives those of the first so many samples that stand for all, the largest first where that is known. None
    needs `spread` times the tokens that the neediest of the first eight does: most differ by a few names only.
    """

    builder: Builder
    frame: Frame
    detail: JsonDict
    order: Callable[[int], Sequence[int]] = range
    spread: float = 1.25
    ratio: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class IndependentSource:
    """The default stream: every sample is drawn from (seed, task, length, variant, index) alone. Thread-safe."""

    def __init__(self, options: RulerOptions, resources: Resources) -> None:
        self.options, self.resources = options, resources
        self.language = languages.opened(options.language, resources.files)
        self.files = Files(resources)
        self.meter = Meter(resources.counter, self.files.cache)
        self._lock = threading.RLock()
        self._cells: dict[tuple[str, int, float | None], _Opened] = {}
        self._essays: Essays | None = None
        self._pairs: Pairs | None = None
        self._documents: dict[str, tuple[Documents, DocumentCosts]] = {}

    def check(self, cell: Cell) -> None:
        """Raise OptionsError when the cell's length is too small for a sample of it, naming the smallest that does, or
        when words or keys run out before it is filled.

        Exact for cells of up to 2000 samples. Of larger ones that are so tight, it wants some tokens more.
        """
        opened = self._open(cell)
        order, budget = opened.order(cell.size), opened.frame.budget
        needs = [self._need(opened, self._build(cell, opened, index)) for index in order[:_FIRST]]
        if max(needs) * opened.spread > budget:
            needs += [self._need(opened, self._build(cell, opened, index)) for index in order[_FIRST:_MOST]]
        unseen = len(order) > _MOST and len(needs) > _FIRST
        needed = max(needs) + (math.ceil(3 * np.std(needs)) if unseen else 0)
        if needed > budget:
            raise self._too_short(cell, opened, needed)
        smallest(self._build(cell, opened, 0), budget)

    def _build(self, cell: Cell, opened: _Opened, index: int) -> Callable[[int], Draft]:
        return lambda budget: opened.builder.build(self._draws(cell, index), budget, index)

    def _need(self, opened: _Opened, build: Callable[[int], Draft]) -> int:
        """The fewest tokens a sample takes."""
        if not opened.builder.exact:
            return self.meter.counter.count(smallest(build).prompt.text)
        try:
            return build(0).tokens
        except TooSmall as small:
            return small.needed

    def sample(self, cell: Cell, index: int) -> Sample:
        """Build one sample. Raises OptionsError when the cell's length is too small for it."""
        opened = self._open(cell)
        build, frame = self._build(cell, opened, index), opened.frame
        try:
            ratio = 1.0 if opened.builder.exact else self._ratio(cell, opened)
            sample = fit(build, frame.budget, frame.max_tokens, self.meter, opened.builder.exact, ratio)
        except TooSmall as small:
            raise self._too_short(cell, opened, small.needed) from small
        sample.detail.update(opened.detail, language=self.language.describe())
        return sample

    def _too_short(self, cell: Cell, opened: _Opened, needed: int) -> OptionsError:
        least = needed + cell.length - opened.frame.budget
        smaller = _SMALLER.get(TASKS[cell.task].family)
        ways = f"give {smaller}, or leave it out of `tasks`" if smaller else "or leave it out of `tasks`"
        message = f"too short for {cell.task}: with this tokenizer at least {least}; {ways}"
        return OptionsError("lengths", cell.length, message)

    def _ratio(self, cell: Cell, opened: _Opened) -> float:
        with opened.lock:
            if opened.ratio is None:

                def build(budget: int) -> Draft:
                    return opened.builder.build(self._draws(cell, -1), budget, 0)

                opened.ratio = calibrate(build, opened.frame.budget, self.meter)
            return opened.ratio

    def _draws(self, cell: Cell, index: int) -> Draws:
        return Draws(self.options.seed, cell.task, cell.length, cell.variant, index)

    def _open(self, cell: Cell) -> _Opened:
        key = (cell.task, cell.length, cell.variant.get("depth"))
        with self._lock:
            if key not in self._cells:
                self._cells[key] = self._make(cell)
            return self._cells[key]

    def _make(self, cell: Cell) -> _Opened:
        task = settings(self.options, cell.task)
        free = cell.length - task.output_tokens - self.options.buffer - self.resources.overhead_tokens
        frame = Frame(self.language, self.options.profile, self.options.template(), free, task.output_tokens)
        makers = {
            "niah": self._niah, "vt": self._tracking, "cwe": self._common, "fwe": self._coded, "qa": self._answering,
        }  # fmt: skip
        return makers[task.task.family](cell, task, frame)

    def _niah(self, cell: Cell, task: TaskSettings, frame: Frame) -> _Opened:
        depth = cell.variant.get("depth")
        parameters = NiahParameters(
            task.haystack or "noise", task.key_kind, task.value_kind, task.keys, task.values, task.queries, depth
        )
        kinds = (self._kind(task.key_kind, cell.length), self._kind(task.value_kind, cell.length))
        essays = self.essays() if task.haystack == "essay" else None
        detail = self.files.describe("essays") if essays else {}
        if "words" in (task.key_kind, task.value_kind):
            detail = {**detail, "words": [self.language.words(role).named() for role in ("first", "second")]}
        return _Opened(Niah(frame, parameters, self.meter, kinds, essays), frame, detail)

    def _tracking(self, cell: Cell, task: TaskSettings, frame: Frame) -> _Opened:
        essays = self.essays() if task.haystack == "essay" else None
        parameters = TrackingParameters(self.options.num_chains, self.options.num_hops)
        detail = self.files.describe("essays") if essays else {}
        return _Opened(Tracking(frame, parameters, self.meter, essays), frame, detail)

    def _common(self, cell: Cell, task: TaskSettings, frame: Frame) -> _Opened:
        options, short = self.options, cell.length < _SHORT
        usual = (options.freq_cw, options.freq_ucw) == _REPEATS
        repeats = _SHORT_REPEATS if short and usual else (options.freq_cw, options.freq_ucw)
        example = (20, 3, 1) if short else (40, 10, 3)
        example = (max(example[0], 2 * options.num_cw), *example[1:])
        parameters = WordsParameters(*repeats, options.num_cw, options.num_fewshot, example)
        lists, words = list_words(self.language, parameters, frame.budget, self.meter, self.files, cell.length)
        return _Opened(Common(frame, parameters, self.meter, words), frame, {"words": [used.named() for used in lists]})

    def _coded(self, cell: Cell, task: TaskSettings, frame: Frame) -> _Opened:
        options = self.options
        size = options.vocab_size or max(10, (cell.length - task.output_tokens) // 50)
        parameters = CodedParameters(options.alpha, options.coded_wordlen, size)
        return _Opened(Coded(frame, parameters, self.meter), frame, {})

    def _answering(self, cell: Cell, task: TaskSettings, frame: Frame) -> _Opened:
        role = task.task.dataset or ""
        with self._lock:
            if role not in self._documents:
                documents = self.files.documents(role)
                costs = DocumentCosts(documents, self.meter, self.files.cache, self.files.sha256(role))
                self._documents[role] = documents, costs
        documents, costs = self._documents[role]
        check_documents(self.options.documents, documents)
        builder = Answering(frame, self.options.documents, self.meter, documents, costs)
        return _Opened(builder, frame, self.files.describe(role), builder.largest_first, spread=8)

    def _kind(self, kind: str, length: int) -> Kind:
        if kind == "numbers":
            return Numbers()
        if kind == "uuids":
            return uuid_pool(max(1024, 1 << (length // 16 - 1).bit_length()))
        with self._lock:
            if self._pairs is None:
                self._pairs = Pairs(self.language.words("first").words, self.language.words("second").words)
            return self._pairs

    def essays(self) -> Essays:
        """The essays, loaded once."""
        with self._lock:
            if self._essays is None:
                self._essays = self.files.essays(self.language.splitter, self.meter)
            return self._essays


def open_source(options: RulerOptions, resources: Resources) -> Source:
    """RULER's samples for these options. Raises MissingAsset and InvalidAsset for files it can't use."""
    if options.stream == "reference":
        from benchmarks.ruler.reference.source import ReferenceSource  # few need it

        return ReferenceSource(options, resources)
    return IndependentSource(options, resources)
