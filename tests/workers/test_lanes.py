from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmarks.base import Score
from protocol.workers import FailureReport, HandBack, Outcome, ResultReport
from tests.support.model_server import Misbehave, ModelServer, Refuse
from tests.support.waiting import until
from tests.workers.targets import open_target
from tests.workers.toy import ToyBenchmark, item, open_job
from workers import lanes, stock
from workers.errors import CallError
from workers.jobs import OpenJob
from workers.lanes import Lane, Slots
from workers.limits import Controller
from workers.runner import Item


@dataclass
class Shelf:
    """Jobs by id, all open."""

    jobs: dict[str, OpenJob]

    async def open(self, job: str) -> OpenJob:
        if job not in self.jobs:
            raise CallError("benchmark", f"no job {job}", permanent=True)
        return self.jobs[job]


@dataclass
class Collected:
    """What a lane reported."""

    outcomes: list[tuple[Item, Outcome]] = field(default_factory=list)
    rooms: int = 0

    def take(self, one: Item, outcome: Outcome) -> None:
        self.outcomes.append((one, outcome))

    def of(self, kind: type[Outcome]) -> list[int]:  # type: ignore[valid-type]
        return [one.index for one, outcome in self.outcomes if isinstance(outcome, kind)]


@asynccontextmanager
async def lane_to(
    base_url: str,
    limit: int,
    slots: Slots | None = None,
    options: dict[str, int] | None = None,
    may_ask: Callable[[int], bool] = lambda lease: True,
) -> AsyncIterator[tuple[Lane, Collected]]:
    async with open_target(base_url) as target:
        shelf, got = Shelf({"j": open_job(base_url, options=options)}), Collected()
        controller = Controller(limit, fixed=True)
        lane = Lane(
            target,
            controller,
            slots or Slots(limit),
            shelf,  # type: ignore[arg-type]
            got.take,
            lambda: None,
            may_ask=may_ask,
        )
        try:
            yield lane, got
        finally:
            await lane.stop("the test is over")


async def test_all_samples_are_asked_and_never_more_at_once_than_the_limit() -> None:
    async with ModelServer(latency=0.02) as server, lane_to(server.base_url, 5) as (lane, got):
        lane.add(item(index) for index in range(60))
        await until(lambda: len(got.outcomes) == 60)
        assert sorted(got.of(ResultReport)) == list(range(60))
        assert 1 < server.peak <= 5
        await until(lambda: lane.held == 0)  # an outcome is given a step before its place is free


async def test_samples_are_asked_in_order_so_that_common_prefixes_meet_the_cache() -> None:
    async with ModelServer() as server, lane_to(server.base_url, 1) as (lane, got):
        lane.add(item(index) for index in range(30))
        await until(lambda: len(got.outcomes) == 30)
        assert got.of(ResultReport) == list(range(30))


async def test_lanes_of_two_models_share_the_workers_slots() -> None:
    slots = Slots(4)
    async with (
        ModelServer(latency=0.02) as one,
        ModelServer(latency=0.02) as two,
        lane_to(one.base_url, 4, slots) as (first, got_first),
        lane_to(two.base_url, 4, slots) as (second, got_second),
    ):
        peak = 0
        first.add(item(index) for index in range(25))
        second.add(item(index) for index in range(25))
        while len(got_first.outcomes) + len(got_second.outcomes) < 50:
            peak = max(peak, one.in_flight + two.in_flight)
            await asyncio.sleep(0)
        assert peak == 4
        await until(lambda: slots.free == 4)
        assert min(one.peak, two.peak) >= 1


async def test_calls_of_a_lost_lease_are_stopped_and_nothing_is_reported_of_them() -> None:
    async with ModelServer(latency=60) as server, lane_to(server.base_url, 4) as (lane, got):
        lane.add([item(index, lease=1 + index % 2) for index in range(8)])
        await until(lambda: server.in_flight == 4)
        lane.drop([1])
        await until(lambda: server.aborted == 2)
        await until(lambda: server.in_flight == 4)  # the other lease's samples take their place
        assert got.outcomes == []
        assert lane.held == 4
    assert sorted(got.of(HandBack)) == [1, 3, 5, 7]


async def test_a_dead_model_costs_the_calls_in_flight_and_everything_else_is_handed_back() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        async with lane_to(f"http://127.0.0.1:{closed.getsockname()[1]}/v1", 2) as (lane, got):
            lane.add(item(index) for index in range(20))
            await until(lambda: len(got.outcomes) == 20)
            failures = [outcome for _, outcome in got.outcomes if isinstance(outcome, FailureReport)]
            assert 1 <= len(failures) <= 2
            assert all(one.model_down and not one.counts for one in failures)
            assert len(got.of(HandBack)) == 20 - len(failures)
            assert lane.room().room == 0  # the lane asks for nothing while it backs off


async def test_a_retry_after_delays_the_next_calls() -> None:
    async with ModelServer() as server, lane_to(server.base_url, 1) as (lane, got):
        server.then(Refuse(429, None, {"retry-after": "0.5"}))
        lane.add([item(0), item(1)])
        loop = asyncio.get_running_loop()
        await until(lambda: len(got.outcomes) == 1)
        refused_at = loop.time()
        await until(lambda: len(got.outcomes) == 2)
        assert loop.time() - refused_at >= 0.4
    assert (got.of(FailureReport), got.of(ResultReport)) == ([0], [1])


