from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from protocol.models import ApiKind
from tests.support.engines.queueing import QueueingVllm
from tests.support.llama_server import llama_server, smollm2
from tests.support.waiting import until
from tests.workers.targets import ask_for, open_target
from tests.workers.test_lanes import Collected, Shelf
from tests.workers.toy import item, open_job
from workers.apis.base import caller
from workers.lanes import Lane, Slots
from workers.limits import Controller, Memory
from workers.metrics import Metrics
from workers.pressure import Pressure

POLL = 0.02


class Calls:
    """Whether calls are in flight, and what the metrics told."""

    def __init__(self) -> None:
        self.busy = True
        self.told: list[Pressure | None] = []


@asynccontextmanager
async def polled(address: str, engine: str = "vllm", **changes: Any) -> AsyncIterator[tuple[Metrics, Calls]]:
    calls = Calls()
    async with open_target(f"{address}/v1", facts={"engine": engine}, **changes) as target:
        metrics = Metrics(target, lambda: calls.busy, calls.told.append, POLL)
        metrics.wake()
        yield metrics, calls
        await metrics.stop()


@asynccontextmanager
async def adaptive_lane(server: QueueingVllm, limit: int) -> AsyncIterator[tuple[Lane, Collected]]:
    facts = {"engine": "vllm", "model_id": "test-model"}
    async with open_target(f"{server.address}/v1", facts=facts) as target:
        shelf, got = Shelf({"j": open_job(f"{server.address}/v1")}), Collected()
        controller = Controller(256, memory=Memory(limit))
        lane = Lane(target, controller, Slots(256), shelf, got.take, lambda: None, poll_seconds=POLL)  # type: ignore[arg-type]
        yield lane, got
        await lane.stop("the test is over")


async def test_a_lane_that_fills_an_engines_queue_settles_at_about_what_it_works_on() -> None:
    async with QueueingVllm(slots=4, seconds=0.02) as server, adaptive_lane(server, 32) as (lane, got):
        reasons = set()

        def settled() -> bool:
            reasons.add(lane.controller.reason)
            if lane.held < 100:
                lane.add(item(index) for index in range(100))
            return lane.controller.limit <= 6

        lane.add(item(index) for index in range(100))
        await until(lambda: server.waiting > 20)
        await until(settled)
        assert any(reason.startswith("engine queue: ") and reason.endswith(" waiting") for reason in reasons)
        assert lane.controller.limit >= 3
        await until(lambda: server.running + server.waiting <= 9)
        assert got.outcomes


async def test_metrics_that_never_answer_delay_no_call() -> None:
    async with QueueingVllm(slots=8, silent=True) as server, adaptive_lane(server, 8) as (lane, got):
        lane.add(item(index) for index in range(200))
        await until(lambda: len(got.outcomes) == 200)
        assert server.polls == 1


async def test_a_server_that_refuses_its_metrics_is_not_asked_again() -> None:
    for status in (401, 404, 501):
        async with QueueingVllm(refusals=(status,)) as server, polled(server.address) as (metrics, calls):
            await until(lambda m=metrics: not m.offered)  # type: ignore[misc]
            await until(lambda c=calls: c.told == [None])  # type: ignore[misc]
            metrics.wake()
            await asyncio.sleep(3 * POLL)
            assert server.polls == 1


async def test_a_server_that_is_only_busy_is_asked_again() -> None:
    async with QueueingVllm(refusals=(503, 429)) as server, polled(server.address) as (_, calls):
        await until(lambda: len(calls.told) >= 3)
    assert calls.told[:3] == [None, None, Pressure(0, 0, 0.3)]


async def test_nothing_is_asked_while_no_call_is_in_flight() -> None:
    async with QueueingVllm() as server, polled(server.address) as (metrics, calls):
        await until(lambda: calls.told)
        calls.busy = False
        await until(lambda: calls.told[-1] is None)
        asked = server.polls
        await asyncio.sleep(3 * POLL)
        assert server.polls == asked
        calls.busy = True
        metrics.wake()
        await until(lambda: server.polls > asked)


async def test_engines_without_such_metrics_are_never_asked() -> None:
    async with QueueingVllm() as server:
        for engine in ("ollama", "koboldcpp", "openai", "unknown"):
            async with polled(server.address, engine) as (metrics, _):
                await asyncio.sleep(2 * POLL)
                assert not metrics.offered
        assert server.polls == 0


async def test_the_real_llama_cpp_tells_of_calls_beyond_its_slots() -> None:
    with llama_server(smollm2(), parallel=1, context=2048) as address:
        async with (
            polled(address, "llama.cpp") as (_, calls),
            open_target(f"{address}/v1", model_id="smollm2", facts={"engine": "llama.cpp"}) as target,
        ):
            ask = caller(ApiKind("openai-chat"))
            asked = [asyncio.create_task(ask(target, ask_for("Count.", max_tokens=400))) for _ in range(3)]
            await until(lambda: any(told == Pressure(2, 1) for told in calls.told))
            for call in asked:
                call.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
