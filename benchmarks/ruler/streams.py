"""Random choices of the independent stream: each sample has its own generator, seeded by what names the sample.

Only `random.Random.random` and `randbytes` are used, whose output for a seed Python keeps stable, so that a sample is
the same on every version and machine.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Indices = NDArray[np.int64]


class Draws:
    """Random choices for one sample. `parts` name it: dataset seed, task, length, variant, index (JSON values)."""

    __slots__ = ("_random",)

    def __init__(self, *parts: Any) -> None:
        name = json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
        self._random = random.Random(int.from_bytes(hashlib.sha256(name).digest()))

    def bytes(self, size: int) -> bytes:
        return self._random.randbytes(size)

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        return int(self._random.random() * limit)

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def words(self, first: str, count: int, length: int) -> list[str]:
        """Words of that many of the 26 letters from `first` (`a` or `A`) on; they may repeat."""
        letters = (self.many(26, count * length) + ord(first)).astype(np.uint8).tobytes().decode("ascii")
        return [letters[at : at + length] for at in range(0, len(letters), length)]

    def sample(self, limit: int, size: int) -> list[int]:
        """`size` different numbers below `limit` in random order; `size` must not exceed `limit`."""
        if size * 3 > limit:
            return [int(i) for i in self.permutation(limit)[:size]]
        chosen: dict[int, None] = {}
        while len(chosen) < size:
            chosen[self.below(limit)] = None
        return list(chosen)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        return [items[i] for i in self.sample(len(items), len(items))]

    def many(self, limit: int, size: int) -> Indices:
        """`size` numbers below `limit` (at most 2**40), with repetition."""
        raw = np.frombuffer(self._random.randbytes(8 * size), dtype="<u8") >> np.uint64(11)
        return (raw * (limit / 2.0**53)).astype(np.int64)

    def permutation(self, limit: int) -> Indices:
        """The numbers below `limit` in random order."""
        raw = np.frombuffer(self._random.randbytes(8 * limit), dtype="<u8")
        # Random numbers with the index in their low bits are sorted: by their high 16 bits in linear time, then the
        # rest, which is nearly in order. Several times faster than argsort.
        low = np.uint64((1 << limit.bit_length()) - 1)
        keys = (raw & ~low) | np.arange(limit, dtype=np.uint64)
        keys = keys[np.argsort((keys >> np.uint64(48)).astype(np.uint16), kind="stable")]
        keys.sort(kind="stable")
        return (keys & low).astype(np.int64)
