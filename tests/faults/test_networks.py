"""Connections that break, go silent or lose replies, between workers and service and between service and database."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from fathom.client import Client
from fathom.errors import Unreachable
from service.db.folder import PORT
from tests.faults.conftest import CONCURRENCY, moments, new_workers, progress, reached
from tests.support.audit import Fact, Key, check_whole
from tests.support.cluster import LEASE_SECONDS, LENGTHS, PATIENCE, TASKS, Service, Workers, add_model, submit
from tests.support.fathom_up import new_home
from tests.support.fault_proxy import FaultProxy
from tests.support.model_server import ModelServer
from tests.support.waiting import until

SAMPLES = 40


@pytest.fixture
async def line(service: Service) -> AsyncIterator[FaultProxy]:
    """What lies between a worker and the service."""
    async with FaultProxy((service.host, service.port)) as proxy:
        yield proxy


@pytest.fixture
async def patient_line(patient: Service) -> AsyncIterator[FaultProxy]:
    """What lies between a worker and the patient service."""
    async with FaultProxy((patient.host, patient.port)) as proxy:
        yield proxy


async def test_replies_lost_after_their_commit_cost_no_call_and_store_nothing_twice(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
    patient_line: FaultProxy,
) -> None:
    patient_workers.start(concurrency=CONCURRENCY, server=patient_line.address)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    model.latency = 3600.0  # the job must not end before the losses do
    for call, count in ((b"/outcomes ", 4), (b"/heartbeat ", 2), (b"/outcomes ", 4)):
        await until(lambda: model.in_flight == CONCURRENCY, PATIENCE)
        lost = patient_line.lost_replies
        patient_line.lose_replies(call, count)
        model.go_on()
        await lost_replies(patient_line, lost + count)
    model.latency = 0.0
    model.go_on()
    await check_whole(patient, job.id, faultless, model.calls)


async def lost_replies(line: FaultProxy, count: int) -> None:
    await until(lambda: line.lost_replies >= count, PATIENCE)


async def broken(line: FaultProxy, before: int) -> None:
    await until(lambda: line.broken > before, PATIENCE)


async def test_connections_reset_again_and_again_cost_no_call(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
    patient_line: FaultProxy,
) -> None:
    chance = random.Random(5)
    patient_line.latency = 0.02
    patient_workers.start(2, concurrency=CONCURRENCY, server=patient_line.address)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    for moment in moments(chance, 5, model, SAMPLES * len(LENGTHS)):
        await reached(model, moment)
        patient_line.break_all()
        patient_line.cut_after = chance.choice([None, 10, 400])
        await asyncio.sleep(chance.random() / 2)
        patient_line.cut_after = None
    await check_whole(patient, job.id, faultless, model.calls)


async def test_a_models_limit_holds_through_a_partition_because_the_worker_cut_off_stops_its_own_calls(
    service: Service,
    workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
    line: FaultProxy,
) -> None:
    limit = 3
    async with service.client() as client:
        (cut_off,) = workers.start(concurrency=limit, server=line.address)
        await add_model(client, model_name, model.base_url, limits={"max_concurrency": limit})
        model.peak, model.latency = 0, 2 * LEASE_SECONDS
        job = await submit(client, model_name, 3)
        await until(lambda: model.in_flight == limit, PATIENCE)
        workers.start(concurrency=limit)
        line.mode = "silent"
        await until(lambda: model.aborted >= limit, PATIENCE)
        model.latency = 0.2
        await check_whole(service, job.id, faultless, model.calls, lost=limit)
        assert model.peak <= limit
        line.mode = "pass"
        line.break_all()
        await until(lambda: "is back" in cut_off.said, PATIENCE)


async def test_half_open_connections_are_noticed_and_replaced_before_a_lease_runs_out(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
    patient_line: FaultProxy,
) -> None:
    patient_workers.start(concurrency=CONCURRENCY, server=patient_line.address)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), 20)
        await progress(model, 10)
        patient_line.half_open()
        await check_whole(patient, job.id, faultless, model.calls)


async def test_what_a_lost_reply_had_granted_goes_to_others_long_before_its_lease_ends(
    endless: Service,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    async with (
        FaultProxy((endless.host, endless.port)) as line,
        new_workers(endless) as workers,
        endless.client() as client,
    ):
        (prober,) = workers.start()
        await add_model(client, model_name, model.base_url)
        assert await prober.terminate() == 0
        job = await submit(client, model_name, 6)
        line.lose_replies(b"/claims ", 1)
        workers.start(concurrency=CONCURRENCY, server=line.address)
        await lost_replies(line, 1)
        await check_whole(endless, job.id, faultless, model.calls)
        assert "never got" in endless.process.said


async def test_a_cancelled_job_stops_its_calls_long_before_a_heartbeat(
    endless: Service, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    async with new_workers(endless) as workers, endless.client() as client:
        workers.start(concurrency=CONCURRENCY)
        await add_model(client, model_name, model.base_url)
        model.latency = 3600.0
        job = await submit(client, model_name, 6)
        await until(lambda: model.in_flight == CONCURRENCY, PATIENCE)
        await client.cancel(job.id)
        await until(lambda: model.in_flight == 0, PATIENCE)
        counts = (await client.job(job.id)).counts
        assert (counts.waiting, counts.done) == (0, 0)
        model.latency = 0.0
        model.calls.clear()
        other = await submit(client, model_name, 3)
        await check_whole(endless, other.id, faultless, model.calls)


async def test_a_submission_whose_reply_was_lost_can_be_sent_again_and_makes_one_job(
    service: Service, faultless: dict[Key, Fact], line: FaultProxy
) -> None:
    options: dict[str, Any] = {"tasks": list(TASKS), "lengths": list(LENGTHS), "samples": 1}
    async with Client(line.address, service.token) as client:
        before = {job.id for job in await client.jobs()}
        line.lose_replies(b"POST /v1/jobs ", 2)  # the client tries twice by itself
        with pytest.raises(Unreachable):
            await client.submit("ruler", "faultless", options, idempotency_key="lost-reply")
        line.break_all()
        job = await client.submit("ruler", "faultless", options, idempotency_key="lost-reply")
        await client.cancel(job.id)
        assert {one.id for one in await client.jobs()} - before == {job.id}


@asynccontextmanager
async def behind_a_proxy(database_url: str) -> AsyncIterator[tuple[FaultProxy, Service, Workers]]:
    """A service whose database is at the other end of a proxy, with two workers."""
    url = make_url(database_url)
    path = Path(str(url.query["host"])) / f".s.PGSQL.{PORT}"
    async with FaultProxy(path) as line:
        with new_home() as home:
            there = f"postgresql://{url.username}@127.0.0.1:{line.port}/{url.database}"
            made = Service(home, "apart", there, {"FATHOM_DATABASE_TIMEOUT": "4"})
            workers = Workers(home, made)
            try:
                await made.restart()
                workers.start(2, concurrency=CONCURRENCY)
                yield line, made, workers
            finally:
                await asyncio.to_thread(workers.stop)
                await asyncio.to_thread(made.stop)


async def test_database_connections_reset_in_any_statement_lose_nothing(
    database_url: str, model: ModelServer, faultless: dict[Key, Fact]
) -> None:
    chance = random.Random(6)
    async with behind_a_proxy(database_url) as (line, service, workers):
        async with service.client() as client:
            job = await submit(client, await add_model(client, "m", model.base_url), SAMPLES)
        for moment in moments(chance, 6, model, SAMPLES * len(LENGTHS)):
            await reached(model, moment)
            line.cut_after = chance.choice([0, 100, 2000])
            line.break_all()
            await broken(line, line.broken)
            line.cut_after = None
        await check_whole(service, job.id, faultless, model.calls, lost=len(workers.started) * CONCURRENCY)


async def test_a_database_that_goes_silent_is_waited_for(
    database_url: str, model: ModelServer, faultless: dict[Key, Fact]
) -> None:
    async with behind_a_proxy(database_url) as (line, service, _):
        async with service.client() as client:
            job = await submit(client, await add_model(client, "m", model.base_url), SAMPLES)
        await progress(model, 10)
        line.mode = "silent"
        await until(lambda: model.in_flight == 0, PATIENCE)
        line.mode = "pass"
        await check_whole(service, job.id, faultless, model.calls)
