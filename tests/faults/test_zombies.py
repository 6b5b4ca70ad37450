"""Processes frozen past their leases, then woken: they have missed everything."""

from __future__ import annotations

import asyncio
import signal

from tests.faults.conftest import CONCURRENCY, progress
from tests.support.audit import Fact, Key, check_whole
from tests.support.cluster import LEASE_SECONDS, PATIENCE, Service, Workers, add_model, eventually, submit
from tests.support.exposure import exposed
from tests.support.model_server import ModelServer
from tests.support.waiting import until

SAMPLES = 30


async def test_a_worker_frozen_past_its_lease_adds_nothing_twice_and_works_on_when_it_wakes(
    patient: Service, patient_workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    frozen, other = patient_workers.start(2, concurrency=CONCURRENCY)
    async with patient.client() as client:
        await add_model(client, model_name, model.base_url)
        job = await submit(client, model_name, SAMPLES)
        await progress(model, 3 * CONCURRENCY)
        frozen.send(signal.SIGSTOP)
        stuck = await exposed(patient, job.id, model, frozen, faultless)
        await eventually(lambda: no_lease_left(patient, job.id))
        frozen.send(signal.SIGCONT)
        await check_whole(patient, job.id, faultless, model.calls, exposed=stuck)

        assert await other.terminate() == 0
        model.calls.clear()
        second = await submit(client, model_name, SAMPLES)
        await check_whole(patient, second.id, faultless, model.calls)
        assert frozen.running


async def no_lease_left(service: Service, job: str) -> bool:
    async with service.client() as client:
        counts = (await client.job(job)).counts
    return counts.in_flight == 0 and counts.pending == 0


async def test_a_service_frozen_past_every_lease_gets_the_answers_of_that_time_when_it_wakes(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    workers.start(2, concurrency=CONCURRENCY)
    async with service.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    await progress(model, 3 * CONCURRENCY)
    service.process.send(signal.SIGSTOP)
    try:
        await until(lambda: model.in_flight == 0, PATIENCE)
        await asyncio.sleep(LEASE_SECONDS)  # what is tested is that this time has passed
    finally:
        service.process.send(signal.SIGCONT)
    await check_whole(service, job.id, faultless, model.calls)
