"""How many calls a worker has in flight at one model: fixed, or found while it runs. Pure: times are given in seconds.

The adaptive rule, by what it reacts to:
- It climbs while that pays, and gives way to a queue or a full cache that the engine tells of: `workers.ramps`.
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

from workers.pressure import Pressure
from workers.ramps import START, Ramp, Round

Kind = Literal["ok", "rate_limited", "overloaded", "timeout", "failed", "aborted"]

CUT = {"rate_limited": 0.8, "overloaded": 0.8, "timeout": 0.5}
_SHORT_PAUSE, _LONGEST_PAUSE = 5.0, 60.0  # seconds: what of Retry-After is simply waited for, and the longest pause
_RATE_UP, _RATE_UP_MOST = 1.02, 1.5
"""The pace rises by that factor a round without refusals, by its square after the next one, …, at most by the second."""
_IDLE, _FORGET_PACE = (
    1.0,
    60.0,
)  # seconds without work, not by a pause: rates do not count over them; the pace is forgotten
_TRIAL = 40  # calls after which a cut is judged


@dataclass(slots=True)
class Ticket:
    """A call in flight; a trial finds out whether the server takes calls again."""

    started: float
    tokens: int
    trial: bool


@dataclass(slots=True)
class Memory:
    """What is worth remembering of a model after a restart."""

    limit: float
    tokens: float | None = None
    rate: float | None = None


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


class Controller:
    """The limit of one model in one worker. `ceiling` bounds it; `fixed` keeps it there and only honours pauses."""

    def __init__(self, ceiling: int, *, fixed: bool = False, memory: Memory | None = None) -> None:
        self._fixed = fixed
        limit = float(ceiling) if fixed else float(min(ceiling, memory.limit if memory else START))
        reason = "fixed" if fixed else "remembered" if memory else "slow start"
        self._ramp = Ramp(ceiling, limit, slow_start=not memory and not fixed, reason=reason)
        self.token_limit = memory.tokens if memory and not fixed else None
        self.rate = memory.rate if memory and not fixed else None
        self.tokens_in_flight = 0
        self._last_cut = -math.inf
        self._cut: _Cut | None = None
        self._tolerated = 0.0  # the share of refused calls that no cut helps against
        self._refusals: deque[bool] = deque(maxlen=64)
        self._streak = 0
        self._trials = 0  # calls in flight that started while the streak lasted
        self._not_before = -math.inf
        self._next_start = -math.inf
        self._accepted: deque[float] = deque(maxlen=512)
        self._ended_at = math.inf
        self._rate_up = _RATE_UP

    @property
    def limit(self) -> float:
        return self._ramp.limit

    @property
    def in_flight(self) -> int:
        return self._ramp.in_flight

    @property
    def reason(self) -> str:
        """Why the limit is what it is, in words."""
        return self._ramp.why

    def ready_at(self, now: float, tokens: int) -> float:
        """When a call with that many tokens may start: `now`, a time to ask again at, or infinity (a call must end)."""
        if self.in_flight >= max(1, int(self.limit)) or (self._streak > 1 and self._trials):
            return math.inf
        if self.token_limit is not None and self.in_flight and self.tokens_in_flight + tokens > self.token_limit:
            self._ramp.bound_by_tokens()
            return math.inf
        return max(now, self._not_before, self._next_start if self.rate else now)

    def start(self, now: float, tokens: int) -> Ticket:
        """A call starts; `ready_at` said that it may."""
        if self.in_flight == 0:
            self._after_idling(now - max(self._ended_at, self._not_before, self._next_start))
        self._ramp.in_flight += 1
        self.tokens_in_flight += tokens
        self._ramp.started(now)
        if self.rate:
            self._next_start = max(now - 1.0 / self.rate, self._next_start) + 1.0 / self.rate
        trial = self._streak > 1
        self._trials += trial
        return Ticket(now, tokens, trial)

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
        self._ramp.in_flight -= 1
        self.tokens_in_flight -= ticket.tokens
        self._trials -= ticket.trial
        self._ended_at = now
        if kind in CUT:
            self._refused(ticket, now, kind, retry_after)
        elif kind == "ok":
            self._took(ticket, now, work)

    def pressed(self, pressure: Pressure | None) -> None:
        """What the engine says of itself, polled every couple of seconds while calls are in flight; None when it says
        nothing any more. It never stops a call from starting within the limit."""
        if not self._fixed:
            self._ramp.pressed(pressure)

    def pause(self, until: float) -> None:
        """No call starts before then, and after that one at a time until one is answered (the model is down). Those under
        way do not count: they may hang on connections to a server that is no more."""
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
        if not self._fixed and (ended := self._ramp.answered(now, work)) is not None:
            self._end_round(ended, now)

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
            self._cut = _Cut(now, self.limit, self.rate, share, self._ramp.slow_start)
        self._ramp.spoil_round()
        if kind == "rate_limited" and self._streak > 1:  # still the same episode: no call was taken since
            return
        if kind == "rate_limited" and (rate := self._rate_taken(now)) is not None:
            self.rate, self._rate_up = max(rate * 0.98, 0.01), _RATE_UP
        elif kind != "overloaded":
            self._ramp.set(min(self.limit, self.in_flight + 1) * CUT[kind])
        if kind != "rate_limited":
            self.token_limit = max(1.0, (self.tokens_in_flight + ticket.tokens) * CUT[kind])
        self._ramp.refused(kind.replace("_", " "))

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
        self._tolerated = min(share + 3 * math.sqrt(share * (1 - share) / 64), 0.6)
        self.rate, self._ramp.slow_start = cut.rate, cut.slow_start
        self._ramp.set(cut.limit)
        self._ramp.reason = "refusals do not depend on the load"

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
        if pause:
            self._ramp.paused()
        self._not_before = max(self._not_before, now + pause)

    def _rate_taken(self, now: float) -> float | None:
        """Calls a second that the server took lately, if there are enough to tell."""
        recent = [at for at in self._accepted if at > now - 30.0]
        if len(recent) < 10 or now - recent[0] <= 0:
            return None
        return len(recent) / (now - recent[0])

    def _end_round(self, current: Round, now: float) -> None:
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
        self._ramp.judge(current, now)
