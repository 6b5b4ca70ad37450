"""What runs without anybody's asking: folding, taking back, marking, settling."""

from __future__ import annotations

import time

import pytest

from protocol.jobs import RetryPolicy
from service import maintenance
from service.db.engine import Database
from service.notifications import Notifications
from service.queue import leasing, reports
from tests.support.queue import (
    Job,
    add_job,
    add_model,
    add_worker,
    claim,
    counted,
    failure,
    indices,
    ready,
    report,
    result,
    state,
    work_off,
)


async def finished_with_errors(db: Database) -> tuple[Job, int]:
    """Ten samples, of which 3 and 7 ended as errors."""
    job = await add_job(db, await add_model(db), (10,), retry=RetryPolicy(max_attempts=1))
    worker = await add_worker(db)
    [grant] = await claim(db, worker)
    outcomes = [failure(job, grant, n) if n in (3, 7) else result(job, grant, n, score=0.5) for n in range(10)]
    await report(db, worker, job, *outcomes)
    assert await state(db, job) == "completed_with_errors"
    return job, worker


async def turn(db: Database, name: str, lease_seconds: float = 60) -> None:
    loop = next(loop for loop in maintenance.loops(lease_seconds) if loop.name == name)
    assert await maintenance.turn(db, loop, Notifications(db.url))


async def test_folding_changes_no_figure_and_notes_progress(database: Database) -> None:
    job, worker = await finished_with_errors(database)
    before = await counted(database, job)
    await turn(database, "fold")
    assert await database.pool.fetchval("select count(*) from deltas") == 0
    assert await counted(database, job) == before == {"ok": 8, "error": 2}
    rows = await database.pool.fetch("select status, score, n, calls from tallies order by 1, 2")
    assert [tuple(row) for row in rows] == [("attempt", -1, 2, 2), ("error", -1, 2, 0), ("ok", 0.5, 8, 8)]
    assert await database.pool.fetchval("select done from jobs") == 10
    assert await database.pool.fetchval("select done from workers where id = $1", worker) == 10
    assert await database.pool.fetchval("select data ->> 'done' from events where kind = 'progress'") == "10"
    assert await database.pool.fetchval("select done from progress_points") == 10


async def test_one_service_at_a_time_does_the_maintenance(database: Database) -> None:
    loop = maintenance.loops(60)[0]
    other = await database.pool.acquire()
    async with other.transaction():
        await other.execute("select pg_advisory_xact_lock(1785358947, $1)", loop.lock)
        assert not await maintenance.turn(database, loop, Notifications(database.url))
    await database.pool.release(other)
    assert await maintenance.turn(database, loop, Notifications(database.url))


async def test_leases_that_ran_out_are_taken_back(database: Database) -> None:
    job = await add_job(database, await add_model(database), (3,))
    worker = await add_worker(database)
    await claim(database, worker, seconds=0)
    await turn(database, "reap")
    assert await work_off(database, worker, job) == 3
    assert await state(database, job) == "completed"


async def test_a_job_that_does_not_move_is_marked_until_it_moves(database: Database) -> None:
    job = await add_job(database, await add_model(database), (2,))
    worker = await add_worker(database)
    [grant] = await claim(database, worker)
    await turn(database, "stalled jobs")
    assert await database.pool.fetchval("select stalled from jobs") is None
    # 300 s to the first byte and 10 s for each of about 1000 tokens: 311 s in all
    await database.pool.execute("update leases set granted_at = clock_timestamp() - interval '305 seconds'")
    await turn(database, "stalled jobs")
    assert await database.pool.fetchval("select stalled from jobs") is None
    await database.pool.execute("update leases set granted_at = clock_timestamp() - interval '315 seconds'")
    await turn(database, "stalled jobs")
    assert "2 calls are in flight and nothing has come back since" in await database.pool.fetchval(
        "select stalled from jobs"
    )
    assert await database.pool.fetchval("select count(*) from events where kind = 'stalled'") == 1
    await report(database, worker, job, result(job, grant, 0))
    await turn(database, "fold")
    assert await database.pool.fetchval("select stalled from jobs") is None


async def test_a_worker_not_heard_of_is_gone_until_it_comes_back(database: Database) -> None:
    worker = await add_worker(database)
    await turn(database, "missing workers")
    assert await database.pool.fetchval("select state from workers") == "up"
    await database.pool.execute("update workers set last_seen_at = clock_timestamp() - interval '121 seconds'")
    await turn(database, "missing workers")
    assert await database.pool.fetchval("select state from workers") == "gone"
    await database.pool.fetch("select * from queue_heartbeat($1, '{}', '60 seconds', false, '{}')", worker)
    assert await database.pool.fetchval("select state from workers") == "up"


async def test_a_worker_that_has_left_is_not_brought_back_by_its_last_heartbeat(database: Database) -> None:
    worker = await add_worker(database)
    await leasing.heartbeat(database.pool, worker, [], 60, draining=True)
    assert await database.pool.fetchval("select state from workers") == "draining"
    await database.pool.execute("update workers set state = 'gone'")
    await leasing.heartbeat(database.pool, worker, [], 60, draining=True)
    assert await database.pool.fetchval("select state from workers") == "gone"


async def test_the_floor_rises_to_the_oldest_live_lease_only(database: Database) -> None:
    job = await add_job(database, await add_model(database, max_concurrency=5), (5000,))
    worker = await add_worker(database)
    [kept] = await claim(database, worker, 1)
    for _ in range(600):
        [grant] = await claim(database, worker, 1)
        await report(database, worker, job, result(job, grant))
    await turn(database, "floors")
    assert await database.pool.fetchval("select lease_floor from models") < kept.lease
    await report(database, worker, job, result(job, kept))
    [held] = await claim(database, worker, 4)
    await turn(database, "floors")
    assert await database.pool.fetchval("select lease_floor from models") == held.lease
    assert len(indices(await claim(database, worker))) == 1, "the four above the floor are still counted"


async def test_a_job_whose_last_leases_close_at_the_same_moment_is_settled(database: Database) -> None:
    job = await add_job(database, await add_model(database), (2,))
    worker = await add_worker(database)
    [one], [two] = await claim(database, worker, 1), await claim(database, worker, 1)
    first = await database.pool.acquire()
    transaction = first.transaction()
    await transaction.start()

    await reports.report(first, worker, [result(job, one)], {job.public: job.id})
    await report(database, worker, job, result(job, two))
    await transaction.commit()
    await database.pool.release(first)
    assert await state(database, job) == "running", "neither report saw that the other was the last"
    await turn(database, "settle")
    assert await state(database, job) == "completed"
    await ready(database)


async def test_a_turn_that_comes_late_takes_nothing_from_workers_that_are_only_coming_back(database: Database) -> None:
    await add_job(database, await add_model(database), (3,))
    await claim(database, await add_worker(database), seconds=0)
    loop = next(loop for loop in maintenance.loops(60) if loop.name == "reap")
    with pytest.raises(maintenance.Late):
        await maintenance.turn(database, loop, Notifications(database.url), latest=time.monotonic())
    assert await database.pool.fetchval("select count(*) from leases") == 1
    assert await maintenance.turn(database, loop, Notifications(database.url), latest=time.monotonic() + 3600)
    assert await database.pool.fetchval("select count(*) from leases") == 0
