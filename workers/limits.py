"""How many calls a worker has in flight at one model: fixed, or found while it runs. Pure: times are given in seconds.

The adaptive rule, by what it reacts to:
- It climbs while that pays. A round is about as many completions as the limit; slow start doubles the limit each round
  as long as the work done per second grows, then steps of a quarter try whether more pays. By Little's law a limit that
  grows without more work per second is waiting time: latency and time to first token rise instead. So a step that
  brought nothing is taken back, and a smaller limit is kept where it does as much work.
- Refusals (429) and overload (503, timeouts) cut it, once an episode: calls that were under way when it was last cut
  say nothing new. Overload also bounds the tokens in flight, since one long prompt fills what many short ones leave.
- `Retry-After` delays requests, never this clock: starts pause, the limit keeps learning. A long one is not obeyed
  blindly: after growing pauses a single call tries whether the server takes calls again.
- Under a rate limit, calls are paced at the rate that was taken, which slowly rises.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

Kind = Literal["ok", "rate_limited", "overloaded", "timeout", "failed", "aborted"]

START = 4
"""Calls in flight at which an unknown model is met."""
PAYS = 1.05
"""A larger limit is kept when it does that many times the work per second."""
AS_GOOD = 0.97
"""A smaller limit is kept when it does that much of the best work per second."""
STEP = 1.25
CUT = {"rate_limited": 0.8, "overloaded": 0.7, "timeout": 0.5}
_SHORT_PAUSE = 5.0  # seconds of Retry-After that are simply waited for
_LONGEST_PAUSE = 60.0


@dataclass(slots=True)
class Ticket:
    """A call in flight."""

    started: float
    tokens: int
    probe: bool


@dataclass(slots=True)
class Memory:
    """What is worth remembering of a model after a restart."""

    limit: float
    tokens: float | None = None
    rate: float | None = None


@dataclass(slots=True)
class _Round:
    started: float
    done: int = 0
    work: float = 0.0
    peak: int = 0
    full: int = 0
    clean: bool = True
    waits: float = 0.0


class Controller:
    """The limit of one model in one worker. `ceiling` bounds it; `fixed` keeps it there and only honours pauses."""

    def __init__(self, ceiling: int, *, fixed: bool = False, memory: Memory | None = None) -> None:
        self._ceiling, self._fixed = ceiling, fixed
        self.limit = float(ceiling) if fixed else float(min(ceiling, memory.limit if memory else START))
        self.token_limit = memory.tokens if memory and not fixed else None
        self.rate = memory.rate if memory and not fixed else None
        self.reason = "fixed" if fixed else "remembered" if memory else "slow start"
        self.in_flight, self.tokens_in_flight = 0, 0
        self._slow_start = not memory and not fixed
        self._round: _Round | None = None
        self._best: tuple[float, float] | None = None  # (work per second, limit it was measured at)
        self._before_step: tuple[float, float] | None = None  # (limit, work per second) to return to
        self._rounds_to_step = 1
        self._patience = 1
        self._direction = 1
        self._last_cut = -math.inf
        self._streak = 0
        self._not_before = -math.inf
        self._next_start = -math.inf
        self._accepted: deque[float] = deque(maxlen=512)

    def ready_at(self, now: float, tokens: int) -> float:
        """When a call with that many tokens may start: `now`, a time to ask again at, or infinity (a call must end)."""
        if self.in_flight >= max(1, int(self.limit)) or (self._streak and self.in_flight):
            return math.inf
        if self.token_limit is not None and self.in_flight and self.tokens_in_flight + tokens > self.token_limit:
            return math.inf
        return max(now, self._not_before, self._next_start if self.rate else now)

    def start(self, now: float, tokens: int) -> Ticket:
        """A call starts; `ready_at` said that it may."""
        self.in_flight += 1
        self.tokens_in_flight += tokens
        if self._round is None:
            self._round = _Round(now)
        self._round.peak = max(self._round.peak, self.in_flight)
        self._round.full += self.in_flight >= 0.8 * int(self.limit)
        if self.rate:
            self._next_start = max(now - 1.0 / self.rate, self._next_start) + 1.0 / self.rate
        return Ticket(now, tokens, self._streak > 0)

    def finish(
        self,
        ticket: Ticket,
        now: float,
        kind: Kind,
        *,
        work: float = 1.0,
        ttft: float | None = None,
        retry_after: float | None = None,
    ) -> None:
        """A call ended. `work` is what it achieved in any fixed unit (tokens); `aborted` calls teach nothing."""
        self.in_flight -= 1
        self.tokens_in_flight -= ticket.tokens
        if kind in CUT:
            self._refused(ticket, now, kind, retry_after)
        elif kind == "ok":
            self._took(ticket, now, work, ttft)

    def pause(self, until: float) -> None:
        """No call starts before then (the model is down)."""
        self._not_before = max(self._not_before, until)

    @property
    def paused_until(self) -> float:
        return self._not_before

    @property
    def room(self) -> int:
        """Calls that could start now as far as the limit goes."""
        return max(0, int(self.limit) - self.in_flight)

    def memory(self) -> Memory:
        return Memory(self.limit, self.token_limit, self.rate)

    def _took(self, ticket: Ticket, now: float, work: float, ttft: float | None) -> None:
        self._accepted.append(now)
        if ticket.started >= self._last_cut:
            self._streak = 0
        current = self._round
        if self._fixed or current is None:
            return
        current.done += 1
        current.work += work
        current.waits += ttft or 0.0
        if current.done >= max(self.limit, 4) and now > current.started:
            self._end_round(current, now)
            self._round = _Round(now, peak=self.in_flight)

    def _refused(self, ticket: Ticket, now: float, kind: Kind, retry_after: float | None) -> None:
        fresh = ticket.started > self._last_cut
        self._pause_after(now, retry_after, fresh)
        if self._round is not None:
            self._round.clean = False
        if self._fixed or not fresh:
            return
        self._last_cut = now
        busy = self.in_flight + 1
        if kind == "rate_limited" and (rate := self._rate_taken(now)) is not None:
            self.rate = max(rate * 0.98, 0.01)
        else:
            self.limit = max(1.0, min(self.limit, busy) * CUT[kind])
        if kind != "rate_limited":
            self.token_limit = max(1.0, (self.tokens_in_flight + ticket.tokens) * CUT[kind])
        self._slow_start, self._before_step = False, None
        self._rounds_to_step = self._patience = 2
        self.reason = kind.replace("_", " ")

    def _pause_after(self, now: float, retry_after: float | None, fresh: bool) -> None:
        if fresh:
            self._streak += 1
        grown = min(0.5 * 2.0 ** min(self._streak, 10), _LONGEST_PAUSE)
        if retry_after is None:
            pause = grown if self._streak > 1 else 0.0
        else:
            pause = retry_after if retry_after <= _SHORT_PAUSE else min(retry_after, grown)
        self._not_before = max(self._not_before, now + pause)

    def _rate_taken(self, now: float) -> float | None:
        """Calls a second that the server took lately, if there are enough to tell."""
        recent = [at for at in self._accepted if at > now - 30.0]
        if len(recent) < 10 or now - recent[0] <= 0:
            return None
        return len(recent) / (now - recent[0])

    def _end_round(self, current: _Round, now: float) -> None:
        speed = current.work / (now - current.started)
        if not current.clean:
            return
        if self.rate is not None:
            self.rate *= 1.02
        if self.token_limit is not None:
            self.token_limit *= 1.05
        if current.full < 0.5 * current.done:  # there was not enough to do: the round says nothing about the limit
            return
        if self._best is None or speed > self._best[0]:
            self._best = (speed, self.limit)
        if self._slow_start:
            self._climb_fast(speed)
        elif self._before_step is not None:
            self._judge_step(speed)
        else:
            self._maybe_step(speed)

    def _climb_fast(self, speed: float) -> None:
        before = self._before_step
        if before is not None and speed < before[1] * 1.2:
            self._slow_start = False
            self._return_to(before, "doubling brought nothing")
            return
        self._before_step = (self.limit, speed)
        self._set(self.limit * 2)
        if self.limit >= self._ceiling:
            self._slow_start = False

    def _maybe_step(self, speed: float) -> None:
        assert self._best is not None
        if speed < 0.85 * self._best[0]:  # the server has changed: what was best is no longer
            self._best, self._patience = (speed, self.limit), 1
        self._rounds_to_step -= 1
        if self._rounds_to_step > 0:
            return
        self._before_step = (self.limit, speed)
        self._set(self.limit * STEP + 1 if self._direction > 0 else self.limit / STEP)
        self.reason = "trying more" if self._direction > 0 else "trying less"
        if self.limit == self._before_step[0]:
            self._before_step, self._direction, self._rounds_to_step = None, -self._direction, self._patience

    def _judge_step(self, speed: float) -> None:
        before = self._before_step
        assert before is not None
        assert self._best is not None
        up = self.limit > before[0]
        keeps = speed >= before[1] * PAYS if up else speed >= AS_GOOD * max(before[1], 0.9 * self._best[0])
        self._before_step = None
        if keeps:
            self._patience = self._rounds_to_step = 1
            self.reason = "more pays" if up else "less does as much"
            return
        self._direction = -self._direction
        self._patience = min(self._patience * 2, 16)
        self._return_to(before, "more did not pay" if up else "less did less")

    def _return_to(self, before: tuple[float, float], reason: str) -> None:
        self._before_step = None
        self._set(before[0])
        self._rounds_to_step = self._patience
        self.reason = reason

    def _set(self, limit: float) -> None:
        self.limit = min(max(limit, 1.0), float(self._ceiling))
