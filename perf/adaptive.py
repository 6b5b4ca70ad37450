"""Adaptive concurrency against the best fixed setting, on simulated servers: `python -m perf.adaptive`.

The simulation runs the worker's own controller (`workers.limits`) in virtual time, so that an hour at a server takes
a second. The servers:

- `capacity`: works on C calls at full speed, on more at the same total speed (a GPU with continuous batching).
- `kv-cache`: holds K tokens; calls beyond wait, and waiting calls cost a third of the speed (preemption). Prompt
  lengths grow from cell to cell, so that no one number of calls is right throughout.
- `rate limit`: takes R calls a minute and refuses others with 429 and a Retry-After between 1 and 90 s.
- `engine queue`: works on 24 calls of 8000 tokens, as many as its cache holds, lets others wait, never refuses, and tells
  no time to first token; its metrics, asked for every two seconds, tell queue and cache (as vLLM's do).
- `changing`: its capacity falls to a quarter in mid-run and comes back.

For each: the best throughput of any fixed setting, adaptive throughput after the first tenth of the run as a share of it
(the aim: at least 0.95), and the worst twentieth of the run after that.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

from workers.limits import Controller, Kind, Ticket
from workers.metrics import POLL_SECONDS
from workers.pressure import Pressure

AIM = 0.95
CEILING = 256
SETTINGS = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 192, 256)


@dataclass(order=True)
class Call:
    """A call at a server: `size` seconds of work alone, `tokens` long."""

    finish: float
    number: int
    tokens: int = field(compare=False, default=0)
    size: float = field(compare=False, default=0.0)
    ticket: Ticket | None = field(compare=False, default=None)
    arrived: float = field(compare=False, default=0.0)
    waited: float = field(compare=False, default=0.0)


class Server:
    """Shares its speed equally among the calls it works on. `served` is the seconds of work each has got."""

    def __init__(self, capacity: Callable[[float], float], tokens: float = float("inf"), thrash: float = 1.0) -> None:
        self.capacity, self.tokens, self.thrash = capacity, tokens, thrash
        self.running: list[Call] = []
        self.waiting: list[Call] = []
        self.held = 0
        self.served = 0.0
        self.now = 0.0

    def refuses(self, now: float) -> float | None:
        """The Retry-After of a refusal, or None."""
        return None

    def advance(self, now: float) -> None:
        self.served += self._speed() * (now - self.now)
        self.now = now

    def take(self, call: Call) -> None:
        self.waiting.append(call)
        self._admit()

    def next_finish(self) -> float:
        """When the next call will be done, if nothing changes."""
        return self.now + max(self.running[0].finish - self.served, 0) / self._speed() if self.running else float("inf")

    def finish(self) -> Call:
        call = heapq.heappop(self.running)
        self.held -= call.tokens
        self._admit()
        return call

    def pressure(self) -> Pressure:
        """What its metrics say."""
        return Pressure(len(self.waiting), len(self.running), self.held / self.tokens)

    def _speed(self) -> float:
        each = min(1.0, self.capacity(self.now) / max(len(self.running), 1))
        return each * (self.thrash if self.waiting else 1.0)

    def _admit(self) -> None:
        while self.waiting and (not self.running or self.held + self.waiting[0].tokens <= self.tokens):
            call = self.waiting.pop(0)
            call.waited = self.now - call.arrived
            call.finish = self.served + call.size
            self.held += call.tokens
            heapq.heappush(self.running, call)


class RateLimited(Server):
    """A bucket of `rate` calls a minute that fills steadily and holds a tenth of them."""

    def __init__(self, rate: float, seed: int) -> None:
        super().__init__(lambda now: 1000.0)
        self.rate, self.random = rate / 60, random.Random(seed)
        self.burst = rate / 10
        self.bucket, self.filled = self.burst, 0.0

    def refuses(self, now: float) -> float | None:
        self.bucket = min(self.burst, self.bucket + (now - self.filled) * self.rate)
        self.filled = now
        if self.bucket >= 1:
            self.bucket -= 1
            return None
        return float(self.random.randint(1, 90))


@dataclass(frozen=True)
class Scenario:
    """`server(seconds)` makes a server for a run of that long; `tokens(share)` a prompt's length at that part of it."""

    name: str
    server: Callable[[float], Server]
    tokens: Callable[[float], int]
    seconds: float
    size: Callable[[int], float]
    metrics: bool = False


SCENARIOS = (
    Scenario("capacity 24", lambda s: Server(lambda now: 24.0), lambda share: 8000, 3600, lambda n: 4.0),
    Scenario("capacity 3", lambda s: Server(lambda now: 3.0), lambda share: 8000, 3600, lambda n: 4.0),
    Scenario("capacity 150", lambda s: Server(lambda now: 150.0), lambda share: 8000, 3600, lambda n: 4.0),
    Scenario(
        "kv-cache",
        lambda s: Server(lambda now: 64.0, tokens=400_000, thrash=0.67),
        lambda share: (4000, 8000, 16_000, 32_000, 64_000)[min(int(share * 5), 4)],
        7200,
        lambda n: 1.0 + n / 4000,
    ),
    Scenario(
        "engine queue",
        lambda s: Server(lambda now: 24.0, tokens=24 * 8000, thrash=0.67),
        lambda share: 8000,
        3600,
        lambda n: 4.0,
        metrics=True,
    ),
    Scenario("rate limit", lambda s: RateLimited(300, 1), lambda share: 4000, 3600, lambda n: 1.5),
    Scenario("slow rate limit", lambda s: RateLimited(60, 2), lambda share: 4000, 3600, lambda n: 1.5),
    Scenario(
        "changing",
        lambda s: Server(lambda now: 8.0 if 0.4 * s < now < 0.7 * s else 32.0),
        lambda share: 8000,
        3600,
        lambda n: 4.0,
    ),
)


