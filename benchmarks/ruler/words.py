"""What keys and values are drawn from: numbers, pairs of words, UUIDs. With what each costs in tokens."""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Protocol, overload

import numpy as np

from benchmarks.errors import OptionsError
from benchmarks.ruler.fitting import Costs, Meter
from benchmarks.ruler.streams import Draws, Indices
from benchmarks.tokenizers import Cut

_DIGITS = 7
_FIRST_NUMBER, _NUMBERS = 10 ** (_DIGITS - 1), 9 * 10 ** (_DIGITS - 1)


class Kind(Protocol):
    """A kind of key or value. Drawn items are named by their codes, below `size`."""

    @property
    def alike(self) -> bool:
        """True when two codes may stand for one text."""

    @property
    def size(self) -> int:
        """How many different items there are."""

    def texts(self, codes: Indices) -> list[str]: ...

    def costs(self, meter: Meter, codes: Indices, texts: Sequence[str], glue: str) -> Costs:
        """Tokens that a space, the item and `glue` (text up to the next cut) add."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers of seven digits."""

    size: int = _NUMBERS
    alike: bool = False

    def texts(self, codes: Indices) -> list[str]:
        return [str(number) for number in (codes + _FIRST_NUMBER).tolist()]

    def costs(self, meter: Meter, codes: Indices, texts: Sequence[str], glue: str) -> Costs:
        if meter.fixed_numbers(_DIGITS):
            return np.full(len(codes), meter.space(f" {_FIRST_NUMBER}{glue}"), dtype=np.int64)
        return meter.spaces([f" {text}{glue}" for text in texts])


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """`first-second` for every pair of two word lists."""

    firsts: tuple[str, ...]
    seconds: tuple[str, ...]
    alike: bool = True  # words may hold hyphens

    @property
    def size(self) -> int:
        return len(self.firsts) * len(self.seconds)

    def texts(self, codes: Indices) -> list[str]:
        firsts, seconds, many = self.firsts, self.seconds, len(self.seconds)
        return [f"{firsts[code // many]}-{seconds[code % many]}" for code in codes.tolist()]

    def costs(self, meter: Meter, codes: Indices, texts: Sequence[str], glue: str) -> Costs:
        tables = _pair_costs(meter, self, glue) if meter.exact(Cut.HYPHEN, Cut.SPACE) else None
        if tables is None:
            return meter.spaces([f" {text}{glue}" for text in texts])
        first, second = tables
        total: Costs = first[codes // len(self.seconds)] + second[codes % len(self.seconds)]
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Uuids:
    """Version 4 UUIDs from a pool of `size` random ones, so that their token counts are made once.

    The pool is the same for every seed; which of it a sample gets is the sample's own draw.
    """

    size: int
    pool: tuple[str, ...] = field(repr=False)
    alike: bool = False

    def texts(self, codes: Indices) -> list[str]:
        pool = self.pool
        return [pool[code] for code in codes.tolist()]

    def costs(self, meter: Meter, codes: Indices, texts: Sequence[str], glue: str) -> Costs:
        return _uuid_costs(meter, self, glue)[codes]


@lru_cache(maxsize=8)
def uuid_pool(size: int) -> Uuids:
    """A pool of that many different UUIDs."""
    raw = Draws("uuid pool", size).bytes(16 * size)
    made = (str(uuid.UUID(bytes=raw[i : i + 16], version=4)) for i in range(0, len(raw), 16))
    pool = tuple(dict.fromkeys(made))
    return Uuids(len(pool), pool)


@lru_cache(maxsize=64)
def _pair_costs(meter: Meter, pairs: Pairs, glue: str) -> tuple[Costs, Costs] | None:
    """Tokens of the first and of the second words; None when they do not add up for every one of 2000 pairs."""
    first = meter.kept(Cut.SPACE, [f" {word}" for word in pairs.firsts])
    second = meter.kept(Cut.HYPHEN, [f"-{word}{glue}" for word in pairs.seconds])
    codes = Draws("pairs").many(pairs.size, 2000)
    counted = meter.kept(Cut.SPACE, [f" {text}{glue}" for text in pairs.texts(codes)])
    added = first[codes // len(pairs.seconds)] + second[codes % len(pairs.seconds)]
    return (first, second) if (added == counted).all() else None


@lru_cache(maxsize=16)
def _uuid_costs(meter: Meter, uuids: Uuids, glue: str) -> Costs:
    return meter.kept(Cut.SPACE, [f" {text}{glue}" for text in uuids.pool])


def distinct(draws: Draws, kind: Kind, size: int, taken: Sequence[str] = ()) -> tuple[Indices, list[str]]:
    """Codes and texts of `size` items, all different from each other and from `taken`. Raises OptionsError."""
    if size + len(taken) > kind.size:
        raise OptionsError("num_needle_k", size + len(taken), f"only {kind.size} different keys or values exist")
    if size * 4 > kind.size:
        codes = draws.permutation(kind.size)
        return _first_distinct(kind, codes, size, taken)
    codes = _unique(draws.many(kind.size, size + 2 + size * size // kind.size))
    while True:
        if len(codes) >= size:
            found = _first_distinct(kind, codes, size, taken)
            if len(found[1]) == size:
                return found
        codes = _unique(np.concatenate([codes, draws.many(kind.size, 8 + size // 8)]))


def _unique(codes: Indices) -> Indices:
    """Each code once, in the order of first appearance."""
    in_order = np.sort(codes)
    if (in_order[1:] != in_order[:-1]).all():  # quicker than asking where each first is
        return codes
    _, first = np.unique(codes, return_index=True)
    kept: Indices = codes[np.sort(first)]
    return kept


def _first_distinct(kind: Kind, codes: Indices, size: int, taken: Sequence[str]) -> tuple[Indices, list[str]]:
    """The first `size` of the codes whose texts differ from each other and from `taken`; fewer if there are not so many."""
    texts = kind.texts(codes[:size])
    if (not kind.alike or len(set(texts)) == size) and {*taken}.isdisjoint(texts):
        return codes[:size], texts
    first: dict[str, int] = dict.fromkeys(taken, -1)
    for position, text in enumerate(kind.texts(codes)):
        first.setdefault(text, position)
    kept = [position for position in first.values() if position >= 0][:size]
    return codes[kept], kind.texts(codes[kept])


class SortedPairs(Sequence[str]):
    """`sorted({f"{a}-{b}" for a in firsts for b in seconds})` without making its millions of texts.

    Pairs sort by their first word unless one `first-` is the beginning of another; only such groups are made.
    """

    def __init__(self, firsts: Sequence[str], seconds: Sequence[str]) -> None:
        self._seconds = sorted(set(seconds))
        self._blocks: list[str | list[str]] = []
        self._starts: list[int] = []
        self._length = 0
        for _, group in _grouped(sorted(f"{word}-" for word in set(firsts))):
            leads = list(group)
            made = sorted({a + b for a in leads for b in self._seconds}) if len(leads) > 1 else leads[0]
            self._blocks.append(made)
            self._starts.append(self._length)
            self._length += len(made) if isinstance(made, list) else len(self._seconds)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        index %= self._length
        block = bisect_right(self._starts, index) - 1
        lead, within = self._blocks[block], index - self._starts[block]
        return lead[within] if isinstance(lead, list) else lead + self._seconds[within]


def _grouped(leads: Sequence[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """Runs of sorted texts of which the first is a beginning of the others."""
    current = [""]

    def owner(lead: str) -> str:
        if not current[0] or not lead.startswith(current[0]):
            current[0] = lead
        return current[0]

    return groupby(leads, key=owner)