async def test_a_sample_that_cannot_be_built_fails_alone_and_says_why() -> None:
    async with ModelServer() as server, lane_to(server.base_url, 4, options={"breaks_at": 7}) as (lane, got):
        lane.add(item(index) for index in range(12))
        await until(lambda: len(got.outcomes) == 12)
    [failed] = [outcome for _, outcome in got.outcomes if isinstance(outcome, FailureReport)]
    assert (failed.index, failed.permanent) == (7, True)
    assert "no sample 7" in failed.message


@pytest.mark.parametrize("builders", [1, 2, 4])
async def test_builders_that_end_together_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, builders: int) -> None:
    """No call ends here, so nothing but a builder's end makes the next one start."""
    monkeypatch.setattr(stock, "_BUILDERS", builders)
    monkeypatch.setattr(stock, "BUILD_SLICE", 0.0)  # a sample a hop
    async with ModelServer(latency=600) as server, lane_to(server.base_url, 8) as (lane, _):
        lane.add(item(index) for index in range(12))
        await until(lambda: server.in_flight == 8)


@pytest.mark.parametrize("builders", [1, 2, 4])
async def test_all_samples_of_a_job_that_cannot_be_opened_fail_however_many_they_are(
    monkeypatch: pytest.MonkeyPatch, builders: int
) -> None:
    monkeypatch.setattr(stock, "_BUILDERS", builders)
    async with ModelServer() as server, lane_to(server.base_url, 4) as (lane, got):
        lane.add(item(index, job="lost") for index in range(40))
        await until(lambda: len(got.outcomes) == 40)
        assert sorted(got.of(FailureReport)) == list(range(40))


async def test_a_job_that_cannot_be_opened_fails_its_samples_with_the_reason() -> None:
    async with ModelServer() as server, lane_to(server.base_url, 4) as (lane, got):
        lane.add([item(0, job="unknown"), item(1)])
        await until(lambda: len(got.outcomes) == 2)
    assert (got.of(FailureReport), got.of(ResultReport)) == ([0], [1])


async def test_an_error_inside_a_benchmarks_scoring_fails_the_sample_and_not_the_worker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no words")

    monkeypatch.setattr("tests.workers.toy.ToyBenchmark.score", broken)
    async with ModelServer() as server, lane_to(server.base_url, 2) as (lane, got):
        lane.add([item(0)])
        await until(lambda: got.outcomes)
    [(_, outcome)] = got.outcomes
    assert isinstance(outcome, FailureReport)
    assert outcome.permanent
    assert "no words" in outcome.message
    assert "j/0/0" in caplog.text


async def test_what_is_stopped_in_mid_call_is_handed_back() -> None:
    async with ModelServer() as server, lane_to(server.base_url, 1) as (lane, got):
        server.then(Misbehave("hang"))
        lane.add([item(0), item(1)])
        await until(lambda: server.in_flight)
        await lane.stop("the worker leaves")
        await until(lambda: not server.in_flight)
    assert sorted(got.of(HandBack)) == [0, 1]


async def test_no_call_is_started_for_a_lease_that_is_over() -> None:
    held = {1}
    async with (
        ModelServer(latency=0.05) as server,
        lane_to(server.base_url, 1, may_ask=held.__contains__) as (lane, got),
    ):
        lane.add(item(index) for index in range(5))
        await until(
            lambda: server.in_flight == 1 and not lane._stock._builders
        )  # nothing looks at the lease till the answer
        held.clear()
        await until(lambda: lane.held == 0)
        assert got.of(ResultReport) == [0]
        assert server.started == 1


async def test_a_call_stopped_before_it_began_frees_its_place() -> None:
    slots = Slots(1)
    slots.free = 0
    async with ModelServer() as server, lane_to(server.base_url, 2, slots) as (lane, _):
        lane.add([item(0)])
        await until(lambda: slots._waiting)
        slots.release()
        assert lane.controller.in_flight == 1
        lane.drop([item(0).lease])  # in the same turn of the loop in which its task was made
        await until(lambda: lane.held == 0)
        assert (lane.controller.in_flight, slots.free, server.started) == (0, 1, 0)


async def test_the_next_call_is_sent_before_the_answer_that_made_place_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_flight: list[int] = []
    async with ModelServer(latency=0.02) as server, lane_to(server.base_url, 3) as (lane, got):
        score = ToyBenchmark.score

        def scored(*arguments: Any) -> Score:
            in_flight.append(lane.in_flight)
            return score(*arguments)

        monkeypatch.setattr(ToyBenchmark, "score", scored)
        lane.add(item(index) for index in range(30))
        await until(lambda: len(got.outcomes) == 30)
    assert in_flight[:20] == [3] * 20


async def test_answers_that_are_not_yet_judged_when_a_lane_stops_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "JUDGE_SLICE", -1.0)  # never
    async with ModelServer() as server, lane_to(server.base_url, 4) as (lane, got):
        lane.add(item(index) for index in range(4))
        await until(lambda: server.started == 4 and lane.in_flight == 0)
        assert got.outcomes == []
        monkeypatch.setattr(lanes, "JUDGE_SLICE", 1.0)
        await lane.stop("the worker leaves")
        assert sorted(got.of(ResultReport)) == [0, 1, 2, 3]
