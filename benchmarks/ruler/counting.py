"""Exact counts of long texts made of known pieces: words are counted once and remembered."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from benchmarks.ruler.fitting import Costs, Meter
from benchmarks.tokenizers import Cut

_LONG = 4000  # characters from which remembering pays
_KEPT = 500_000  # pieces
_WIDE = re.compile(r" \s|\s ")  # more white space than one space: no cut is safe there
_ANOTHER = re.compile(r"(?<=\S) (?=\S)")


class WordCosts:
    """Tokens of words after a space, counted once and remembered, up to a number; then it starts anew."""

    def __init__(self, meter: Meter, kept: int = _KEPT) -> None:
        self._meter, self._kept = meter, kept
        self._known: dict[str, int] = {}

    def of(self, words: set[str]) -> dict[str, int]:
        """A dictionary that holds at least these words."""
        known = self._known
        new = words - known.keys()
        if new and len(known) + len(new) > self._kept:
            known = self._known = {}  # another thread may still read the old one
            new = words
        listed = list(new)
        known.update(zip(listed, self._meter.spaces([" " + word for word in listed]).tolist(), strict=True))
        return known


class RememberingCounter:
    """`count(text)` as the meter's counter gives it, for texts that share most of their words.

    Where counts add up at words, a text is cut at single spaces and each new word is counted once.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._adds_up = meter.exact(Cut.SPACE)
        self._costs = WordCosts(meter)

    def count(self, text: str) -> int:
        if not self._adds_up or len(text) < _LONG:
            return self._meter.counter.count(text)
        words = text.split(" ")
        if any(not word or word[0].isspace() or word[-1].isspace() for word in {*words}):  # no cut is safe there
            words = _ANOTHER.split(text)
        known = self._costs.of({*words[1:]})
        return self._meter.counter.count(words[0]) + sum(map(known.__getitem__, words[1:]))


class DocumentCounter:
    """Tokens that documents with `ending` (newlines) after them add, each beginning a line, from their words' tokens.

    The documents have no white space around them.
    """

    def __init__(self, meter: Meter, ending: str, kept: int) -> None:
        self._meter, self._ending = meter, ending
        self._adds_up = meter.exact(Cut.SPACE, Cut.LINE, Cut.BLANK)
        self._costs = WordCosts(meter, kept)

    def count(self, texts: Sequence[str]) -> Costs:
        counts = np.zeros(len(texts), dtype=np.int64)
        clean = [n for n, text in enumerate(texts) if " " in text and not _WIDE.search(text)] if self._adds_up else []
        cut = {number: texts[number].split(" ") for number in clean}
        for words in cut.values():
            words[-1] += self._ending
        known = self._costs.of({word for words in cut.values() for word in words[1:]})
        firsts = dict.fromkeys(words[0] for words in cut.values())
        begun = dict(zip(firsts, self._meter.lines(list(firsts)).tolist(), strict=True))
        for number, words in cut.items():
            counts[number] = begun[words[0]] + sum(map(known.__getitem__, words[1:]))
        whole = [number for number in range(len(texts)) if number not in cut]
        counts[whole] = self._meter.lines([texts[number] + self._ending for number in whole])
        return counts
