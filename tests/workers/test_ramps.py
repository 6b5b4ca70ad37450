from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from perf.simulated import Capacity, Request, Simulation
from workers.limits import Controller, Kind, Memory, Ticket
from workers.metrics import POLL_SECONDS
from workers.pressure import Pressure
from workers.ramps import START


def _even(_: random.Random) -> int:
    return 1000


def full(limit: int) -> Controller:
    """A controller with as many calls in flight as its limit lets it have."""
    controller = Controller(256, memory=Memory(limit))
    for _ in range(limit):
        controller.start(0.0, 10)
    return controller


@dataclass
class Told(Capacity):
    """A queue without end whose metrics tell of it; `others` is the queue that other clients keep there."""

    others: int = 0
    cache: float | None = None
    controllers: list[Controller] = field(default_factory=list)
    polled: bool = False

    def arrive(self, simulation: Simulation, request: Request) -> None:
        if not self.polled:
            self.polled = True
            simulation.at(simulation.now + POLL_SECONDS, lambda: self._poll(simulation))
        super().arrive(simulation, request)

    def _poll(self, simulation: Simulation) -> None:
        for controller in self.controllers:
            controller.pressed(Pressure(len(self._queue) + self.others, self._busy, self.cache))
        simulation.at(simulation.now + POLL_SECONDS, lambda: self._poll(simulation))


class Both:
    """Two controllers' workers at one server, as one client that asks through whichever may start first."""

    def __init__(self, *controllers: Controller) -> None:
        self.controllers = controllers
        self.of: dict[int, Controller] = {}

    @property
    def in_flight(self) -> int:
        return sum(controller.in_flight for controller in self.controllers)

    def ready_at(self, now: float, tokens: int) -> float:
        return min(controller.ready_at(now, tokens) for controller in self.controllers)

    def start(self, now: float, tokens: int) -> Ticket:
        first = min(self.controllers, key=lambda controller: controller.ready_at(now, tokens))
        ticket = first.start(now, tokens)
        self.of[id(ticket)] = first
        return ticket

    def finish(self, ticket: Ticket, now: float, kind: Kind, **told: float | None) -> None:
        self.of.pop(id(ticket)).finish(ticket, now, kind, **told)  # type: ignore[arg-type]


def test_a_queue_seen_twice_is_taken_off_the_limit_and_seen_once_only_stops_growth() -> None:
    controller = full(29)
    controller.pressed(Pressure(waiting=5, running=24))
    assert (controller.limit, controller.reason) == (29, "engine queue: 5 waiting")
    controller.pressed(Pressure(waiting=5, running=24))
    assert controller.limit == 24


def test_a_queue_that_was_gone_in_between_is_not_seen_twice() -> None:
    controller = full(29)
    for waiting in (5, 0, 5):
        controller.pressed(Pressure(waiting, running=24))
    assert controller.limit == 29


def test_at_most_half_is_given_up_at_a_time_and_no_more_before_that_shows() -> None:
    controller = Controller(256, memory=Memory(64))
    tickets = [controller.start(0.0, 10) for _ in range(64)]
    for _ in range(9):
        controller.pressed(Pressure(waiting=60, running=4))
    assert controller.limit == 32
    for ticket in tickets[:32]:
        controller.finish(ticket, 1.0, "ok")
    for _ in range(2):
        controller.pressed(Pressure(waiting=28, running=4))
    assert controller.limit == 16


def test_only_our_share_of_a_queue_is_taken_off() -> None:
    controller = full(16)
    for _ in range(2):
        controller.pressed(Pressure(waiting=8, running=24))  # half of what is there is ours
    assert controller.limit == 12


def test_a_queue_that_others_fill_leaves_us_what_an_unknown_model_is_met_with() -> None:
    controller = full(5)
    for _ in range(20):
        controller.pressed(Pressure(waiting=100, running=10))
    assert controller.limit >= START


def test_the_words_go_with_the_queue_and_when_the_metrics_fall_silent() -> None:
    controller = full(10)
    before = controller.reason
    for silent in (Pressure(0, 10, 0.5), None):
        controller.pressed(Pressure(0, 10, 0.95))
        assert controller.reason == "engine cache: 95% used"
        controller.pressed(silent)
        assert controller.reason == before
    assert controller.limit == 10


def test_a_fixed_limit_heeds_no_queue() -> None:
    controller = Controller(16, fixed=True)
    for _ in range(5):
        controller.pressed(Pressure(waiting=50, running=1))
    assert (controller.limit, controller.reason) == (16, "fixed")


def test_a_full_cache_stops_growth_and_takes_nothing() -> None:
    for used, limits in ((0.95, (START, START)), (0.5, (48, 256))):
        controller = Controller(256)
        Simulation(Told(64, 1.0, cache=used, controllers=[controller]), controller, tokens=_even).run(300.0)
        assert limits[0] <= controller.limit <= limits[1]


@pytest.mark.parametrize("slots", [1, 3, 16, 100])
def test_where_the_engine_tells_of_its_queue_the_limit_stays_close_to_what_it_works_on(slots: int) -> None:
    controller = Controller(256)
    server = Told(slots, 1.0, controllers=[controller])
    done = Simulation(server, controller, tokens=_even).run(1200.0)
    assert done.throughput(120, 1200) >= 0.95 * slots * 1000
    assert controller.limit <= 1.5 * slots + 1


def test_workers_that_share_an_engine_neither_pile_up_calls_nor_leave_it_idle() -> None:
    one, two = Controller(256), Controller(256)
    server = Told(24, 1.0, controllers=[one, two])
    done = Simulation(server, Both(one, two), tokens=_even).run(1200.0)  # type: ignore[arg-type]
    assert done.throughput(120, 1200) >= 0.95 * 24_000
    assert one.limit + two.limit <= 2 * 24


def test_a_queue_that_is_not_what_holds_us_up_does_not_choke_a_model() -> None:
    """It says that 6 wait whatever we do: less does less, so the step down is taken back and such a queue put up with."""
    controller = Controller(256, memory=Memory(32))
    server = Told(64, 1.0, others=6, controllers=[controller])
    done = Simulation(server, controller, tokens=_even).run(1200.0)
    assert done.throughput(120, 1200) >= 0.9 * 32_000
