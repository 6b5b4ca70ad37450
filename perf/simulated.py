"""Servers as a discrete-event simulation, to try concurrency controllers on without waiting for a clock.

A client with endless work, which asks again what was refused, calls a server through a
`workers.limits.Controller`: a call starts whenever that lets it. Everything is deterministic for a seed.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from workers.limits import Controller, Kind, Ticket


@dataclass(eq=False)
class Request:
    """A call at the server. `work` is what is left of it, in the server's unit."""

    tokens: int
    arrived: float
    work: float = 0.0
    ticket: Ticket | None = None
    gone: bool = False


class Simulation:
    """The clock, the client, and what was counted."""

    def __init__(
        self, server: Server, controller: Controller, *, tokens: Callable[[random.Random], int], seed: int = 0
    ) -> None:
        self.now = 0.0
        self.random = random.Random(seed)
        self.finished: list[tuple[float, Kind, int]] = []
        self.peak = 0
        self._server, self._controller, self._tokens = server, controller, tokens
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._wakes_at = math.inf
        self._again: deque[int] = deque()
        self._next = tokens(self.random)

    def at(self, when: float, action: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (when, self._number, action))

    def run(self, seconds: float) -> Simulation:
        self.at(0.0, self._ask)
        while self._events and self._events[0][0] <= seconds:
            self.now, _, action = heapq.heappop(self._events)
            action()
        return self

    def reply(
        self, request: Request, kind: Kind, *, retry_after: float | None = None, ttft: float | None = None
    ) -> None:
        """The server answers (or the client gives up)."""
        assert request.ticket is not None
        request.gone = True
        self.finished.append((self.now, kind, request.tokens))
        if kind != "ok":
            self._again.append(request.tokens)
        self._controller.finish(
            request.ticket, self.now, kind, work=float(request.tokens), ttft=ttft, retry_after=retry_after
        )
        self._ask()

    def throughput(self, start: float, end: float) -> float:
        """Tokens of good answers a second between two times."""
        return sum(tokens for at, kind, tokens in self.finished if kind == "ok" and start <= at < end) / (end - start)

    def count(self, kind: Kind) -> int:
        return sum(1 for _, found, _ in self.finished if found == kind)

    def _ask(self) -> None:
        while True:
            at = self._controller.ready_at(self.now, self._next)
            if at > self.now:
                if at < self._wakes_at and not math.isinf(at):
                    self._wakes_at = at
                    self.at(at, self._wake)
                return
            request = Request(self._next, self.now)
            request.ticket = self._controller.start(self.now, request.tokens)
            self._next = self._again.popleft() if self._again else self._tokens(self.random)
            self.peak = max(self.peak, self._controller.in_flight)
            self._server.arrive(self, request)

    def _wake(self) -> None:
        self._wakes_at = math.inf
        self._ask()


class Server(Protocol):
    def arrive(self, simulation: Simulation, request: Request) -> None: ...


@dataclass
class Capacity:
    """`slots` calls at once, `seconds` each (give or take 10 %); others wait in a queue without end, as at vLLM and
    llama.cpp. `changes` are (time, new number of slots)."""

    slots: int
    seconds: float
    changes: list[tuple[float, int]] = field(default_factory=list)
    timeout: float = math.inf
    _busy: int = 0
    _queue: deque[Request] = field(default_factory=deque)

    def arrive(self, simulation: Simulation, request: Request) -> None:
        self._queue.append(request)
        if not math.isinf(self.timeout):
            simulation.at(simulation.now + self.timeout, lambda: self._give_up(simulation, request))
        self._serve(simulation)

    def _serve(self, simulation: Simulation) -> None:
        while self.changes and self.changes[0][0] <= simulation.now:
            self.slots = self.changes.pop(0)[1]
        while self._queue and self._busy < self.slots:
            request = self._queue.popleft()
            if not request.gone:
                self._busy += 1
                seconds = self.seconds * simulation.random.uniform(0.9, 1.1)
                wait = simulation.now - request.arrived
                simulation.at(simulation.now + seconds, lambda r=request, w=wait: self._end(simulation, r, w))  # type: ignore[misc]

    def _end(self, simulation: Simulation, request: Request, waited: float) -> None:
        self._busy -= 1
        if not request.gone:
            simulation.reply(request, "ok", ttft=waited + self.seconds / 10)
        self._serve(simulation)

    def _give_up(self, simulation: Simulation, request: Request) -> None:
        if not request.gone:
            simulation.reply(request, "timeout")