@dataclass
class Run:
    """Work done by time, in tokens."""

    seconds: float
    done: list[tuple[float, int]] = field(default_factory=list)
    refused: int = 0

    def rate(self, start: float = 0.0, end: float = 1.0) -> float:
        """Tokens a second in that part of the run."""
        first, last = start * self.seconds, end * self.seconds
        return sum(tokens for at, tokens in self.done if first <= at < last) / (last - first)

    def profile(self, parts: int) -> list[float]:
        return [self.rate(n / parts, (n + 1) / parts) for n in range(parts)]


def simulate(scenario: Scenario, controller: Controller, seed: int = 0) -> Run:
    """Keep a server busy through the controller for the scenario's time."""
    server, jitter, numbers = scenario.server(scenario.seconds), random.Random(seed), itertools.count()
    run, now, poll = Run(scenario.seconds), 0.0, POLL_SECONDS if scenario.metrics else float("inf")
    while now < scenario.seconds:
        tokens = scenario.tokens(now / scenario.seconds)
        ready = controller.ready_at(now, tokens)
        while ready <= now:
            _begin(scenario, server, controller, run, now, tokens, jitter, numbers)
            ready = controller.ready_at(now, tokens)
        at = min(ready, server.next_finish(), _next_change(scenario, now), poll)
        if at == float("inf"):
            raise AssertionError("the controller waits for a call and none is in flight")
        now = max(at, now + 1e-9)
        server.advance(now)
        if now >= poll:
            controller.pressed(server.pressure())
            poll += POLL_SECONDS
        while server.running and server.running[0].finish <= server.served + 1e-9:
            call = server.finish()
            assert call.ticket is not None
            ttft = None if scenario.metrics else call.waited + call.size / 2
            controller.finish(call.ticket, now, "ok", work=call.tokens, ttft=ttft)
            run.done.append((now, call.tokens))
    return run


def _begin(
    scenario: Scenario,
    server: Server,
    controller: Controller,
    run: Run,
    now: float,
    tokens: int,
    jitter: random.Random,
    numbers: Iterator[int],
) -> None:
    ticket = controller.start(now, tokens)
    retry_after = server.refuses(now)
    if retry_after is not None:
        kind: Kind = "rate_limited"
        run.refused += 1
        controller.finish(ticket, now + 1e-6, kind, retry_after=retry_after)
        return
    size = scenario.size(tokens) * jitter.uniform(0.8, 1.2)
    server.take(Call(0.0, next(numbers), tokens, size, ticket, arrived=now))


def _next_change(scenario: Scenario, now: float) -> float:
    """The server's speed may change at tenths of the run: do not step over them."""
    tenth = scenario.seconds / 10
    return (int(now / tenth) + 1) * tenth


@dataclass(frozen=True)
class Verdict:
    """Figures of one scenario."""

    best_setting: int
    best: float
    share: float
    worst: float
    refused: int
    limit: float


def judge(scenario: Scenario, seeds: int) -> Verdict:
    """Compare; the worst of several runs with different jitter counts."""
    fixed = {setting: simulate(scenario, Controller(setting, fixed=True)) for setting in SETTINGS}
    setting = max(fixed, key=lambda n: fixed[n].rate(0.1))
    best = fixed[setting]
    shares, lows, refused, limit = [], [], 0, 0.0
    for seed in range(seeds):
        controller = Controller(CEILING)
        run = simulate(scenario, controller, seed)
        shares.append(run.rate(0.1) / best.rate(0.1))
        pairs = zip(run.profile(20)[2:], best.profile(20)[2:], strict=True)
        lows.append(min(mine / theirs for mine, theirs in pairs if theirs))
        refused, limit = max(refused, run.refused), controller.limit
    return Verdict(setting, best.rate(0.1), min(shares), min(lows), refused, limit)


def main() -> int:
    parser = argparse.ArgumentParser(description="Adaptive concurrency against the best fixed setting, simulated.")
    parser.add_argument("--seeds", type=int, default=5, help="runs a scenario (5); the worst counts")
    parser.add_argument("--only", help="part of a scenario's name")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    arguments = parser.parse_args()
    missed, figures = 0, {}
    print(f"{'server':18}{'best fixed':>12}{'adaptive':>10}{'worst 1/20':>12}{'refused':>9}{'last limit':>12}")
    for scenario in SCENARIOS:
        if arguments.only and arguments.only not in scenario.name:
            continue
        found = judge(scenario, arguments.seeds)
        met = found.share >= AIM and found.worst >= 0.5
        missed += not met
        figures[scenario.name] = asdict(found)
        print(
            f"{scenario.name:18}{found.best_setting:12}{found.share:10.3f}{found.worst:12.2f}{found.refused:9}"
            f"{found.limit:12.1f}  aim {AIM}: {'met' if met else 'MISSED'}",
            flush=True,
        )
    if arguments.json:
        print(json.dumps(figures))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
