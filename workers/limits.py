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
- Under a rate limit, calls are paced at the rate that was taken, which rises slowly at first and faster the longer
  nothing is refused. Time in which there was nothing to ask says nothing of that rate, and after a minute of it the pace
  is found anew.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

Kind = Literal["ok", "rate_limited", "overloaded", "timeout", "failed", "aborted"]

START = 4
"""Calls in flight at which an unknown model is met."""
UP, DOWN = 1.5, 1.25
"""The factors of a step."""
PAYS, AS_GOOD = 1.02, 0.985
"""A larger limit is kept when it does that many times the work per second, a smaller one when it does that much of it."""
PRESSURE, PRESSURE_KEPT = 1.5, 1.15
"""Less is tried when a token takes that many times as long as it took at best: calls wait; the second is what is left."""
CUT = {"rate_limited": 0.8, "overloaded": 0.8, "timeout": 0.5}
_SHORT_PAUSE, _LONGEST_PAUSE = 5.0, 60.0  # seconds: what of Retry-After is simply waited for, and the longest pause
_ROUND, _STEP_ROUND = (1, 8), (3, 24)  # completions a round takes: times the limit, at least (slow start, steps)
_MOST_PATIENCE = 8
_RATE_UP, _RATE_UP_MOST = 1.02, 1.5
"""The pace rises by that factor a round without refusals, by its square after the next one, …, at most by the second."""
_IDLE, _FORGET_PACE = (
    1.0,
    60.0,
)  # seconds without work, not by a pause: rates do not count over them; the pace is forgotten
_TRIAL = 40  # calls after which a cut is judged


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
    full: int = 0
    clean: bool = True
    tokens_bound: bool = False


