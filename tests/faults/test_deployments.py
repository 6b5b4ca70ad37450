"""Workers that leave, services side by side, and a new version's migration: in the middle of a job."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from fathom.errors import Refused, Unreachable
from protocol.jobs import Clone, JobState
from service.db import migrate
from service.db.engine import raw_dsn
from tests.faults.conftest import CONCURRENCY, progress
from tests.support.audit import Fact, Key, check_whole, facts, prompts_of
from tests.support.cluster import LENGTHS, PATIENCE, TASKS, Service, Workers, add_model, finished, submit
from tests.support.fathom_up import new_home
from tests.support.model_server import ModelServer
from tests.support.waiting import until

SAMPLES = 40
SCHEMAS = Path(__file__).parent / "schemas"
"""Databases with a job in flight, each written by the last version of a schema (`tests.support.schema_dump`)."""


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
    """What a new version does first is run all migrations again and define the functions anew, here beside workers."""
    assert patient.database_url is not None
    patient_workers.start(2, concurrency=CONCURRENCY)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
        await progress(model, 8)
        while (await client.job(job.id)).state is JobState.RUNNING:
            await asyncio.gather(migrate.upgrade(patient.database_url), migrate.upgrade(patient.database_url))
    await check_whole(patient, job.id, faultless, model.calls)


@pytest.mark.parametrize("schema", sorted(SCHEMAS.glob("*.sql")), ids=lambda path: path.stem)
async def test_a_job_in_flight_under_an_older_schema_is_finished_under_this_one(
    empty_database: str, model: ModelServer, schema: Path
) -> None:
    connection = await asyncpg.connect(raw_dsn(empty_database))
    await connection.execute(schema.read_text())
    held = await connection.fetchval("select count(*) from public.leases")
    await connection.execute("update public.leases set expires_at = clock_timestamp() + interval '2 seconds'")
    address = "update public.models set spec = jsonb_set(spec, '{base_url}', to_jsonb($1::text))"
    await connection.execute(address, model.base_url)
    stored = {tuple(row) for row in await connection.fetch("select cell, index, prompt_sha256 from public.results")}
    await connection.close()
    assert held, "the worker that made it was killed with calls in flight"
    assert stored
    async with of_a_database(empty_database) as (service, workers), service.client() as client:
        workers.start(2, concurrency=CONCURRENCY)
        [job] = await client.jobs()
        ended = await finished(service, job.id)
        assert (ended.state, ended.counts.done) == (JobState.COMPLETED, ended.counts.planned)
        asked = prompts_of(model.calls)
        found = await facts(client, job.id)
        fresh = {one.prompt_sha256 for one in found.values()} - {sha256.hex() for _, _, sha256 in stored}
        assert asked == Counter(fresh), "what was stored is not asked again, the rest once"
        assert len(found) == ended.counts.planned == len(fresh) + len(stored)
        again = await client.clone(job.id, Clone())
        await finished(service, again.id)
        assert await facts(client, again.id) == found


@asynccontextmanager
async def of_a_database(url: str) -> AsyncIterator[tuple[Service, Workers]]:
    """A service that has brought a database to its schema, and its workers."""
    await migrate.upgrade(url)
    with new_home() as home:
        service = Service(home, "newer", url)
        workers = Workers(home, service)
        try:
            await service.restart()
            yield service, workers
        finally:
            await asyncio.to_thread(workers.stop)
            await service.kill()


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
