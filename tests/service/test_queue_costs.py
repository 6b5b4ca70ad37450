"""What a claim and a report touch does not depend on how large a job is, how much is done, or who holds an old snapshot.

Times are noisy, pages are not: the tests count the pages that Postgres reads for a call.
"""

from __future__ import annotations

import statistics
from typing import Any

import orjson

from service.db.engine import Database
from tests.support.queue import Job, add_job, add_model, add_worker, claim, failure, ready, report, results

HOT = ("ranges", "leases", "retries", "results", "jobs", "cells", "deltas", "attempts", "models")


async def pages(db: Database, worker: int, want: int = 16, rounds: int = 15) -> float:
    """Median number of pages that a claim reads."""
    found: list[int] = []
    for _ in range(rounds):
        plan = await db.pool.fetchval(
            "explain (analyze, buffers, format json) select * from queue_claim($1, $2, 8, '60 seconds', '{}')",
            worker,
            want,
        )
        top = (orjson.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
        assert top["Actual Rows"] >= 1
        found.append(top["Shared Hit Blocks"] + top["Shared Read Blocks"])
    return statistics.median(found)


async def work(db: Database, worker: int, job: Job, rounds: int, want: int = 16) -> None:
    for _ in range(rounds):
        for grant in await claim(db, worker, want):
            await report(db, worker, job, *results(job, grant))


async def test_a_claim_costs_the_same_at_ten_thousand_and_at_ten_million_samples(database: Database) -> None:
    model = await add_model(database, max_concurrency=1_000_000)
    worker = await add_worker(database)
    small = await add_job(database, model, [100] * 100)
    await claim(database, worker, 16)
    cost = await pages(database, worker)
    await database.pool.execute("update jobs set state = 'paused' where id = $1", small.id)
    await add_job(database, model, [100_000] * 100)
    await claim(database, worker, 16)
    assert await pages(database, worker) <= 1.5 * cost


async def test_a_claim_costs_the_same_at_the_end_of_a_job(database: Database) -> None:
    job = await add_job(database, await add_model(database, max_concurrency=1_000_000), [20_000] * 3)
    worker = await add_worker(database)
    await work(database, worker, job, 3)
    cost = await pages(database, worker)
    await work(database, worker, job, 55, 1000)
    await database.pool.execute("select queue_raise_floors()")
    assert await pages(database, worker) <= 1.5 * cost


async def test_a_claim_costs_the_same_while_somebody_holds_an_old_snapshot(database: Database) -> None:
    job = await add_job(database, await add_model(database, max_concurrency=1_000_000), [100_000])
    worker = await add_worker(database)
    await work(database, worker, job, 3)
    cost = await pages(database, worker)
    holder = await database.pool.acquire()
    transaction = holder.transaction(isolation="repeatable_read", readonly=True)
    await transaction.start()
    await holder.fetchval("select count(*) from leases")
    costs = []
    for _ in range(4):
        await work(database, worker, job, 300)
        await database.pool.execute("select queue_raise_floors()")
        costs.append(await pages(database, worker))
    # Twelve hundred leases came and went, and none of their entries could be removed: without a floor they would all
    # be read again by each claim.
    assert max(costs) <= 4 * cost
    await transaction.rollback()
    await database.pool.release(holder)


async def test_no_call_ever_scans_a_table(database: Database) -> None:
    """Plans are made while the tables are empty, and kept: none of them may be the scan that is cheap just then."""
    async with database.pool.acquire() as connection:
        one = Database(database.url, database.engine, connection)
        job = await add_job(one, await add_model(one, max_concurrency=1_000_000), [5000] * 2)
        worker = await add_worker(one)
        before = await scans(connection)
        for _ in range(12):
            *again, grant = await claim(one, worker, 64)
            for retried in again:
                await report(one, worker, job, *results(job, retried))
            await report(one, worker, job, *results(job, grant)[2:], failure(job, grant, 0), failure(job, grant, 1))
            await ready(one)
        [late, *_] = await claim(one, worker, 8)
        await connection.execute(
            "update leases set expires_at = clock_timestamp() - interval '1 s' where id = $1", late.lease
        )
        await connection.fetchval("select queue_reap(10, null)")
        await report(one, worker, job, *results(job, late))
        await connection.fetch("select * from queue_heartbeat($1, '{1,2,3}', '60 s', false, '{}')", worker)
        after = await scans(connection)
    assert {name: after[name] - before[name] for name in HOT} == dict.fromkeys(HOT, 0) | own_scans(after, before)


def own_scans(after: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    """The test's own statements scan `retries` and `leases`: `ready` twelve times, its update once at most."""
    return {
        name: after[name] - before[name]
        for name, most in (("retries", 12), ("leases", 1))
        if after[name] - before[name] <= most
    }


async def scans(connection: Any) -> dict[str, int]:
    """Sequential scans so far, by table."""
    await connection.execute("select pg_stat_force_next_flush()")
    await connection.execute("select 1")
    rows = await connection.fetch("select relname, seq_scan from pg_stat_user_tables")
    return {row["relname"]: row["seq_scan"] for row in rows}