@dataclass
class Batching:
    """One engine that shares itself between the calls it runs: n of them together do `most * n / (n + half)` tokens a
    second. `cache` tokens fit at once; what exceeds them makes it recompute, so that work is lost with every call over.
    With `refuses` it answers 503 instead."""

    most: float
    half: float
    cache: float = math.inf
    refuses: bool = False
    _running: dict[Request, None] = field(default_factory=dict)
    _since: float = 0.0
    _version: int = 0

    def arrive(self, simulation: Simulation, request: Request) -> None:
        self._advance(simulation.now)
        if self.refuses and self._held + request.tokens > self.cache:
            simulation.at(simulation.now + 0.01, lambda: simulation.reply(request, "overloaded"))
            return
        request.work = float(request.tokens)
        self._running[request] = None
        self._plan(simulation)

    @property
    def _held(self) -> float:
        return sum(request.tokens for request in self._running)

    def _rate(self) -> float:
        n = len(self._running)
        over = max(0.0, self._held / self.cache - 1.0)
        return self.most * n / (n + self.half) / (1.0 + 2.0 * over)

    def _advance(self, now: float) -> None:
        if self._running:
            each = self._rate() * (now - self._since) / len(self._running)
            for request in self._running:
                request.work -= each
        self._since = now

    def _plan(self, simulation: Simulation) -> None:
        self._version += 1
        version = self._version
        if self._running:
            least = min(request.work for request in self._running)
            wait = max(least, 0.0) * len(self._running) / self._rate()
            simulation.at(simulation.now + wait, lambda: self._end(simulation, version))

    def _end(self, simulation: Simulation, version: int) -> None:
        if version != self._version:
            return
        self._advance(simulation.now)
        done = [request for request in self._running if request.work <= 1e-6]
        for request in done:
            del self._running[request]
        self._plan(simulation)
        for request in done:
            simulation.reply(request, "ok", ttft=(simulation.now - request.arrived) / 2)


@dataclass
class RateLimited:
    """Takes `per_minute` calls and answers 429 beyond: a bucket that refills steadily, or with `windows` a new count each
    minute. `Retry-After` is drawn between the two bounds (seconds), or with `windows` is the rest of the minute."""

    per_minute: float
    seconds: float
    retry_after: tuple[float, float] = (1.0, 90.0)
    windows: bool = False
    burst: float = 20.0
    _left: float = 20.0
    _since: float = 0.0

    def arrive(self, simulation: Simulation, request: Request) -> None:
        now = simulation.now
        if self.windows:
            if now // 60 != self._since // 60 or now == 0.0 == self._since:
                self._left = self.per_minute
        else:
            self._left = min(self.burst, self._left + (now - self._since) * self.per_minute / 60)
        self._since = now
        if self._left >= 1:
            self._left -= 1
            seconds = self.seconds * simulation.random.uniform(0.8, 1.2)
            simulation.at(now + seconds, lambda: simulation.reply(request, "ok", ttft=self.seconds / 2))
            return
        wait = 60 - now % 60 if self.windows else simulation.random.uniform(*self.retry_after)
        simulation.at(now + 0.05, lambda: simulation.reply(request, "rate_limited", retry_after=wait))


@dataclass
class Moody:
    """Takes any number of calls, `seconds` each, and answers 429 to some of them for no reason (that share)."""

    seconds: float
    refuses: float = 0.2

    def arrive(self, simulation: Simulation, request: Request) -> None:
        refused = simulation.random.random() < self.refuses
        kind: Kind = "rate_limited" if refused else "ok"
        after = 1.0 if refused else None
        seconds = 0.01 if refused else self.seconds * simulation.random.uniform(0.9, 1.1)
        simulation.at(simulation.now + seconds, lambda: simulation.reply(request, kind, retry_after=after))
