"""How many calls are about to end, and so how many samples will soon be wanted. Pure: times are given in seconds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque


class Turnover:
    """Calls under way and how long the last ones took.

    Two estimates, of which the larger holds. By rate: as many calls will end in the next moment as ended on average; so
    many short calls end more than once a place. By age: the chance that a call as old as this one ends in that moment, as
    far as the last durations tell, summed over all calls; so a wave of equal calls is seen to come.
    """

    def __init__(self, now: float) -> None:
        self._durations: deque[float] = deque(maxlen=64)
        self._started: dict[int, float] = {}
        self._next = 0
        self._ended, self._since, self._rate = 0, now, 0.0

    def start(self, now: float) -> int:
        """A call starts; returns its number for `end`."""
        self._next += 1
        self._started[self._next] = now
        return self._next

    def forget(self, call: int) -> None:
        """That call was stopped: it tells nothing."""
        del self._started[call]

    def end(self, call: int, now: float) -> None:
        """That call has ended."""
        self._durations.append(now - self._started.pop(call))
        self._ended += 1
        if now - self._since >= 1.0 or (not self._rate and self._ended >= 32 and now > self._since):
            self._rate = self._ended / (now - self._since)
            self._ended, self._since = 0, now

    def due(self, now: float, seconds: float) -> int:
        """Calls that will probably end within `seconds`."""
        took = sorted(self._durations)
        by_age = sum(_chance(took, now - started, seconds) for started in self._started.values()) if took else 0.0
        elapsed = now - self._since
        rate = self._rate if elapsed < 2.0 else self._ended / elapsed  # calls that take longer than that, or none
        return int(max(by_age, rate * seconds) + 0.5)


def _chance(took: list[float], age: float, seconds: float) -> float:
    """The share of durations not below `age` that are over `seconds` later; 1 for calls older than any."""
    shorter = bisect_left(took, age)
    left = len(took) - shorter
    return (bisect_right(took, age + seconds) - shorter) / left if left else 1.0
