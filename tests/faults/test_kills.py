"""Processes are killed at random moments, again and again; every sample still ends with its one result."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter

import pytest

from fathom.client import Client
from tests.faults.conftest import CONCURRENCY, moments, reached
from tests.support.audit import Fact, Key, check_whole, key
from tests.support.cluster import LENGTHS, PATIENCE, Service, Workers, add_model, submit
from tests.support.model_server import ModelServer
from tests.support.processes import FathomProcess, quietly
from tests.support.waiting import until

SAMPLES = 60
PLANNED = SAMPLES * len(LENGTHS)
HELD = 2 * CONCURRENCY
"""Samples that a worker may hold: as many as it asks at once, and as many claimed ahead."""


@pytest.mark.parametrize("seed", [1])
async def test_workers_killed_at_random_moments_cost_their_calls_in_flight_and_nothing_else(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact], seed: int
) -> None:
    chance = random.Random(seed)
    running = workers.start(3, concurrency=CONCURRENCY)
    async with service.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    kills = 5
    for moment in moments(chance, kills, model, PLANNED):
        await reached(model, moment)
        victim = running.pop(chance.randrange(len(running)))
        await quietly(victim)
        victim.start()
        running.append(victim)
    await check_whole(service, job.id, faultless, model.calls, lost=kills * CONCURRENCY)


async def test_a_service_killed_at_random_moments_costs_no_call_and_no_reader_misses_a_result(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    chance = random.Random(2)
    patient_workers.start(2, concurrency=CONCURRENCY)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
        reader = asyncio.create_task(read_all(client, job.id))
        for moment in moments(chance, 3, model, PLANNED):
            await reached(model, moment)
            await patient.kill()
            await patient.restart()
        await check_whole(patient, job.id, faultless, model.calls)
        assert Counter(await reader) == Counter(dict.fromkeys(faultless, 1))


async def read_all(client: Client, job: str) -> list[Key]:
    """Follow the job's results to its end, through whatever happens."""
    return [key(result) async for result in client.results(job, follow=True)]


async def test_answers_that_found_no_service_survive_their_workers_too(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    running = patient_workers.start(2, concurrency=CONCURRENCY)
    samples = len(running) * CONCURRENCY
    async with patient.client() as client:
        await add_model(client, model_name, model.base_url)
        model.latency = 300.0
        job = await submit(client, model_name, samples // len(LENGTHS))
    await until(lambda: model.in_flight == samples, PATIENCE)
    await patient.kill()
    model.latency = 0.0
    model.go_on()
    await until(lambda: spooled(patient_workers) == samples, PATIENCE)
    await asyncio.gather(*(quietly(worker) for worker in running))
    await patient.restart()
    for worker in running:
        worker.start()
    await check_whole(patient, job.id, faultless, model.calls)


def spooled(workers: Workers) -> int:
    """Outcomes on disk that no service has acknowledged."""
    folders = [worker.log.parent / "spool" for worker in workers.started]
    return sum(path.read_bytes().count(b"\n") for folder in folders for path in folder.rglob("[0-9]*.jsonl"))


async def test_postgres_killed_at_random_moments_keeps_every_stored_result(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    chance = random.Random(3)
    running = workers.start(2, concurrency=CONCURRENCY)
    async with service.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    kills = 3
    for moment in moments(chance, kills, model, PLANNED):
        await reached(model, moment)
        await until(service.kill_postgres, PATIENCE)
    await check_whole(service, job.id, faultless, model.calls, lost=kills * len(running) * HELD)


async def test_everything_killed_at_once_and_started_again_goes_on_where_it_was(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    chance = random.Random(4)
    running = workers.start(2, concurrency=CONCURRENCY)
    async with service.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
    kills = 2
    for moment in moments(chance, kills, model, PLANNED):
        await reached(model, moment)
        await kill_together(service, running)
        await service.restart()
        for worker in running:
            worker.start()
    await check_whole(service, job.id, faultless, model.calls, lost=kills * len(running) * HELD)


async def kill_together(service: Service, workers: list[FathomProcess]) -> None:
    """SIGKILL to all within a moment, before any can notice the others' end; then wait for them."""
    postgres = service.postmaster
    for pid in (postgres, service.process.pid, *(worker.pid for worker in workers)):
        os.kill(pid, signal.SIGKILL)
    await asyncio.gather(service.kill(), *(quietly(worker) for worker in workers))
