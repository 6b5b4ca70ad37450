"""A lane a model: its samples from claimed over built to asked, within the model's limit."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from protocol.workers import Outcome
from workers.apis.base import Target
from workers.claims import Room
from workers.errors import CallError
from workers.jobs import JobShelf, OpenJob
from workers.limits import Controller, Kind, Ticket
from workers.metrics import POLL_SECONDS, Metrics
from workers.runner import Asked, Built, Item, ask, conclude, failure, hand_back
from workers.stock import Stock
from workers.turnover import Turnover

DOWN_FIRST, DOWN_LONGEST = 1.0, 60.0  # seconds without calls after a dead model
AHEAD_SECONDS = 0.25
"""Samples are claimed that much ahead of their start, so that no connection waits for the service."""
LONGEST_HOLD = 20.0
"""Seconds of pause beyond which samples that wait are handed back."""
JUDGE_SLICE = 0.002
"""Seconds of judging answers at a time: calls that end meanwhile make place for others first."""
log = logging.getLogger(__name__)

_KINDS: dict[str, Kind] = {
    "rate_limited": "rate_limited",
    "overloaded": "overloaded",
    "timeout": "timeout",
}


@dataclass(frozen=True, slots=True)
class _Begun:
    """A call in flight: its number among those of the lane, and the controller's ticket."""

    job: OpenJob
    built: Built
    ticket: Ticket
    number: int


