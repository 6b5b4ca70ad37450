"""Putting texts into haystacks: lines or essays that fill a token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.ruler.fitting import Costs, Meter, TooSmall
from benchmarks.ruler.frames import Wrapping
from benchmarks.ruler.haystacks import Essays

MIN_LINES, MIN_WORDS = 5, 50
Places = Callable[[int], list[int]]
"""Before which of so many lines or sentences each text goes, ascending; the number itself is the end."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A context with the texts in it. `offsets` are characters of the context at which they stand, `before` the
    tokens of the prompt before each, `size` lines or words of haystack, `places` and `of` where in it they went."""

    context: str
    offsets: list[int]
    before: list[int]
    tokens: int
    size: int
    places: list[int]
    of: int


def in_noise(
    meter: Meter, wrapping: Wrapping, noise: str, each: int, texts: Sequence[str], budget: int, places: Places
) -> Placed:
    """As many lines of noise (`each` tokens with its newline) as the budget holds. Raises TooSmall."""
    fixed, added = _fixed(meter, wrapping, texts)
    size, least = (budget - fixed) // each, max(MIN_LINES, len(texts))
    if size < least:
        raise TooSmall(fixed + least * each)
    chosen = places(size)
    lines = [noise] * size
    before = [place * each for place in chosen]
    return _lines(lines, texts, added, chosen, before, _start(meter, wrapping), fixed + size * each)


def in_lines(
    meter: Meter,
    wrapping: Wrapping,
    lines: Sequence[str],
    costs: Costs,
    texts: Sequence[str],
    budget: int,
    places: Places,
) -> Placed:
    """As many of the lines (their tokens with newline in `costs`), from the first, as the budget holds."""
    fixed, added = _fixed(meter, wrapping, texts)
    sums = np.concatenate([[0], np.cumsum(costs)])
    size, least = int(np.searchsorted(sums, budget - fixed, side="right")) - 1, max(MIN_LINES, len(texts))
    if size < least:
        raise TooSmall(fixed + int(sums[min(least, len(costs))]))
    chosen = places(size)
    before = [int(sums[place]) for place in chosen]
    return _lines(list(lines[:size]), texts, added, chosen, before, _start(meter, wrapping), fixed + int(sums[size]))


def fixed_tokens(meter: Meter, wrapping: Wrapping, texts: Sequence[str]) -> int:
    """Tokens of all that is not haystack, when texts are lines."""
    return _fixed(meter, wrapping, texts)[0]


def _start(meter: Meter, wrapping: Wrapping) -> int:
    """Tokens before the context; a space at the end of the head belongs to the first word."""
    if wrapping.head_tokens is not None:
        return wrapping.head_tokens
    return meter.start(wrapping.head if wrapping.head.endswith("\n") else wrapping.head.rstrip(" "))


def _fixed(meter: Meter, wrapping: Wrapping, texts: Sequence[str]) -> tuple[int, list[int]]:
    added = meter.lines([text + "\n" for text in texts]).tolist()
    return _start(meter, wrapping) + sum(added) + meter.end(wrapping.ending.removeprefix("\n")), added


def _lines(
    lines: list[str],
    texts: Sequence[str],
    added: list[int],
    places: list[int],
    before: list[int],
    start: int,
    tokens: int,
) -> Placed:
    total = len(lines)
    for place, text in zip(reversed(places), reversed(texts), strict=True):
        lines.insert(place, text)
    context = "\n".join(lines)
    earlier = np.concatenate([[0], np.cumsum(added)[:-1]]).astype(int).tolist()
    positions = [start + own + sum_ for own, sum_ in zip(before, earlier, strict=True)]
    return Placed(context, _offsets(context, texts), positions, tokens, total, places, total)


def in_essays(
    meter: Meter, wrapping: Wrapping, essays: Essays, texts: Sequence[str], budget: int, places: Places
) -> Placed:
    """As many words of the essays as the budget holds, with the texts between sentences. Raises TooSmall."""
    ending = wrapping.ending
    start = _start(meter, wrapping)
    added = meter.spaces([" " + text for text in texts]).tolist()
    known = start + sum(added) + meter.end(ending.lstrip("\n"))
    seams = Seams(meter, wrapping, essays, texts)
    size = essays.within(budget - known) + 2
    while True:
        if size < MIN_WORDS:
            raise TooSmall(known + essays.cost(MIN_WORDS) + 8)
        chosen = places(essays.sentences(size))
        tokens = known + essays.cost(size) + seams.change(chosen, size)
        if tokens <= budget:
            break
        size -= 1
    total, pieces, before, at = essays.sentences(size), [], [], 0
    for number, (place, text) in enumerate(zip(chosen, texts, strict=True)):
        stop = essays.sentence_start(place) if place < total else size
        if stop > at:
            pieces.append(essays.slice(at, stop))
        shift = seams.first(chosen) if pieces else 0
        before.append(start + essays.cost(stop) + sum(added[:number]) + shift)
        pieces.append(text)
        at = stop
    if size > at:
        pieces.append(essays.slice(at, size))
    context = " ".join(pieces)
    return Placed(context, _offsets(context, texts), before, tokens, size, chosen, total)


class Seams:
    """What changes because the first piece stands after a newline instead of a space, and the last before newlines."""

    def __init__(self, meter: Meter, wrapping: Wrapping, essays: Essays, texts: Sequence[str]) -> None:
        self._meter, self._essays, self._texts = meter, essays, texts
        ending = wrapping.ending
        self._newlines = ending[: len(ending) - len(ending.lstrip("\n"))]
        self._after_newline = wrapping.head.endswith("\n")
        self._first: dict[bool, int] = {}

    def change(self, places: list[int], size: int) -> int:
        last = self._texts[-1] if places[-1] >= self._essays.sentences(size) else self._essays.slice(size - 1, size)
        ended, plain = self._meter.spaces([f" {last}{self._newlines}", f" {last}"]).tolist()
        return int(ended) - int(plain) + self.first(places)

    def first(self, places: list[int]) -> int:
        """The change at the first piece: a text at depth 0, or the essays' first word."""
        if not self._after_newline:
            return 0
        own = places[0] == 0
        if own not in self._first:
            piece = self._texts[0] if own else self._essays.slice(0, 1)
            after = self._meter.line(piece) if own else self._essays.first
            self._first[own] = after - self._meter.space(f" {piece}")
        return self._first[own]


def _offsets(context: str, texts: Sequence[str]) -> list[int]:
    offsets, at = [], 0
    for text in texts:
        at = context.index(text, at)
        offsets.append(at)
        at += len(text)
    return offsets
