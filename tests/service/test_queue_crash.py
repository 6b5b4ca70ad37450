"""The database server is killed in the middle of everything; what was acknowledged is there, and nothing counts twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import asyncpg
import pytest

from service.db import migrate
from service.db.embedded import EmbeddedPostgres
from service.db.engine import Database, connect
from service.queue import leasing, reports
from tests.support.queue import (
    Job,
    add_job,
    add_model,
    add_worker,
    claim,
    counted,
    expire,
    report,
    result,
    results,
    state,
    statuses,
)
from tests.support.waiting import until

pytestmark = pytest.mark.faults
SAMPLES = 4000
LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


async def work(db: Database, worker: int, job: Job, acknowledged: set[int], leases: list[int]) -> None:
    """Claims and reports until the connection is lost."""
    while True:
        try:
            grants = await leasing.claim(db.pool, worker, 8, 8, 60)
        except LOST:
            return
        if not grants:
            return
        for grant in grants:
            leases.append(grant.lease)
            outcomes = [result(job, grant, place) for place in range(len(grant.samples))]
            try:
                verdicts = await reports.report(db.pool, worker, outcomes, {job.public: job.id})
            except LOST:
                return
            assert {v.verdict for v in verdicts} <= {"stored", "duplicate"}
            acknowledged |= {index for index, _, _ in grant.samples}


async def test_a_killed_server_loses_nothing_acknowledged_and_repeats_no_lease(server_folder: Path) -> None:
    rng = random.Random(11)
    with EmbeddedPostgres(server_folder / "data") as server:
        await migrate.upgrade(server.url)
        db = await connect(server.url, 6)
        job = await add_job(db, await add_model(db, max_concurrency=64), (SAMPLES,))
        acknowledged: set[int] = set()
        leases: list[int] = []
        for restarts in range(1, 5):
            before = list(leases)
            workers = [await add_worker(db) for _ in range(4)]
            working = asyncio.gather(*(work(db, worker, job, acknowledged, leases) for worker in workers))
            enough = len(before) + rng.randint(3, 40)
            await until(lambda: len(leases) >= enough, 60)  # noqa: B023
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            await working
            await until(lambda: server.restarts == restarts and server.problem is None, 60)  # noqa: B023
            await db.pool.expire_connections()
            stored = {row[0] for row in await db.pool.fetch("select index from results")}
            assert acknowledged <= stored
        assert len(leases) == len(set(leases)), "a lease's id came twice"

        await expire(db)
        worker = await add_worker(db)
        while grants := await claim(db, worker, 64):
            for grant in grants:
                assert grant.lease > max(leases), "ids of leases rise for ever"
                await report(db, worker, job, *results(job, grant))
        assert await state(db, job) == "completed"
        assert await statuses(db, job) == await counted(db, job) == {"ok": SAMPLES}
        await db.close()


async def test_ids_of_leases_never_come_again_though_a_grant_need_not_reach_the_disk(server_folder: Path) -> None:
    """A claim does not wait for the disk: a server killed at once forgets it, and hands the samples out again."""
    with EmbeddedPostgres(server_folder / "data", {"wal_writer_delay": "10s"}) as server:
        await migrate.upgrade(server.url)
        db = await connect(server.url, 2)
        await add_job(db, await add_model(db, max_concurrency=100_000), (100_000,))
        worker = await add_worker(db)
        highest = forgotten = 0
        for restarts in range(1, 4):
            grants = [grant for _ in range(45) for grant in await claim(db, worker, 1)]
            assert min(grant.lease for grant in grants) > highest
            highest = max(grant.lease for grant in grants)
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            await until(lambda: server.restarts == restarts and server.problem is None, 60)  # noqa: B023
            await db.pool.expire_connections()
            forgotten += len(grants) - await db.pool.fetchval(
                "select count(*) from leases where id = any($1)", [g.lease for g in grants]
            )
        assert forgotten > 0, "every grant reached the disk, so that the test says nothing"
        await db.close()
