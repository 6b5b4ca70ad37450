"""Fitting prompts into token budgets without tokenising them whole.

A prompt is cut at starts of lines and words. On tokenizers whose counts add up there (`benchmarks.tokenizers`) the
count of a prompt is the sum of its pieces' counts, most of which are known from tables; only what is new in a sample
is tokenised. On other tokenizers the sum is an estimate that one count of the whole prompt checks and corrects.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.base import JsonDict, Prompt, Sample, TokenCounter
from benchmarks.errors import BenchmarkError
from benchmarks.ruler.cache import Cache
from benchmarks.tokenizers import ANCHORS, Cut, TokenizerFile

Costs = NDArray[np.int64]
_REMEMBERED = 1000  # characters
_CALIBRATION = "One of the special magic numbers for fresh-herring is: 4938271. The grass is green. The sky is blue.\n"


class TooSmall(BenchmarkError):
    """A budget below what the fixed parts of a sample take; `needed` tokens would do."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"needs {needed} tokens")
        self.needed = needed


class Meter:
    """Token counts of pieces of a prompt: what each adds where it stands.

    `start` counts a text at the beginning of a prompt; `space`, `line` and `hyphen` count what a piece adds after the
    cut of that name (`benchmarks.tokenizers.Cut`), `end` what the last piece adds. A piece that ends with newlines is
    followed by a visible character. The counts are exact where `exact` says so, else estimates. `kept` counts are
    those of long lists that come again in every process: with a cache they are made once a tokenizer.
    """

    def __init__(self, counter: TokenCounter, cache: Cache | None = None) -> None:
        self.counter = counter
        self._cache = cache
        self._file = counter if isinstance(counter, TokenizerFile) else None
        self._additions = self._file.additions if self._file else {}
        tails = {cut: addition.tail for cut, addition in self._additions.items()}
        self._tails = (tails.get(Cut.LINE, ""), tails.get(Cut.BLANK, ""))
        self._tail_tokens = {tail: counter.count(tail) if tail else 0 for tail in tails.values()}
        # Where counts do not add up, they come nearest behind an anchor.
        anchors = {cut: addition.anchor for cut, addition in self._additions.items()}
        self._anchors = {cut: ANCHORS[cut] if anchor is None else anchor for cut, anchor in anchors.items()}
        self._bases = {cut: self._base(cut, anchor) for cut, anchor in self._anchors.items()}
        self._known: dict[str, int] = {}
        self._fixed: dict[int, bool] = {}
        self._per_character = 0.0 if self._file else counter.count(_CALIBRATION * 4) / len(_CALIBRATION * 4)

    @property
    def identity(self) -> str:
        """What cached counts depend on: the tokenizer and how its counts are taken."""
        anchors = {c: a.anchor if a.anchor is not None else f"near {ANCHORS[c]}" for c, a in self._additions.items()}
        ways = [f"{cut}:{anchors[cut]}:{way.tail}" for cut, way in sorted(self._additions.items())]
        return "|".join([self.counter.identity, *ways])

    def exact(self, *cuts: Cut) -> bool:
        """True when sums of counts over these cuts are the counts of the texts."""
        return self._file is not None and all(self._additions[cut].anchor is not None for cut in cuts)

    def start(self, text: str) -> int:
        """Tokens of a text at the beginning of a prompt. Short ones are remembered: prompts of a cell begin alike."""
        if (known := self._known.get(text)) is None:
            known = self._count("", 0, text) if self._file else self._estimate(text)
            if len(text) > _REMEMBERED:
                return known
            if len(self._known) > 1000:
                self._known.clear()
            self._known[text] = known
        return known

    def end(self, text: str) -> int:
        """What the last piece of a prompt adds after a line."""
        if self._file is None:
            return self._estimate(text)
        return self._file.count(self._anchors[Cut.LINE] + text) - self._bases[Cut.LINE]

    def space(self, text: str) -> int:
        return self._one(Cut.SPACE, text)

    def line(self, text: str) -> int:
        return self._one(Cut.LINE, text)

    def spaces(self, texts: Sequence[str]) -> Costs:
        return self._each(Cut.SPACE, texts)

    def lines(self, texts: Sequence[str]) -> Costs:
        return self._each(Cut.LINE, texts)

    def hyphens(self, texts: Sequence[str]) -> Costs:
        return self._each(Cut.HYPHEN, texts)

    def kept(self, cut: Cut, texts: Sequence[str]) -> Costs:
        """What each of the texts adds after the cut, kept on disk by the hash of the texts."""
        if self._file is None or self._cache is None:
            return self._each(cut, texts)
        name = hashlib.sha256("\0".join(texts).encode()).hexdigest()
        key = ("counts", 1, name, str(cut), self.identity)
        return self._cache.arrays(key, lambda: {"counts": self._each(cut, texts)})["counts"]

    def fixed_numbers(self, digits: int) -> bool:
        """True when it is certain that all numbers of that many digits have equal counts."""
        if digits not in self._fixed:
            self._fixed[digits] = self._file is not None and self._are_fixed(self._file, digits)
        return self._fixed[digits]

    def _are_fixed(self, file: TokenizerFile, digits: int) -> bool:
        groups = file.digit_groups(digits)
        if groups is None or max(groups) > 3:
            return file.single_digits
        every = ([f" {n:0{size}d}" for n in range(10**size)] for size in set(groups))
        return all(len(set(self.kept(Cut.SPACE, numbers).tolist())) == 1 for numbers in every)

    def _base(self, cut: Cut, anchor: str) -> int:
        """Tokens of an anchor before the piece that it stands for the neighbour of."""
        tail = self._additions[cut].tail
        return self.counter.count(anchor + tail) - self._tail_tokens[tail] if anchor else 0

    def _tail(self, text: str) -> str:
        """What a piece that ends with newlines is counted with."""
        if not text.endswith("\n"):
            return ""
        return self._tails[text.endswith("\n\n")]

    def _one(self, cut: Cut, text: str) -> int:
        if self._file is None:
            return self._estimate(text)
        return self._count(self._anchors[cut], self._bases[cut], text)

    def _count(self, anchor: str, base: int, text: str) -> int:
        tail = self._tail(text)
        return self.counter.count(anchor + text + tail) - base - (self._tail_tokens[tail] if tail else 0)

    def _each(self, cut: Cut, texts: Sequence[str]) -> Costs:
        if self._file is None:
            return np.array([self._estimate(text) for text in texts], dtype=np.int64)
        anchor, base = self._anchors[cut], self._bases[cut]
        if not any(self._tails):
            counted = self._file.count_each([anchor + text for text in texts] if anchor else texts)
            return np.array(counted, dtype=np.int64) - base
        tails = [self._tail(text) for text in texts]
        counted = self._file.count_each([anchor + text + tail for text, tail in zip(texts, tails, strict=True)])
        extra = [base + self._tail_tokens[tail] if tail else base for tail in tails]
        return np.array(counted, dtype=np.int64) - np.array(extra, dtype=np.int64)

    def _estimate(self, text: str) -> int:
        return round(len(text) * self._per_character)


