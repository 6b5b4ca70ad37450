"""Machines that lose their network, their clock or their disk. What a machine cannot do here is skipped and said."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from service.db.folder import PORT, SUPERUSER
from tests.faults.conftest import CONCURRENCY, progress
from tests.support.audit import Fact, Key, check_whole, prompts_of
from tests.support.cable import Cable
from tests.support.cluster import PATIENCE, Service, Workers, add_model, submit
from tests.support.exposure import exposed
from tests.support.fathom_up import new_home
from tests.support.fault_proxy import FaultProxy
from tests.support.model_server import ModelServer
from tests.support.namespaces import why_not
from tests.support.waiting import until

SAMPLES = 30
_FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
no_network = why_not()


@pytest.fixture
def cable() -> Iterator[Cable]:
    with Cable() as made:
        yield made


@pytest.mark.skipif(no_network is not None, reason=str(no_network))
async def test_a_worker_whose_network_is_cut_is_replaced_and_takes_part_again_when_it_is_back(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
    cable: Cable,
) -> None:
    async with (
        FaultProxy((patient.host, patient.port), cable.here) as to_service,
        FaultProxy(("127.0.0.1", model.port), cable.here) as to_model,
        patient.client() as client,
    ):
        (far,) = patient_workers.start(concurrency=CONCURRENCY, server=to_service.address, wrapper=cable.inside)
        await add_model(client, model_name, f"{to_model.address}/v1")
        job = await submit(client, model_name, SAMPLES)
        await progress(model, 10)
        (near,) = patient_workers.start(concurrency=CONCURRENCY)
        cable.cut()
        stuck = await exposed(patient, job.id, model, far, faultless)
        await check_whole(patient, job.id, faultless, model.calls, exposed=stuck)

        cable.mend()
        await until(lambda: "is back" in far.said, PATIENCE)
        assert await near.terminate() == 0
        model.calls.clear()
        second = await submit(client, model_name, 6)
        await check_whole(patient, second.id, faultless, model.calls)


@pytest.mark.skipif(not _FAKETIME, reason="libfaketime is not installed (Debian package `libfaketime`)")
async def test_workers_whose_clocks_are_wrong_lose_no_lease_and_no_result(
    patient: Service,
    patient_workers: Workers,
    model: ModelServer,
    model_name: str,
    faultless: dict[Key, Fact],
) -> None:
    for shift in ("+400d", "-3h"):
        clock = {"LD_PRELOAD": str(_FAKETIME[-1]), "FAKETIME": shift, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        patient_workers.start(concurrency=CONCURRENCY, environment=clock)
    async with patient.client() as client:
        job = await submit(client, await add_model(client, model_name, model.base_url), SAMPLES)
        ended = await check_whole(patient, job.id, faultless, model.calls)
        attempts = [result.attempts async for result in client.results(job.id)]
        assert attempts == [1] * ended.counts.planned, "a lease ran out too early"
        shown = {worker.pid: worker for worker in await client.workers()}
    seen = [shown[worker.pid].last_seen_at for worker in patient_workers.started]
    assert abs(seen[0] - seen[1]).total_seconds() < 300, "the database's clock is the one that counts"


@asynccontextmanager
async def on_a_small_disk() -> AsyncIterator[Service]:
    """`fathom up` whose data folder is a file system of its own in memory, which only it sees."""
    with new_home() as home:
        data = home.folder / "small"
        data.mkdir(mode=0o755)
        mount = 'mount -t tmpfs -o size=230m,mode=755 fathom "$0" && exec "$@"'
        made = Service(home, "small", wrapper=("unshare", "-m", "sh", "-c", mount, str(data)), data=data)
        try:
            await made.restart()
            yield made
        finally:
            await asyncio.to_thread(made.stop)


class Ballast:
    """Fills the disk of a service, seen through its process."""

    def __init__(self, service: Service) -> None:
        self.root = Path(f"/proc/{service.process.pid}/root{service.data}")
        self._file = self.root / "ballast"

    def fill(self) -> None:
        """Take what is free, to the last byte."""
        with contextlib.suppress(OSError), self._file.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))

    def remove(self) -> None:
        self._file.unlink()


async def fill_up(ballast: Ballast) -> None:
    """Take all space, and write to the database's log until it stops for want of more."""
    ballast.fill()
    socket = ballast.root / "postgres" / "socket"
    with contextlib.suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        connection = await asyncpg.connect(host=str(socket), port=PORT, user=SUPERUSER, database="postgres")
        while True:
            await connection.execute("select pg_logical_emit_message(true, 'ballast', repeat('x', 1000000))")
    ballast.fill()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare (util-linux)")
async def test_a_full_disk_stops_the_database_not_the_job(model: ModelServer, faultless: dict[Key, Fact]) -> None:
    async with on_a_small_disk() as service:
        workers = Workers(service.home, service)
        try:
            running = workers.start(2, concurrency=CONCURRENCY)
            async with service.client() as client:
                await add_model(client, "m", model.base_url)
                job = await submit(client, "m", SAMPLES)
            await progress(model, 15)
            ballast = Ballast(service)
            await fill_up(ballast)
            await until(lambda: "no space left" in service.process.said, PATIENCE)
            assert await asyncio.to_thread(status, service) == 503
            await until(lambda: model.in_flight == 0, PATIENCE)
            assert service.process.running
            assert all(worker.running for worker in running)
            asked = set(prompts_of(model.calls))  # among them what was claimed so late that the database forgot it
            ballast.remove()
            await check_whole(service, job.id, faultless, model.calls, exposed=asked)
            assert sum(n - 1 for n in prompts_of(model.calls).values()) <= 2 * len(running) * CONCURRENCY
        finally:
            await asyncio.to_thread(workers.stop)


def status(service: Service) -> int:
    try:
        return httpx.get(f"{service.address}/readyz", timeout=30).status_code
    except httpx.TransportError:
        return 0
