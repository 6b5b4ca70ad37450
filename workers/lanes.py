"""A lane a model: its samples from claimed over built to asked, within the model's limit."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterable

from protocol.workers import Outcome
from workers.apis.base import Target
from workers.claims import Room
from workers.errors import CallError
from workers.jobs import JobShelf, OpenJob
from workers.limits import Controller, Kind, Ticket
from workers.metrics import POLL_SECONDS, Metrics
from workers.runner import Asked, Built, Item, ask, build, failure, hand_back

BUILD_SLICE = 0.002
"""Seconds of building a hop to a thread takes at most beyond the first sample: hops cost as much as small samples."""
READY_TOKENS = 2_000_000
"""Prompts built ahead hold at most this many tokens (some 8 MB of text)."""
DOWN_FIRST, DOWN_LONGEST = 1.0, 60.0  # seconds without calls after a dead model
AHEAD_SECONDS = 0.25
"""Samples are claimed that much ahead of their start, so that no connection waits for the service."""
LONGEST_HOLD = 20.0
"""Seconds of pause beyond which samples that wait are handed back."""
_BUILDERS = min(4, os.cpu_count() or 1)
log = logging.getLogger(__name__)

_KINDS: dict[str, Kind] = {
    "rate_limited": "rate_limited",
    "overloaded": "overloaded",
    "timeout": "timeout",
}


class Slots:
    """Calls in flight over all lanes of a worker; lanes that wait for one are pumped in turn."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling, self.free = ceiling, ceiling
        self._waiting: dict[Lane, None] = {}

    def wait(self, lane: Lane) -> None:
        self._waiting[lane] = None

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
        self._target, self.controller, self._slots, self._shelf = target, controller, slots, shelf
        self._on_outcome, self._on_room, self._stream, self._may_ask = on_outcome, on_room, stream, may_ask
        self._metrics = Metrics(target, lambda: bool(self._running), controller.pressed, poll_seconds)
        self._waiting: deque[Item] = deque()
        self._ready: deque[tuple[OpenJob, Built]] = deque()
        self._ready_tokens = 0
        self._builders: set[asyncio.Task[None]] = set()
        self._building = 0
        self._running: dict[asyncio.Task[None], Item] = {}
        self._dropped: set[int] = set()
        self._unfinished: dict[asyncio.Task[None], Ticket] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._downs = 0
        self._ended, self._counted_at, self._ahead = 0, time.monotonic(), 0

    @property
    def held(self) -> int:
        """Samples claimed and not ended."""
        return len(self._waiting) + self._building + len(self._ready) + len(self._running)

    @property
    def in_flight(self) -> int:
        return len(self._running)

    def room(self) -> Room:
        """Samples worth claiming: the free part of the limit, and what will end while a claim is under way."""
        model = self._target.model.name
        if self.controller.paused_until > time.monotonic():
            return Room(model, 0, 1)
        return Room(model, int(self.controller.limit) + self._ahead - self.held, self._ahead // 2)

    def add(self, items: Iterable[Item]) -> None:
        self._waiting.extend(items)
        self._build_ahead()

    def drop(self, leases: Iterable[int]) -> None:
        """Forget samples of leases that are lost, and stop their calls; nothing is reported of them."""
        gone = set(leases)
        self._waiting = deque(item for item in self._waiting if item.lease not in gone)
        self._ready = deque(entry for entry in self._ready if entry[1].item.lease not in gone)
        self._ready_tokens = sum(built.tokens for _, built in self._ready)
        if self._building:
            self._dropped |= gone
        for task, item in self._running.items():
            if item.lease in gone:
                task.cancel()

    def hand_back(self, reason: str) -> None:
        """Give back every sample that is not being asked."""
        items = [*self._waiting, *(built.item for _, built in self._ready)]
        self._waiting.clear()
        self._ready.clear()
        self._ready_tokens = 0
        for item in items:
            self._on_outcome(item, hand_back(item, reason))

    async def stop(self, reason: str) -> None:
        """Stop all calls and give their samples back."""
        self.hand_back(reason)
        running = dict(self._running)
        for task in (*running, *self._builders):
            task.cancel()
        await asyncio.gather(*running, *self._builders, return_exceptions=True)
        for item in running.values():
            self._on_outcome(item, hand_back(item, reason))
        self.hand_back(reason)
        await self._metrics.stop()

    def pump(self) -> None:
        """Start what may start now."""
        while self._ready:
            now = time.monotonic()
            built = self._ready[0][1]
            if not self._may_ask(built.item.lease):  # a process that was frozen finds its leases over when it wakes
                self.drop([built.item.lease])
                continue
            if self._slots.free <= 0:
                self._slots.wait(self)
                break
            at = self.controller.ready_at(now, built.tokens)
            if at > now:
                self._wake_at(at, now)
                break
            job, built = self._ready.popleft()
            self._ready_tokens -= built.tokens
            ticket = self.controller.start(now, built.tokens)
            self._slots.free -= 1
            task = asyncio.create_task(self._run(job, built, ticket))
            self._running[task], self._unfinished[task] = built.item, ticket
            task.add_done_callback(self._after)
        if self._running:
            self._metrics.wake()
        self._build_ahead()

    def _wake_at(self, at: float, now: float) -> None:
        if at - now > LONGEST_HOLD and not math.isinf(at):
            self.hand_back(f"the model takes no calls for {at - now:.0f} s")
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not math.isinf(at):
            self._timer = asyncio.get_running_loop().call_later(at - now, self.pump)

    def _after(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        ticket = self._unfinished.pop(task, None)
        if ticket is not None:  # it was stopped before it began
            self.controller.finish(ticket, time.monotonic(), "aborted")
        self._count_ended(time.monotonic())
        self._slots.wait(self)
        self._slots.release()
        if int(self.controller.limit) + self._ahead - self.held >= max(1, self._ahead // 2):
            self._on_room()

    def _count_ended(self, now: float) -> None:
        """Keep track of how many calls end a second, and so of how far ahead claims should reach."""
        self._ended += 1
        if now - self._counted_at >= 1.0 or (not self._ahead and self._ended >= 32):
            self._ahead = min(
                int(self.controller.limit), int(self._ended / (now - self._counted_at) * AHEAD_SECONDS + 0.5)
            )
            self._ended, self._counted_at = 0, now

    async def _run(self, job: OpenJob, built: Built, ticket: Ticket) -> None:
        asked: Asked | None = None
        try:
            asked = await ask(job, self._target, built, stream=self._stream)
        except Exception as error:
            log.exception("sample %s/%s/%s", built.item.job, built.item.cell.cell, built.item.index)
            wrong = CallError("internal", f"{type(error).__name__}: {error}", permanent=True)
            self._on_outcome(built.item, failure(built.item, wrong, built.prompt_sha256))
        finally:
            if (here := asyncio.current_task()) is not None:
                self._unfinished.pop(here, None)
            self._learn(asked, ticket)
        if asked is not None:
            self._on_outcome(built.item, asked.outcome)

    def _learn(self, asked: Asked | None, ticket: Ticket) -> None:
        now = time.monotonic()
        error = asked.error if asked else None
        if asked is None or (error is None and asked.work == 0):
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
        """Keep about as many samples built as may start soon."""
        wanted = max(1, self.controller.room + int(self.controller.limit) // 2)
        while (
            self._waiting
            and len(self._builders) < _BUILDERS
            and len(self._ready) + self._building < wanted
            and self._ready_tokens < READY_TOKENS
        ):
            chunk = self._take_chunk(wanted - len(self._ready) - self._building)
            self._building += len(chunk)
            task = asyncio.create_task(self._build(chunk))
            self._builders.add(task)
            task.add_done_callback(self._after_build)

    def _after_build(self, task: asyncio.Task[None]) -> None:
        """Only now is the builder's place free: pumped by the task itself, builders that end together would each find the
        places taken, and what waits would stay until a call ends."""
        self._builders.discard(task)
        if not task.cancelled():
            self.pump()

    def _take_chunk(self, most: int) -> list[Item]:
        """Samples of one job from the front."""
        job = self._waiting[0].job
        chunk: list[Item] = []
        while self._waiting and len(chunk) < min(most, 64) and self._waiting[0].job == job:
            chunk.append(self._waiting.popleft())
        return chunk

    async def _build(self, chunk: list[Item]) -> None:
        left = list(chunk)
        try:
            job = await self._shelf.open(chunk[0].job)
            built, left, wrong = await asyncio.to_thread(build_slice, job, chunk)
            for one in built:
                if one.item.lease not in self._dropped:
                    self._ready.append((job, one))
                    self._ready_tokens += one.tokens
            for item, error in wrong:
                self._on_outcome(item, failure(item, error))
        except CallError as error:
            for item in chunk:
                self._on_outcome(item, failure(item, error))
            left = []
        except Exception as error:  # else the samples would be tried here for ever
            log.exception("job %s", chunk[0].job)
            wrong_here = CallError("internal", f"the job cannot be opened: {type(error).__name__}: {error}")
            for item in left:
                self._on_outcome(item, failure(item, wrong_here))
            left = []
        finally:
            self._building -= len(chunk)
            self._waiting.extendleft(item for item in reversed(left) if item.lease not in self._dropped)
            if not self._building:
                self._dropped.clear()


def build_slice(job: OpenJob, chunk: list[Item]) -> tuple[list[Built], list[Item], list[tuple[Item, CallError]]]:
    """Build samples until the slice of time is over: (built, left, failed). Runs in a thread."""
    end = time.perf_counter() + BUILD_SLICE
    built: list[Built] = []
    wrong: list[tuple[Item, CallError]] = []
    for number, item in enumerate(chunk):
        if number and time.perf_counter() > end:
            return built, chunk[number:], wrong
        try:
            built.append(build(job, item))
        except CallError as error:  # the server that counts tokens did not answer
            wrong.append((item, error))
        except Exception as error:  # noqa: BLE001 - the boundary of a sample: whatever a benchmark raises
            message = f"the sample cannot be built: {type(error).__name__}: {error}"
            wrong.append((item, CallError("benchmark", message, permanent=True)))
    return built, [], wrong