@dataclass(frozen=True, slots=True)
class Draft:
    """A built sample whose token count is the sum over its pieces; `unit` tokens are about one step of its size."""

    prompt: Prompt
    expected: tuple[str, ...]
    tokens: int
    unit: int
    detail: JsonDict = field(default_factory=dict)


def fit(build: Callable[[int], Draft], budget: int, max_tokens: int, meter: Meter, exact: bool, ratio: float) -> Sample:
    """The sample that fills a budget of prompt tokens.

    `build` makes the largest draft whose sum is within what it is given, or raises TooSmall. When sums are exact that
    is all. Else `ratio` (true count over sum, from `calibrate`) says where to aim, every draft is counted whole, and
    the aim is corrected until at most a unit or 0.2 % of the budget is left, in eight tries at most. Raises TooSmall
    when not even the smallest draft fits.
    """
    if exact:
        draft = build(budget)
        return _sample(draft, draft.tokens, max_tokens)
    middle = budget // 1000  # of what may be left, so that few drafts are too long
    aim, best, ceiling = int((budget - middle) / ratio) - 1, None, budget * 100
    for attempt in range(1, 9):
        draft = smallest(build, min(aim, ceiling))
        tokens = meter.counter.count(draft.prompt.text)
        left = budget - tokens
        if left >= 0 and (best is None or tokens > best.tokens):
            best = replace(draft, tokens=tokens)
        if 0 <= left <= max(draft.unit, budget // 500):
            break
        if left < 0:  # never as far again, and down by a whole step more each time
            ceiling = draft.tokens - max(1, draft.unit * (attempt - 1))
        aim = draft.tokens + int((left - middle) * draft.tokens / tokens)
    if best is None:
        raise TooSmall(tokens)
    return _sample(best, best.tokens, max_tokens)


def smallest(build: Callable[[int], Draft], budget: int = 0) -> Draft:
    """The draft for a budget, or where that is too small, the smallest there is."""
    while True:
        try:
            return build(budget)
        except TooSmall as small:
            budget = max(small.needed, budget + 1)


def calibrate(build: Callable[[int], Draft], budget: int, meter: Meter) -> float:
    """True count over sum of pieces for a draft that fills that budget; found in two steps, since it varies with size."""
    ratio = 1.0
    for _ in range(2):
        draft = smallest(build, int(budget / ratio))
        ratio = meter.counter.count(draft.prompt.text) / max(1, draft.tokens)
    return ratio


def _sample(draft: Draft, tokens: int, max_tokens: int) -> Sample:
    detail = {**draft.detail, "length": tokens + max_tokens}
    return Sample(draft.prompt, draft.expected, max_tokens, tokens, detail)
