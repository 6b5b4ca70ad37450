"""The reference's size searches and its retry loop, with an end."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.ruler.fitting import TooSmall

_REDRAWS = 200
"""Tries at the smallest size. The reference tries for ever; what has not fit by then does not come to fit."""


def binary_search(cost: Callable[[int], int], first: int, limit: int, step: int) -> int:
    """Profile `head`: the size whose prompt fits, by halving; `first` is the cost of the first probe at `step`."""
    low, high, best = step, max(int((limit / (first / step)) * 3), step * 2), None
    while low <= high:
        middle = (low + high) // 2
        if cost(middle) <= limit:
            best, low = middle, middle + 1
        else:
            high = middle - 1
    return best if best is not None else step


def linear_search(
    cost: Callable[[int], int], limit: int, step: int, spent: int, cap: Callable[[int], int | None]
) -> int:
    """Profile `paper`: step by step until the prompt is too long. `spent` tokens are known before the first probe;
    `cap(size)` ends the search when the corpus does."""
    size, total = step, spent
    while total < limit:
        total = cost(size)
        if total > limit:
            return size - step
        if (end := cap(size)) is not None:
            return end
        size += step
    return size


def until_it_fits(make: Callable[[int], tuple[int, object]], size: int, limit: int, step: int) -> tuple[int, object]:
    """Draw until a sample fits, a step smaller each time, as the reference does. Raises TooSmall.

    Errors while drawing (fewer items than wanted, a name drawn twice) count as not fitting.
    """
    smallest, tries = 0, 0
    while tries < _REDRAWS:
        try:
            length, made = make(size)
        except (ValueError, IndexError):
            pass
        else:
            if length <= limit:
                return length, made
            smallest = min(smallest or length, length)
        if size > step:
            size -= step
        else:
            tries += 1
    raise TooSmall(smallest or limit + 1)
