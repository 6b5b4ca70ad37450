"""Frequent words extraction (RULER, arXiv:2404.06654, section 3.3), in the independent stream.

The word of rank k is listed `int(m * k**-alpha / zeta(alpha))` times, rank 1 being noise (`...`); m is the largest that
fits the budget. Words of ranks that are listed no time are not drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.ruler.fitting import Costs, Draft, Meter, TooSmall
from benchmarks.ruler.frames import Frame, wrap
from benchmarks.ruler.streams import Draws
from benchmarks.tokenizers import Cut

_ASKED = 3


def zeta(alpha: float) -> float:
    """Riemann's zeta function; scipy, which takes a third of a second to import, agrees at 2 to the bit."""
    if alpha == 2:
        return math.pi**2 / 6
    from scipy import special

    return float(special.zeta(alpha))


@dataclass(frozen=True, slots=True)
class CodedParameters:
    """Skew of the frequencies, letters of a coded word, and how many words the vocabulary has."""

    alpha: float
    letters: int
    vocabulary: int


class Coded:
    """Builds drafts of one fwe cell. Holds tables only, so threads may share it."""

    def __init__(self, frame: Frame, parameters: CodedParameters, meter: Meter) -> None:
        self.frame, self.parameters, self.meter = frame, parameters, meter
        self._wrapping = wrap(frame, frame.language.template("fwe", frame.profile), query="")
        self.exact = meter.exact(Cut.SPACE, Cut.LINE) and self._wrapping.separable("\n")
        head, ending = self._wrapping.head, self._wrapping.ending
        self._newline_first = head.endswith("\n")
        self._newlines = ending[: len(ending) - len(ending.lstrip("\n"))]
        self._fixed = meter.start(head if self._newline_first else head.rstrip(" ")) + meter.end(ending.lstrip("\n"))
        ranks = np.arange(1, parameters.vocabulary + 1)
        shares = np.asarray(ranks ** -float(parameters.alpha) / zeta(parameters.alpha), dtype=np.float64)
        most = max(16, frame.budget)
        self._shares: NDArray[np.float64] = shares[: max(_ASKED + 2, int((most * shares >= 1).sum()))]
        self._noise = meter.space(" ...")

    def build(self, draws: Draws, budget: int, index: int = 0) -> Draft:
        """The draft that fills `budget` tokens. Raises TooSmall."""
        words = ["...", *self._words(draws, len(self._shares) - 1)]
        costs = np.concatenate([[self._noise], self.meter.spaces([" " + word for word in words[1:]])])
        least = self._least()
        size = self._largest(costs, budget - self._fixed)
        while True:
            if size < least:
                raise TooSmall(self._fixed + int(costs @ self._counts(least)) + 4)
            counts = self._counts(size)
            listed = np.repeat(np.arange(len(words)), counts)
            listed = listed[draws.permutation(len(listed))]
            tokens = self._fixed + int(costs @ counts) + self._seams(words[int(listed[0])], words[int(listed[-1])])
            if tokens <= budget:
                break
            size -= 1
        context = " ".join(np.array(words, dtype=object)[listed].tolist())
        detail = {"words": len(listed), "counts": counts[: _ASKED + 2].tolist()}
        return Draft(self._wrapping.prompt(context), tuple(words[1 : _ASKED + 1]), tokens, int(costs.max()) * 2, detail)

    def _words(self, draws: Draws, count: int) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < count:
            words.update(dict.fromkeys(draws.words("a", count, self.parameters.letters)))
        return list(words)[:count]

    def _counts(self, size: int) -> Costs:
        counts: Costs = (size * self._shares).astype(np.int64)
        return counts

    def _least(self) -> int:
        """The smallest size at which the words asked for differ in number, the last from the next as well."""
        size = 1
        while True:
            counts = self._counts(size)[: _ASKED + 2]
            if counts[1] > 0 and (np.diff(counts[1:]) < 0).all():
                return size
            size += 1

    def _largest(self, costs: Costs, budget: int) -> int:
        low, high = 0, max(16, 2 * budget)
        while low < high:
            middle = (low + high + 1) // 2
            if int(costs @ self._counts(middle)) <= budget:
                low = middle
            else:
                high = middle - 1
        return low

    def _seams(self, first: str, last: str) -> int:
        """What changes because the first word stands after a newline (if it does) and the last before one."""
        change = self.meter.space(f" {last}{self._newlines}") - self.meter.space(f" {last}")
        return change + (self.meter.line(first) - self.meter.space(f" {first}") if self._newline_first else 0)