class Slots:
    """Calls in flight over all lanes of a worker; lanes that wait for one are pumped in turn."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling, self.free = ceiling, ceiling
        self._waiting: dict[Lane, None] = {}

    def wait(self, lane: Lane) -> None:
        self._waiting[lane] = None

    def waited_for(self, lane: Lane) -> bool:
        """Whether other lanes wait."""
        return len(self._waiting) > (lane in self._waiting)

    def release(self) -> None:
        self.free += 1
        for lane in list(self._waiting):
            if self.free <= 0:
                return
            del self._waiting[lane]
            lane.pump()


class Lane:
    """Samples of one model in one worker. `on_outcome` gets every outcome, `on_room` is called when samples may be
    claimed again, `may_ask` tells whether a lease still holds. All methods run in the event loop."""

    def __init__(
        self,
        target: Target,
        controller: Controller,
        slots: Slots,
        shelf: JobShelf,
        on_outcome: Callable[[Item, Outcome], None],
        on_room: Callable[[], None],
        *,
        stream: bool = False,
        may_ask: Callable[[int], bool] = lambda lease: True,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._target, self.controller, self._slots = target, controller, slots
        self._on_outcome, self._on_room, self._stream, self._may_ask = on_outcome, on_room, stream, may_ask
        self._metrics = Metrics(target, lambda: bool(self._running), controller.pressed, poll_seconds)
        self._stock = Stock(shelf, on_outcome, self.pump)
        self._running: dict[asyncio.Task[None], _Begun] = {}
        self._answered: deque[tuple[OpenJob, Asked]] = deque()
        self._judging: asyncio.Handle | None = None
        self._turnover = Turnover(time.monotonic())
        self._ahead = 0
        self._timer: asyncio.TimerHandle | None = None
        self._downs = 0

    @property
    def held(self) -> int:
        """Samples claimed and not ended."""
        return len(self._stock) + len(self._running) + len(self._answered)

    @property
    def in_flight(self) -> int:
        return len(self._running)

    def room(self) -> Room:
        """Samples worth claiming: the free part of the limit, and what will end while a claim is under way."""
        model, now = self._target.model.name, time.monotonic()
        if self.controller.paused_until > now:
            return Room(model, 0, 1)
        limit = int(self.controller.limit)
        self._ahead = min(2 * limit, self._turnover.due(now, AHEAD_SECONDS))
        return Room(model, limit + self._ahead - self._pending, self._ahead // 2)

    def add(self, items: Iterable[Item]) -> None:
        self._stock.add(items)
        self._build_ahead()

    def drop(self, leases: Iterable[int]) -> None:
        """Forget samples of leases that are lost, and stop their calls; nothing is reported of them."""
        gone = set(leases)
        self._stock.drop(gone)
        for task, begun in self._running.items():
            if begun.built.item.lease in gone:
                task.cancel()

    def hand_back(self, reason: str) -> None:
        """Give back every sample that is not being asked."""
        for item in self._stock.clear():
            self._on_outcome(item, hand_back(item, reason))

    async def stop(self, reason: str) -> None:
        """Stop all calls and give their samples back."""
        self.hand_back(reason)
        running = dict(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, self._stock.stop(), return_exceptions=True)
        while self._answered:
            self._judge()
        for begun in running.values():
            self._on_outcome(begun.built.item, hand_back(begun.built.item, reason))
        self.hand_back(reason)
        await self._metrics.stop()

    def pump(self) -> None:
        """Start what may start now."""
        while (begun := self._begin()) is not None:
            task = asyncio.create_task(self._run(begun))
            self._running[task] = begun
            task.add_done_callback(self._after)
        if self._running:
            self._metrics.wake()
        self._build_ahead()

    def _begin(self) -> _Begun | None:
        """Take a place and the sample whose turn it is, if a call may start now."""
        while (built := self._stock.first()) is not None:
            now = time.monotonic()
            if not self._may_ask(built.item.lease):  # a process that was frozen finds its leases over when it wakes
                self.drop([built.item.lease])
                continue
            if self._slots.free <= 0:
                self._slots.wait(self)
                return None
            at = self.controller.ready_at(now, built.tokens)
            if at > now:
                self._wake_at(at, now)
                return None
            job, built = self._stock.take()
            self._slots.free -= 1
            return _Begun(job, built, self.controller.start(now, built.tokens), self._turnover.start(now))
        return None

    def _wake_at(self, at: float, now: float) -> None:
        if at - now > LONGEST_HOLD and not math.isinf(at):
            self.hand_back(f"the model takes no calls for {at - now:.0f} s")
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not math.isinf(at):
            self._timer = asyncio.get_running_loop().call_later(at - now, self.pump)

    async def _run(self, begun: _Begun) -> None:
        """Make a call, and those that take its place: whichever ends first sends the next first, before other answers
        that came with its own are read. Otherwise calls that once went out together would do so for ever."""
        task = asyncio.current_task()
        assert task is not None
        while True:
            asked = await self._ask(begun)
            del self._running[task]
            self._end(begun, asked)
            if self._slots.waited_for(self):
                self._slots.wait(self)
                self._slots.release()
                return
            self._slots.free += 1
            following = self._begin()
            self.pump()
            if following is None:
                return
            begun = self._running[task] = following

    def _after(self, task: asyncio.Task[None]) -> None:
        """A task is over; if in mid-call, it was stopped."""
        begun = self._running.pop(task, None)
        if begun is not None:
            self._turnover.forget(begun.number)
            self.controller.finish(begun.ticket, time.monotonic(), "aborted")
            self._slots.wait(self)
            self._slots.release()
            self._tell_of_room()

    def _end(self, begun: _Begun, asked: Asked) -> None:
        now = time.monotonic()
        self._turnover.end(begun.number, now)
        self._answered.append((begun.job, asked))
        if self._judging is None:
            self._judging = asyncio.get_running_loop().call_soon(self._judge)
        self._learn(asked, begun.ticket, now)
        self._tell_of_room()

    @property
    def _pending(self) -> int:
        """Samples that take up the limit now or will."""
        return len(self._stock) + len(self._running)

    def _tell_of_room(self) -> None:
        if int(self.controller.limit) + self._ahead - self._pending >= max(1, self._ahead // 2):
            self._on_room()

    async def _ask(self, begun: _Begun) -> Asked:
        try:
            return await ask(begun.job, self._target, begun.built, stream=self._stream)
        except Exception as error:  # the boundary of a sample: an API kind met what it did not foresee
            log.exception("sample %s", begun.built.item.name)
            wrong = CallError("internal", f"{type(error).__name__}: {error}", permanent=True)
            return Asked(begun.built, None, error=wrong)

    def _judge(self) -> None:
        """Report what was answered, for a slice of time."""
        self._judging = None
        end = time.perf_counter() + JUDGE_SLICE
        while self._answered and time.perf_counter() < end:
            job, asked = self._answered.popleft()
            item = asked.built.item
            try:
                outcome = conclude(job, self._target, asked)
            except Exception as error:  # the boundary of a sample: whatever a benchmark's scoring raises
                log.exception("sample %s", item.name)
                wrong = CallError("internal", f"{type(error).__name__}: {error}", permanent=True)
                outcome = failure(item, wrong, asked.built.prompt_sha256)
            self._on_outcome(item, outcome)
        if self._answered:
            self._judging = asyncio.get_running_loop().call_soon(self._judge)

    def _learn(self, asked: Asked, ticket: Ticket, now: float) -> None:
        error = asked.error
        if error is None and asked.work == 0:
            self.controller.finish(ticket, now, "aborted")
        elif error is None:
            self._downs = 0
            self.controller.finish(ticket, now, "ok", work=asked.work, ttft=asked.ttft)
        else:
            kind = _KINDS.get(error.cause, "failed")
            self.controller.finish(ticket, now, kind, retry_after=error.retry_after)
            if error.model_down:
                self._model_is_down(now, error)

    def _model_is_down(self, now: float, error: CallError) -> None:
        """Back off as a whole: no calls for a while, and what waits goes back."""
        if self.controller.paused_until > now:
            return
        wait = min(DOWN_FIRST * 2.0**self._downs, DOWN_LONGEST)
        self._downs += 1
        self.controller.pause(now + max(random.uniform(wait / 2, wait), error.retry_after or 0.0))
        log.warning("model %s is down, next try in about %.0f s: %s", self._target.model.name, wait, error.message)
        self.hand_back("the model is down")

    def _build_ahead(self) -> None:
        """Keep as many samples built as may start soon: all that start now, and one for each call in flight."""
        limit = int(self.controller.limit)
        self._stock.build_ahead(max(1, limit + self.controller.room))
