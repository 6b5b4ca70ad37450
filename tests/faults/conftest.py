"""One service for the room's tests, a model server and workers for each; and how its samples come out without faults."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from fathom.errors import FathomError
from protocol.jobs import Job, JobState
from service.db.embedded import EmbeddedPostgres
from tests.conftest import at_database, execute, run_apart
from tests.support.audit import Fact, Key, facts
from tests.support.cluster import PATIENCE, Service, Workers, add_model, finished, half_blind, submit
from tests.support.fathom_up import new_home
from tests.support.model_server import ModelServer
from tests.support.small_tokenizer import count
from tests.support.waiting import until

MOST_SAMPLES = 60
"""Samples at each length of the largest job here."""
CONCURRENCY = 4
"""Calls in flight of each worker here."""
_numbers = itertools.count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.faults)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """`fathom up` with a Postgres of its own, and without workers."""
    with new_home() as home:
        made = Service(home)
        try:
            yield made.start()
        finally:
            made.stop()


@pytest.fixture(scope="session")
def faultless(service: Service) -> dict[Key, Fact]:
    """What each sample comes to when nothing goes wrong."""
    found: dict[Key, Fact] = {}

    async def run() -> None:
        workers = Workers(service.home, service)
        try:
            async with ModelServer(answer=half_blind, count=count) as model, service.client() as client:
                workers.start(concurrency=8)
                job = await submit(client, await add_model(client, "faultless", model.base_url), MOST_SAMPLES)
                await finished(service, job.id)
                found.update(await facts(client, job.id))
        finally:
            workers.stop()

    run_apart(run())
    assert {one.score for one in found.values()} == {0.0, 1.0}, "scores that are all alike would hide mistakes"
    return found


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """A model server whose calls take a while."""
    async with ModelServer(latency=0.15, answer=half_blind, count=count) as server:
        yield server


@pytest.fixture
def model_name() -> str:
    return f"model-{next(_numbers)}"


@pytest.fixture
async def workers(service: Service) -> AsyncIterator[Workers]:
    """Starts workers."""
    async with new_workers(service) as made:
        yield made


@asynccontextmanager
async def new_workers(service: Service) -> AsyncIterator[Workers]:
    """All are killed at the end, and what a failed test left undone is cancelled."""
    made = Workers(service.home, service)
    try:
        yield made
    finally:
        await asyncio.to_thread(made.stop)
        with suppress(FathomError):
            async with service.client() as client:
                for job in await client.jobs(state="running"):
                    await client.cancel(job.id)


@pytest.fixture
async def job(service: Service, faultless: dict[Key, Fact]) -> AsyncIterator[Job]:
    """A job of four samples whose model nobody calls; cancelled at the end."""
    async with service.client() as client:
        made = await submit(client, "faultless", 2)
        yield made
        if (await client.job(made.id)).state is JobState.RUNNING:
            await client.cancel(made.id)


async def progress(model: ModelServer, calls: int, seconds: float = 120) -> None:
    """Wait until the model has got so many more calls."""
    before = model.started
    await until(lambda: model.started >= before + calls, seconds)


def moments(chance: random.Random, count: int, model: ModelServer, samples: int) -> list[int]:
    """When to strike: rising numbers of calls that the model will have had, in the first three quarters of a job of so
    many samples. A job that is quicker than the faults reaches them too."""
    return [model.started + at for at in sorted(chance.sample(range(4, 3 * samples // 4), count))]


async def reached(model: ModelServer, calls: int) -> None:
    """Wait until the model has had so many calls in all."""
    await until(lambda: model.started >= calls, PATIENCE)


@pytest.fixture(scope="session")
def patient(postgres: EmbeddedPostgres, template_database: str) -> Iterator[Service]:
    """`fathom serve` on a database of its own, with leases that no pause of a slow machine lets run out."""
    run_apart(execute(postgres.url, f"create database patient template {template_database}"))
    with new_home() as home:
        made = Service(home, "patient", at_database(postgres.url, "patient"), {"FATHOM_LEASE_SECONDS": "10"})
        try:
            yield made.start()
        finally:
            made.process.kill()


@pytest.fixture(scope="session")
def endless(postgres: EmbeddedPostgres, template_database: str) -> Iterator[Service]:
    """`fathom serve` on a database of its own, whose leases and heartbeats no test outlives."""
    run_apart(execute(postgres.url, f"create database endless template {template_database}"))
    environment = {"FATHOM_LEASE_SECONDS": "3600", "FATHOM_HEARTBEAT_SECONDS": "900"}
    with new_home() as home:
        made = Service(home, "endless", at_database(postgres.url, "endless"), environment)
        try:
            yield made.start()
        finally:
            made.process.kill()


@pytest.fixture
async def patient_workers(patient: Service) -> AsyncIterator[Workers]:
    """Starts workers of the patient service."""
    async with new_workers(patient) as made:
        yield made
