"""Everything at once: zombies, dead workers, lost and repeated replies, killed backends, steering and asking again.

Whatever happens, each sample ends with exactly one result, the counters equal the rows, nobody waits for ever, and a
reader who follows the results while they are written sees each of them once.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import pytest

from benchmarks.base import Cell
from protocol.jobs import RetryPolicy
from protocol.workers import Outcome
from service.db.engine import Database, connect, raw_dsn
from service.errors import Conflict
from service.queue import control, leasing, reports
from service.queue.leasing import Grant
from tests.support.queue import (
    Job,
    add_job,
    add_model,
    add_worker,
    counted,
    failure,
    hand_back,
    result,
    state,
    statuses,
)

CAP = 60
LEASE = 0.4
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what asyncpg says when a backend ends in the middle of an answer
    asyncpg.AdminShutdownError,
    OSError,
)


@dataclass
class World:
    """What all the actors share."""

    db: Database
    rng: random.Random
    jobs: dict[int, Job] = field(default_factory=dict)
    over: bool = False
    seen: Counter[str] = field(default_factory=Counter)
    live: int = 0
    peak: int = 0

    async def again(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call until there is an answer: after a lost connection nobody knows whether it was done."""
        while True:
            try:
                return await call()
            except asyncpg.DeadlockDetectedError:
                self.seen["deadlock"] += 1
            except LOST:
                self.seen["connection lost"] += 1
                await asyncio.sleep(0.01)

    def outcome(self, grant: Grant, place: int) -> Outcome:
        """Good mostly; the score tells which sample it was."""
        job, index = self.jobs[grant.job], grant.samples[place][0]
        fate = self.rng.random()
        if fate < 0.05:
            return failure(job, grant, place)
        if fate < 0.06:
            return failure(job, grant, place, permanent=True)
        if fate < 0.07:
            return hand_back(job, grant, place)
        return result(job, grant, place, score=(index % 10) / 10, answer=f"{grant.cell}:{index}")


async def report(world: World, worker: int, outcomes: list[Outcome]) -> None:
    ids = {job.public: job.id for job in world.jobs.values()}
    for verdict in await world.again(lambda: reports.report(world.db.pool, worker, outcomes, ids)):
        world.seen[verdict.verdict] += 1


async def worker(world: World) -> None:
    """Claims and reports; now and then it dies, sleeps beyond its lease, or sends a report twice or in parts."""
    rng, me = world.rng, await world.again(lambda: add_worker(world.db))
    while not world.over:
        want = rng.choice((1, 8, 24))
        grants: list[Grant] = await world.again(lambda: leasing.claim(world.db.pool, me, want, 8, LEASE))  # noqa: B023
        if not grants:
            await asyncio.sleep(0.01)
        for grant in grants:
            fate = rng.random()
            if fate < 0.02:
                world.seen["died"] += 1
                me = await world.again(lambda: add_worker(world.db))
                continue
            outcomes = [world.outcome(grant, place) for place in range(len(grant.samples))]
            if fate < 0.06:
                world.seen["slept"] += 1
                await asyncio.sleep(LEASE * rng.uniform(1.2, 2))
            else:
                world.live += len(outcomes)
                world.peak = max(world.peak, world.live)
                await asyncio.sleep(rng.uniform(0, 0.01))
                world.live -= len(outcomes)
                if fate > 0.9:
                    await world.again(lambda: leasing.heartbeat(world.db.pool, me, [grant.lease], LEASE))  # noqa: B023
            rng.shuffle(outcomes)
            cut = rng.randrange(len(outcomes)) if fate > 0.7 else 0
            for part in (outcomes[:cut], outcomes[cut:]):
                if part:
                    await report(world, me, part)
                    if fate > 0.9:
                        await report(world, me, part)


async def maintenance(world: World) -> None:
    rounds = 0
    while not world.over:
        rounds += 1
        world.seen["taken back"] += await world.again(lambda: leasing.reap(world.db.pool, 50))
        if rounds % 5 == 0:
            await world.again(lambda: world.db.pool.fetch("select * from queue_fold()"))
            await world.again(lambda: world.db.pool.fetch("select queue_raise_floors()"))
            await world.again(lambda: world.db.pool.fetch("select * from queue_settle_all()"))
        await asyncio.sleep(0.02)


async def killer(world: World, keep: int) -> None:
    """Ends a random backend of the workers' pool now and then."""
    async with asyncpg.create_pool(raw_dsn(world.db.url), min_size=1, max_size=1) as own:
        while not world.over:
            await asyncio.sleep(0.15)
            await own.execute(
                "select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = current_database()"
                " and application_name = 'fathom' and pid <> $1 order by random() limit 1) x",
                keep,
            )
            world.seen["killed"] += 1


async def steersman(world: World) -> None:
    """Pauses, resumes, asks errors again, asks single samples again, extends."""
    rng = world.rng
    for _ in range(25):
        await asyncio.sleep(0.1)
        job = rng.choice(list(world.jobs.values()))
        verb = rng.choice(("pause", "resume", "requeue", "named", "extend"))
        try:
            async with world.db.begin() as connection:
                if verb in ("pause", "resume"):
                    await control.steer(connection, job.id, verb)  # type: ignore[arg-type]
                elif verb == "requeue":
                    world.seen["requeued errors"] += await control.requeue(connection, job.id, ["error"])
                elif verb == "named":
                    pairs = [(0, rng.randrange(200)) for _ in range(5)]
                    world.seen["requeued named"] += await control.requeue(connection, job.id, [], pairs)
                else:
                    size = await world.db.pool.fetchval("select size from cells where job_id = $1 and cell = 0", job.id)
                    await control.extend(
                        connection, job.id, {}, [Cell("task", 1024, size + 20), Cell("task", 2048, 300)]
                    )
        except Conflict:
            world.seen["refused to steer"] += 1
        except Exception as error:
            if not is_lost(error):
                raise
            world.seen["steering lost"] += 1
    for job in world.jobs.values():
        await resume(world, job)


