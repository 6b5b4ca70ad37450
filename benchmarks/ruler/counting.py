"""Exact counts of long texts made of known pieces: words are counted once and remembered."""

from __future__ import annotations

import re

from benchmarks.ruler.fitting import Meter
from benchmarks.tokenizers import Cut

_LONG = 4000  # characters from which remembering pays
_KEPT = 500_000  # pieces
_ANOTHER = re.compile(r"(?<=\S) (?=\S)")


class RememberingCounter:
    """`count(text)` as the meter's counter gives it, for texts that share most of their words.

    Where counts add up at words, a text is cut at single spaces and each new piece is counted once.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._adds_up = meter.exact(Cut.SPACE)
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        if not self._adds_up or len(text) < _LONG:
            return self._meter.counter.count(text)
        first, *pieces = text.split(" ")
        different = set(pieces)
        if any(not p or p[0].isspace() or p[-1].isspace() for p in different) or not first or first[-1].isspace():
            first, *pieces = _ANOTHER.split(text)
            different = set(pieces)
        known = self._known
        new = [piece for piece in different if piece not in known]
        if new:
            if len(known) + len(new) > _KEPT:
                known = self._known = {}  # another thread may still read the old one
                new = list(different)
            known.update(zip(new, self._meter.spaces([" " + piece for piece in new]).tolist(), strict=True))
        return self._meter.counter.count(first) + sum(map(known.__getitem__, pieces))
