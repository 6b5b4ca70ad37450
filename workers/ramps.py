"""The limit of calls in flight as it climbs, is tried higher and lower, and settles. Pure: times are given in seconds.

A round is about as many completions as the limit. Slow start doubles the limit each round as long as the work done per
second grows, then steps of a half try whether more pays. By Little's law a limit that grows without more work per
second is waiting time: so a step that brought nothing is taken back, and a smaller limit is kept where it does as much.

Where the engine says how full it is, that comes first. While calls wait there, or its cache is nearly full, the limit
does not grow. Calls that wait at two polls in a row are taken off it: our share of them, at most half of the limit, and
no more before that has taken effect. Work per second has the last word: where less does less, the queue was not what
held us up (others fill it, or prompts wait for their turn to be read), and one of that length is put up with for a while.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from workers.pressure import Pressure

START = 4
"""Calls in flight at which an unknown model is met, and which a queue of other clients leaves us."""
UP, DOWN = 1.5, 1.25
"""The factors of a step."""
PAYS, AS_GOOD = 1.02, 0.985
"""A larger limit is kept when it does that many times the work per second, a smaller one when it does that much of it."""
PRESSURE, PRESSURE_KEPT = 1.5, 1.15
"""Less is tried when a token takes that many times as long as it took at best: calls wait; the second is what is left."""
_ROUND, _STEP_ROUND = (1, 8), (3, 24)  # completions a round takes: times the limit, at least (slow start, steps)
_MOST_PATIENCE = 8
_QUEUED_POLLS = 2
_FORGET_QUEUE = 0.995  # a poll: what is put up with of a queue halves in about five minutes


@dataclass(slots=True)
class Round:
    """What is counted until the limit is judged."""

    started: float
    done: int = 0
    work: float = 0.0
    full: int = 0
    clean: bool = True
    tokens_bound: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True)
class _Measured:
    limit: float
    speed: float


class Ramp:
    """A limit between 1 and `ceiling`. `in_flight` is kept by whoever starts the calls."""

    def __init__(self, ceiling: int, limit: float, *, slow_start: bool, reason: str) -> None:
        self.limit, self.slow_start, self.reason = limit, slow_start, reason
        self.in_flight = 0
        self._ceiling = ceiling
        self._round: Round | None = None
        self._settling = 0
        self._best = 0.0  # work per second, slowly forgotten
        self._least_wait = math.inf  # seconds of calls a unit of work took at best, slowly forgotten
        self._before: _Measured | None = None  # where a step started
        self._direction, self._patience, self._rounds_to_step = 1, 1, 1
        self._shrinking = False
        self._last: _Measured | None = None  # the last round, if the limit is still what it was
        self._crowded = ""  # why the engine should not get more calls
        self._queued = 0  # polls in a row at which calls waited
        self._shed = 0.0  # the queue for which a step down is on trial
        self._endured = 0.0  # the queue that no step down helps against

    @property
    def why(self) -> str:
        """Why the limit is what it is, in words."""
        return self._crowded or self.reason

    def started(self, now: float) -> None:
        """A call has started and is counted in `in_flight`."""
        if self._round is None:
            self._round = Round(now)
        self._round.full += self.in_flight >= 0.8 * int(self.limit)

    def bound_by_tokens(self) -> None:
        """Tokens in flight, not this limit, held a call back."""
        if self._round is not None:
            self._round.tokens_bound = True

    def answered(self, now: float, work: float) -> Round | None:
        """A call was answered; the round that this ends, if it ends one."""
        current = self._round
        if current is None:
            return None
        if self._settling > 0:  # calls that started under another limit say nothing of this one
            self._settling -= 1
            if self._settling == 0:
                self._round = Round(now)
            return None
        current.done += 1
        current.work += work
        times, least = _ROUND if self.slow_start else _STEP_ROUND
        if current.done < max(times * self.limit, least) or now <= current.started:
            return None
        self._round = Round(now)
        return current

    def paused(self) -> None:
        """No call starts for a while because the server asked for it: the round's time says nothing of calls that wait."""
        if self._round is not None:
            self._round.paused = True

    def spoil_round(self) -> None:
        """A refusal came: the round under way says nothing about the limit."""
        if self._round is not None:
            self._round.clean = False

    def refused(self, reason: str) -> None:
        """Refusals led to a cut: whatever was being tried is over, and the next step has time."""
        self.slow_start, self._before = False, None
        self._rounds_to_step = self._patience = 2
        self.reason = reason

    def set(self, limit: float) -> None:
        limit = min(max(limit, 1.0), float(self._ceiling))
        if limit != self.limit:
            self.limit, self._settling, self._last = limit, self.in_flight, None

    def pressed(self, pressure: Pressure | None) -> None:
        """What the engine said when it was polled; None when it says nothing any more."""
        self._crowded = pressure.crowded if pressure is not None else ""
        self._endured *= _FORGET_QUEUE
        if pressure is None or pressure.waiting <= 0:
            self._queued = 0
            return
        self._queued += 1
        if self._queued < _QUEUED_POLLS or self.in_flight > int(
            self.limit
        ):  # not seen twice, or the last cut still acts
            return
        ours = pressure.share(self.in_flight)
        least = float(START) if pressure.waiting >= self.in_flight else 1.0
        limit = max(self.limit / 2, min(self.limit, self.in_flight) - ours, least)
        if limit < self.limit and ours > self._endured:
            self._shed_queue(limit, ours)

    def _shed_queue(self, limit: float, ours: float) -> None:
        """Step down; against the last round before, the next one shows whether less does as much."""
        before, self.slow_start, self._queued = self._before or self._last, False, 0
        self.reason = self._crowded
        if before is not None and before.limit < self.limit:  # this is what was tried: not more than that
            limit = max(limit, before.limit)
        self.set(limit)
        self._before = before if before is not None and before.limit != self.limit else None
        self._shed = ours if before is not None and before.limit > self.limit else 0.0
        self._patience = self._rounds_to_step = min(self._patience * 2, _MOST_PATIENCE)

    def judge(self, current: Round, now: float) -> None:
        """Draw the conclusion of a round in which nothing but the limit held calls back."""
        enough = (
            0.15 if current.paused else 0.5
        )  # after a pause all places are filled anew, the last fifth of them is full
        if current.full < enough * current.done:  # there was not enough to do: the round says nothing about the limit
            return
        seconds = now - current.started
        here = _Measured(self.limit, current.work / seconds)
        self._last = here
        self._best = max(here.speed, self._best * 0.99)
        pressure = 1.0
        if not current.paused:
            wait = self.limit * seconds / max(current.work, 1.0)
            self._least_wait = min(wait, self._least_wait * 1.0003)
            pressure = wait / self._least_wait
        if self.slow_start:
            self._climb_fast(here)
        elif self._before is not None:
            self._judge_step(here, self._before)
        else:
            self._maybe_step(here, pressure)

    def _climb_fast(self, here: _Measured) -> None:
        if self._before is not None and here.speed < self._before.speed * 1.2:
            self.slow_start = False
            self._return_to(self._before, "doubling brought little")
            return
        if self._crowded:
            return
        self._step_to(here, here.limit * 2, "slow start")
        self.slow_start = self._before is not None and self.limit < self._ceiling

    def _maybe_step(self, here: _Measured, pressure: float) -> None:
        waits = pressure > PRESSURE
        if here.speed < 0.8 * self._best:  # the server or the prompts have changed: what was best is no longer
            self._best, self._patience, self._rounds_to_step = here.speed, 1, 1
            self._direction = -1 if waits else 1
        self._rounds_to_step -= 1
        if self._rounds_to_step > 0:
            return
        if self._direction < 0 and waits:  # by Little's law, that many times fewer calls would do as much
            self._step_to(here, here.limit / max(DOWN, pressure / PRESSURE_KEPT), "trying less")
        elif self._shrinking:  # it has just become enough: wait before trying more again
            self._shrinking, self._direction, self._rounds_to_step = False, 1, _MOST_PATIENCE // 2
            return
        elif self._crowded:
            self._direction, self._rounds_to_step = -1, 1
            return
        else:
            self._step_to(here, max(here.limit * UP, here.limit + 1), "trying more")
        if self._before is None:
            self._direction, self._rounds_to_step = -self._direction, self._patience

    def _judge_step(self, here: _Measured, before: _Measured) -> None:
        up, shed = here.limit > before.limit, self._shed
        self._before, self._shed = None, 0.0
        if here.speed >= (before.speed * PAYS if up else AS_GOOD * max(before.speed, 0.97 * self._best)):
            self._direction, self._shrinking = (1, False) if up else (-1, True)
            self._patience = self._rounds_to_step = 1
            self.reason = "more pays" if up else "less does as much"
            return
        self._direction = -1 if up else 1
        self._endured = max(self._endured, 1.2 * shed)
        self._patience = min(self._patience * 2, _MOST_PATIENCE)
        self._return_to(before, "more did not pay" if up else "less did less")

    def _step_to(self, here: _Measured, limit: float, reason: str) -> None:
        """Try another limit; `_before` stays None when the ceiling or the floor is reached."""
        self.set(limit)
        self._before = here if self.limit != here.limit else None
        self.reason = reason

    def _return_to(self, before: _Measured, reason: str) -> None:
        self._before = None
        self.set(before.limit)
        self._rounds_to_step = self._patience
        self.reason = reason