async def resume(world: World, job: Job) -> None:
    """Resume a job if it is paused, however often the connection is lost on the way."""
    while await world.again(lambda: state(world.db, job)) == "paused":
        try:
            async with world.db.begin() as connection:
                await control.steer(connection, job.id, "resume")
        except Exception as error:
            if not is_lost(error):
                raise


def is_lost(error: BaseException | None) -> bool:
    """Whether a killed backend is behind it."""
    while error is not None:
        if isinstance(error, LOST):
            return True
        error = error.__cause__ or error.__context__
    return False


async def reader(world: World, job: Job) -> list[tuple[int, int, int]]:
    """Follows the results of a job as a client with a cursor does; all (cell, index, generation) in the order seen."""
    found: list[tuple[int, int, int]] = []
    place: tuple[str, int, int] = ("0", -1, -1)
    while True:
        finished = world.over
        rows = await world.again(
            lambda: world.db.pool.fetch(
                "select xid::text, cell, index, generation from results where job_id = $1"
                " and (xid, cell, index) > ($2::text::xid8, $3, $4) and xid < pg_snapshot_xmin(pg_current_snapshot())"
                " order by xid, cell, index limit 37",
                job.id,
                *place,  # noqa: B023
            )
        )
        found += [(row["cell"], row["index"], row["generation"]) for row in rows]
        if rows:
            place = (rows[-1]["xid"], rows[-1]["cell"], rows[-1]["index"])
        elif finished:
            return found
        else:
            await asyncio.sleep(0.01)


async def until_finished(world: World) -> None:
    while True:
        await asyncio.sleep(0.1)
        states = {await world.again(lambda: state(world.db, job)) for job in world.jobs.values()}  # noqa: B023
        if states <= {"completed", "completed_with_errors"}:
            return


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_sample_ends_with_exactly_one_result_whatever_happens(database_url: str, seed: int) -> None:
    db = await connect(database_url, 14)
    world = World(db, random.Random(seed))
    model = await add_model(db, max_concurrency=CAP)
    policy = RetryPolicy(max_attempts=4, base_seconds=0.01, max_seconds=0.05)
    for _ in range(3):
        job = await add_job(db, model, (400, 300), retry=policy)
        world.jobs[job.id] = job
    async with asyncio.timeout(240), asyncio.TaskGroup() as group:
        for _ in range(12):
            group.create_task(worker(world))
        group.create_task(maintenance(world))
        readers = [group.create_task(reader(world, job)) for job in world.jobs.values()]
        keeper = await db.pool.fetchval("select pg_backend_pid()")
        group.create_task(killer(world, keeper))
        await group.create_task(steersman(world))
        await until_finished(world)
        world.over = True

    await db.close()
    db = await connect(database_url, 4)  # the killer's last victim may still be in the pool
    assert world.seen["deadlock"] == 0
    assert world.peak <= CAP
    for chaos in ("killed", "died", "slept", "taken back", "duplicate", "stale", "requeued", "failed", "returned"):
        assert world.seen[chaos] > 0, f"nothing was {chaos}, so that the test says less than it should: {world.seen}"
    for job, follower in zip(world.jobs.values(), readers, strict=True):
        planned = await db.pool.fetchval("select sum(size) from cells where job_id = $1", job.id)
        ended = await statuses(db, job)
        assert sum(ended.values()) == planned
        assert await counted(db, job) == ended
        assert await state(db, job) == ("completed_with_errors" if "error" in ended else "completed")
        wrong = await db.pool.fetchval(
            "select count(*) from results where job_id = $1 and status = 'ok'"
            " and (answer <> cell || ':' || index or score <> index % 10 / 10.0::float8)",
            job.id,
        )
        assert wrong == 0
        followed = await follower
        final = await db.pool.fetch("select cell, index, generation from results where job_id = $1", job.id)
        assert set(followed) >= {tuple(row) for row in final}, "the reader missed a result"
    for leftover in ("leases", "retries", "ranges"):
        assert await db.pool.fetchval(f"select count(*) from {leftover}") == 0
    await db.close()


async def test_a_reader_sees_each_result_once_while_writers_commit_out_of_order(database: Database) -> None:
    """A transaction that began early commits late: a cursor that went by time or id would skip its row."""
    job = await add_job(database, await add_model(database, max_concurrency=1000), (300,))
    me = await add_worker(database)
    ids = {job.public: job.id}
    world = World(database, random.Random(3), {job.id: job})

    async def write() -> None:
        while grants := await leasing.claim(database.pool, me, 5, 1, 60):
            async with database.pool.acquire() as connection, connection.transaction():
                for grant in grants:
                    outcomes = [result(job, grant, place) for place in range(len(grant.samples))]
                    await reports.report(connection, me, outcomes, ids)
                await asyncio.sleep(world.rng.uniform(0, 0.05))

    following = asyncio.create_task(reader(world, job))
    await asyncio.gather(*(write() for _ in range(5)))
    world.over = True
    assert sorted(await following) == [(0, index, 0) for index in range(300)]