@dataclass(slots=True)
class _Cut:
    """A cut on trial: what stood before, the share of calls refused then, and what became of the calls since."""

    at: float
    limit: float
    rate: float | None
    share: float
    slow_start: bool
    calls: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class _Measured:
    limit: float
    speed: float


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
        self._settling = 0
        self._best = 0.0  # work per second, slowly forgotten
        self._least_wait = math.inf  # seconds of calls a unit of work took at best, slowly forgotten
        self._before: _Measured | None = None  # where a step started
        self._direction, self._patience, self._rounds_to_step = 1, 1, 1
        self._shrinking = False
        self._last_cut = -math.inf
        self._cut: _Cut | None = None
        self._tolerated = 0.0  # the share of refused calls that no cut helps against
        self._refusals: deque[bool] = deque(maxlen=64)
        self._streak = 0
        self._not_before = -math.inf
        self._next_start = -math.inf
        self._accepted: deque[float] = deque(maxlen=512)
        self._ended_at = math.inf
        self._rate_up = _RATE_UP

    def ready_at(self, now: float, tokens: int) -> float:
        """When a call with that many tokens may start: `now`, a time to ask again at, or infinity (a call must end)."""
        if self.in_flight >= max(1, int(self.limit)) or (self._streak > 1 and self.in_flight):
            return math.inf
        if self.token_limit is not None and self.in_flight and self.tokens_in_flight + tokens > self.token_limit:
            if self._round is not None:
                self._round.tokens_bound = True
            return math.inf
        return max(now, self._not_before, self._next_start if self.rate else now)

    def start(self, now: float, tokens: int) -> Ticket:
        """A call starts; `ready_at` said that it may."""
        if self.in_flight == 0:
            self._after_idling(now - max(self._ended_at, self._not_before, self._next_start))
        self.in_flight += 1
        self.tokens_in_flight += tokens
        if self._round is None:
            self._round = _Round(now)
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
        self._ended_at = now
        if kind in CUT:
            self._refused(ticket, now, kind, retry_after)
        elif kind == "ok":
            self._took(ticket, now, work)

    def pause(self, until: float) -> None:
        """No call starts before then, and after that a single one until one is answered (the model is down)."""
        self._not_before = max(self._not_before, until)
        self._streak = max(self._streak, 2)

    @property
    def paused_until(self) -> float:
        return self._not_before

    @property
    def room(self) -> int:
        """Calls that could start now as far as the limit goes."""
        return max(0, int(self.limit) - self.in_flight)

    def memory(self) -> Memory:
        return Memory(self.limit, self.token_limit, self.rate)

    def _after_idling(self, seconds: float) -> None:
        if seconds > _IDLE:
            self._accepted.clear()
        if seconds > _FORGET_PACE:
            self.rate = None

    def _took(self, ticket: Ticket, now: float, work: float) -> None:
        self._accepted.append(now)
        self._note(ticket, refused=False)
        if ticket.started >= self._last_cut:
            self._streak = 0
        current = self._round
        if self._fixed or current is None:
            return
        if self._settling > 0:  # calls that started under another limit say nothing of this one
            self._settling -= 1
            if self._settling == 0:
                self._round = _Round(now)
            return
        current.done += 1
        current.work += work
        times, least = _ROUND if self._slow_start else _STEP_ROUND
        if current.done >= max(times * self.limit, least) and now > current.started:
            self._round = _Round(now)
            self._end_round(current, now)

    def _refused(self, ticket: Ticket, now: float, kind: Kind, retry_after: float | None) -> None:
        fresh = ticket.started > self._last_cut
        self._pause_after(now, retry_after, fresh)
        self._note(ticket, refused=True)
        share = self._refused_share()
        if not fresh or (kind == "rate_limited" and share <= self._tolerated):
            return
        self._last_cut = now
        if self._fixed:
            return
        if kind == "rate_limited" and self._cut is None:
            self._cut = _Cut(now, self.limit, self.rate, share, self._slow_start)
        if self._round is not None:
            self._round.clean = False
        if kind == "rate_limited" and self._streak > 1:  # still the same episode: no call was taken since
            return
        if kind == "rate_limited" and (rate := self._rate_taken(now)) is not None:
            self.rate, self._rate_up = max(rate * 0.98, 0.01), _RATE_UP
        elif kind != "overloaded":
            self._set(min(self.limit, self.in_flight + 1) * CUT[kind])
        if kind != "rate_limited":
            self.token_limit = max(1.0, (self.tokens_in_flight + ticket.tokens) * CUT[kind])
        self._slow_start, self._before = False, None
        self._rounds_to_step = self._patience = 2
        self.reason = kind.replace("_", " ")

    def _note(self, ticket: Ticket, refused: bool) -> None:
        """Keep the share of refused calls, and judge the last cut when enough calls have come since: where as many are
        refused as before, refusals do not depend on us; the cut is taken back and such a share is put up with."""
        self._refusals.append(refused)
        cut = self._cut
        if cut is None or ticket.started <= cut.at:
            return
        cut.calls += 1
        cut.refused += refused
        if cut.calls < _TRIAL:
            return
        self._cut = None
        share = cut.refused / cut.calls
        if share < 0.6 * cut.share or share < 0.05:
            self._tolerated *= 0.9
            return
        self._tolerated = min(1.5 * share, 0.6)
        self.rate, self._slow_start = cut.rate, cut.slow_start
        self._set(cut.limit)
        self.reason = "refusals do not depend on the load"

    def _refused_share(self) -> float:
        return sum(self._refusals) / max(len(self._refusals), 16)

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
        if not current.clean:
            return
        if self.rate is not None:
            self.rate *= self._rate_up
            self._rate_up = min(self._rate_up**2, _RATE_UP_MOST)
            if self.rate > 8 * current.done / max(now - current.started, 1e-9):
                self.rate = None  # it holds nothing back
        if self.token_limit is not None and current.tokens_bound:
            self.token_limit *= 1.05
            return
        if current.full < 0.5 * current.done:  # there was not enough to do: the round says nothing about the limit
            return
        seconds = now - current.started
        here = _Measured(self.limit, current.work / seconds)
        wait = self.limit * seconds / max(current.work, 1.0)
        self._best = max(here.speed, self._best * 0.99)
        self._least_wait = min(wait, self._least_wait * 1.0003)
        if self._slow_start:
            self._climb_fast(here)
        elif self._before is not None:
            self._judge_step(here, self._before)
        else:
            self._maybe_step(here, wait / self._least_wait)

    def _climb_fast(self, here: _Measured) -> None:
        if self._before is not None and here.speed < self._before.speed * 1.2:
            self._slow_start = False
            self._return_to(self._before, "doubling brought little")
            return
        self._step_to(here, here.limit * 2, "slow start")
        self._slow_start = self._before is not None and self.limit < self._ceiling

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
        else:
            self._step_to(here, max(here.limit * UP, here.limit + 1), "trying more")
        if self._before is None:
            self._direction, self._rounds_to_step = -self._direction, self._patience

    def _judge_step(self, here: _Measured, before: _Measured) -> None:
        up = here.limit > before.limit
        self._before = None
        if here.speed >= (before.speed * PAYS if up else AS_GOOD * max(before.speed, 0.97 * self._best)):
            self._direction, self._shrinking = (1, False) if up else (-1, True)
            self._patience = self._rounds_to_step = 1
            self.reason = "more pays" if up else "less does as much"
            return
        self._direction = -1 if up else 1
        self._patience = min(self._patience * 2, _MOST_PATIENCE)
        self._return_to(before, "more did not pay" if up else "less did less")

    def _step_to(self, here: _Measured, limit: float, reason: str) -> None:
        """Try another limit; `_before` stays None when the ceiling or the floor is reached."""
        self._set(limit)
        self._before = here if self.limit != here.limit else None
        self.reason = reason

    def _return_to(self, before: _Measured, reason: str) -> None:
        self._before = None
        self._set(before.limit)
        self._rounds_to_step = self._patience
        self.reason = reason

    def _set(self, limit: float) -> None:
        limit = min(max(limit, 1.0), float(self._ceiling))
        if limit != self.limit:
            self.limit, self._settling = limit, self.in_flight
