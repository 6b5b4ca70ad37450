"""Workers that leave, services side by side, and a new version's migration: in the middle of a job."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg
import pytest

from fathom.errors import Refused, Unreachable
from service.db import migrate
from service.db.engine import raw_dsn
from tests.faults.conftest import CONCURRENCY, progress
from tests.support.audit import Fact, Key, check_whole
from tests.support.cluster import LENGTHS, PATIENCE, TASKS, Service, Workers, add_model, submit
from tests.support.fathom_up import new_home
from tests.support.model_server import ModelServer
from tests.support.waiting import until

SAMPLES = 40


async def test_workers_told_to_leave_finish_or_hand_back_and_exit_with_0(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    first, second = patient_workers.start(2, concurrency=CONCURRENCY)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
        await progress(model, 12)
        patient_workers.start(concurrency=CONCURRENCY)
        assert await first.terminate() == 0
        second.send(signal.SIGINT)
        assert await second.ended() == 0
        shown = {worker.pid: worker for worker in await client.workers()}
        for gone in (first, second):
            assert (shown[gone.pid].state, shown[gone.pid].in_flight) == ("gone", 0)
        ended = await check_whole(patient, job.id, faultless, model.calls)
        assert [result.attempts async for result in client.results(job.id)] == [1] * ended.counts.planned


async def test_a_worker_whose_calls_outlast_its_grace_hands_them_back_at_once(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    (slow,) = patient_workers.start(concurrency=CONCURRENCY, more=("--grace", "0.5"))
    async with patient.client() as client:
        await add_model(client, model_name, model.base_url)
        model.latency = 600.0
        job = await submit(client, model_name, 4)
        await until(lambda: model.in_flight == CONCURRENCY, PATIENCE)
        slow.send(signal.SIGTERM)
        assert await slow.ended() == 0
        await until(lambda: model.in_flight == 0, PATIENCE)
        counts = (await client.job(job.id)).counts
        assert (counts.in_flight, counts.waiting + counts.pending) == (0, 8)
        model.latency = 0.05
        patient_workers.start(concurrency=CONCURRENCY)
        await check_whole(patient, job.id, faultless, model.calls, lost=CONCURRENCY)


@asynccontextmanager
async def side_by_side(database_url: str) -> AsyncIterator[tuple[Service, Service, Workers, Workers]]:
    """Two services on one database, with a worker each."""
    with new_home() as home:
        pair = [Service(home, name, database_url) for name in ("left", "right")]
        groups = [Workers(home, one) for one in pair]
        try:
            await asyncio.gather(*(one.restart() for one in pair))
            for group in groups:
                group.start(concurrency=CONCURRENCY)
            yield pair[0], pair[1], groups[0], groups[1]
        finally:
            for group in groups:
                await asyncio.to_thread(group.stop)
            for one in pair:
                await one.kill()


async def test_two_services_on_one_database_are_one_service_and_either_may_die(
    database_url: str, model: ModelServer, faultless: dict[Key, Fact]
) -> None:
    async with side_by_side(database_url) as (left, right, _, _), left.client() as to_left, right.client() as to_right:
        await add_model(to_left, "m", model.base_url, limits={"max_concurrency": 6})
        model.peak = 0
        options: dict[str, Any] = {"tasks": list(TASKS), "lengths": list(LENGTHS), "samples": SAMPLES}
        twice = [client.submit("ruler", "m", options, idempotency_key="one") for client in (to_left, to_right)]
        job, same = await asyncio.gather(*twice)
        assert job.id == same.id
        reader = asyncio.create_task(count_results(right, job.id))
        await progress(model, 16)
        await left.kill()
        await progress(model, 10)
        await left.restart()
        await check_whole(right, job.id, faultless, model.calls, lost=CONCURRENCY)
        assert await reader == 2 * SAMPLES
        assert model.peak <= 6
        assert {worker.done > 0 for worker in await to_right.workers()} == {True}


async def count_results(service: Service, job: str) -> int:
    async with service.client() as client:
        return len([None async for _ in client.results(job, follow=True)])


async def test_migrating_again_leaves_a_running_job_alone(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    """There is one schema so far; what a new version does first is run all migrations again and define the functions
    anew, here beside workers that use them."""
    assert patient.database_url is not None
    patient_workers.start(2, concurrency=CONCURRENCY)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    for _ in range(4):
        await progress(model, 8)
        await asyncio.gather(migrate.upgrade(patient.database_url), migrate.upgrade(patient.database_url))
    await check_whole(patient, job.id, faultless, model.calls)


async def test_a_service_refuses_to_start_on_a_schema_that_is_not_its_own(database_url: str) -> None:
    connection = await asyncpg.connect(raw_dsn(database_url))
    await connection.execute("update alembic_version set version_num = 'of_another_version'")
    await connection.close()
    with new_home() as home:
        service = Service(home, "old", database_url)
        with pytest.raises(AssertionError, match="of_another_version"):
            await service.restart()
        with suppress(Unreachable, Refused):
            async with service.client() as client:
                await client.health()
                pytest.fail("it must not serve")
