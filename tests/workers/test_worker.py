"""A worker process and the real service: how it leaves, and what it says when it cannot work."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest

from fathom.client import Client
from protocol.jobs import JobState, Run
from tests.support.audit import results
from tests.support.cluster import Service, Workers, add_model, finished, submit
from tests.support.fathom_up import new_home
from tests.support.model_server import Misbehave, ModelServer, find_needles
from tests.support.processes import FathomProcess
from tests.support.small_tokenizer import count
from tests.support.waiting import until

SAMPLES = 8
PATIENCE = 120.0


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with new_home() as home:
        made = Service(home)
        try:
            yield made.start()
        finally:
            made.stop()


@pytest.fixture
async def client(service: Service) -> AsyncIterator[Client]:
    async with service.client() as opened:
        yield opened


@pytest.fixture
def workers(service: Service) -> Iterator[Workers]:
    made = Workers(service.home, service)
    yield made
    made.stop()


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer(count=count) as server:
        yield server


async def _ready(client: Client, workers: Workers, model: ModelServer, concurrency: int) -> tuple[str, FathomProcess]:
    """A worker, and the model as it probed it; the calls of the probe are forgotten."""
    [process] = workers.start(concurrency=concurrency)
    name = await add_model(client, f"m-{uuid4().hex[:8]}", model.base_url)
    await until(lambda: model.in_flight == 0, PATIENCE)
    model.started = model.answered = model.aborted = model.peak = 0
    model.calls.clear()
    return name, process


async def _stopped(process: FathomProcess) -> int:
    process.send(signal.SIGTERM)
    assert process.process is not None
    return await asyncio.to_thread(process.process.wait, 60)


async def test_a_worker_told_to_leave_finishes_its_calls_and_exits_with_0(
    service: Service, client: Client, workers: Workers, model: ModelServer
) -> None:
    name, first = await _ready(client, workers, model, 4)
    model.latency = 1.0
    job = await submit(client, name, SAMPLES)
    await until(lambda: model.in_flight == 4, PATIENCE)
    assert await _stopped(first) == 0
    answered = model.answered
    assert model.aborted == 0
    workers.start(concurrency=4)
    done = await finished(service, job.id)
    assert done.state is JobState.COMPLETED
    assert model.started == model.answered == done.counts.planned
    assert answered >= 4


async def test_calls_that_outlast_the_grace_period_are_stopped_and_go_to_another_worker(
    service: Service, client: Client, workers: Workers, model: ModelServer
) -> None:
    name, first = await _ready(client, workers, model, 2)
    model.then(Misbehave("hang"), Misbehave("hang"))
    job = await submit(client, name, SAMPLES)
    await until(lambda: model.in_flight == 2, PATIENCE)
    assert await _stopped(first) == 0
    assert model.in_flight == 0
    workers.start(concurrency=2)
    done = await finished(service, job.id)
    assert done.counts.scored == done.counts.planned
    assert {one.attempts for one in await results(client, job.id)} == {1}  # handed back: no attempt was spent


async def test_a_cancelled_jobs_calls_are_stopped(client: Client, workers: Workers, model: ModelServer) -> None:
    name, _ = await _ready(client, workers, model, 4)
    model.script = lambda seen: Misbehave("hang")
    job = await submit(client, name, SAMPLES)
    await until(lambda: model.in_flight == 4, PATIENCE)
    await client.cancel(job.id)
    await until(lambda: model.in_flight == 0, PATIENCE)
    assert model.started == 4


async def test_a_missing_api_key_fails_the_samples_and_names_the_variable(
    service: Service, client: Client, workers: Workers, model: ModelServer
) -> None:
    name, _ = await _ready(client, workers, model, 4)
    await client.change_model(name, {"api_key_env": "FATHOM_TEST_KEY"})
    job = await submit(client, name, SAMPLES)
    done = await finished(service, job.id)
    assert done.state is JobState.COMPLETED_WITH_ERRORS
    assert done.counts.failed == done.counts.planned
    assert all("FATHOM_TEST_KEY" in (one.error or "") for one in await results(client, job.id))
    assert model.started == 0


async def test_a_server_that_cuts_prompts_and_hides_it_is_caught_by_the_canary(
    service: Service, client: Client, workers: Workers, model: ModelServer
) -> None:
    def answer(prompt: str) -> str:
        if "Which code word" not in prompt:
            return find_needles(prompt)
        return prompt.split()[2] if prompt.startswith("Code word:") else "There is none."

    name, _ = await _ready(client, workers, model, 8)
    model.answer, model.window, model.truncate, model.usage = answer, 720, "front", "sent"
    job = await submit(client, name, SAMPLES, run=Run(canary=True))
    done = await finished(service, job.id)
    by_length: dict[int, set[str]] = {}
    for result in await results(client, job.id):
        by_length.setdefault(result.length, set()).add(result.status.value)
    assert by_length == {640: {"ok"}, 896: {"truncated_prompt"}}
    assert done.counts.scored == SAMPLES
