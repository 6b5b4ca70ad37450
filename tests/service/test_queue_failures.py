"""Failures: tried again with growing pauses, ended in time, and what a model that is down does to them."""

from __future__ import annotations

from datetime import timedelta

from protocol.jobs import RetryPolicy, Status
from service.db.engine import Database
from tests.support.queue import (
    Job,
    add_job,
    add_model,
    add_worker,
    claim,
    counted,
    failure,
    ready,
    report,
    result,
    state,
    statuses,
    words,
    work_off,
)


async def one(db: Database, size: int = 1, **fields: object) -> tuple[Job, int]:
    """A job of one cell, and a worker."""
    return await add_job(db, await add_model(db), (size,), **fields), await add_worker(db)


async def test_failures_are_tried_again_until_the_attempts_are_used_up(database: Database) -> None:
    job, worker = await one(database, retry=RetryPolicy(max_attempts=3))
    verdicts = []
    for attempt in (1, 2, 3):
        await ready(database)
        [grant] = await claim(database, worker)
        assert grant.samples == [(0, 0, attempt)]
        verdicts += await words(database, worker, job, failure(job, grant, message="boom"))
    assert verdicts == ["requeued", "requeued", "failed"]
    row = await database.pool.fetchrow("select status, error, attempts, score from results")
    assert tuple(row) == ("error", "server_error: boom", 3, None)
    assert await counted(database, job) == {"error": 1}
    assert await database.pool.fetchval("select array_agg(attempt order by id) from attempts") == [1, 2, 3]
    assert await state(database, job) == "completed_with_errors"


async def test_a_permanent_failure_ends_the_sample_at_once(database: Database) -> None:
    job, worker = await one(database)
    [grant] = await claim(database, worker)
    assert await words(database, worker, job, failure(job, grant, cause="auth", permanent=True)) == ["failed"]
    assert await statuses(database, job) == {"error": 1}


async def test_a_result_with_status_error_counts_as_a_permanent_failure(database: Database) -> None:
    job, worker = await one(database)
    [grant] = await claim(database, worker)
    outcome = result(job, grant, status=Status.ERROR, score=None, error="no such needle")
    assert await words(database, worker, job, outcome) == ["failed"]
    assert await database.pool.fetchval("select error from results") == "error: no such needle"


async def test_backoff_grows_exponentially_with_full_jitter_up_to_its_limit(database: Database) -> None:
    policy = RetryPolicy(max_attempts=100, base_seconds=2, max_seconds=20)
    job, worker = await one(database, 40, retry=policy)
    for attempts, ceiling in ((1, 2), (2, 4), (3, 8), (4, 16), (5, 20), (6, 20)):
        for grant in await claim(database, worker):
            await report(database, worker, job, *[failure(job, grant, n) for n in range(len(grant.samples))])
        waits = await database.pool.fetchval(
            "select array_agg(r.next_try - a.at) from retries r join lateral"
            " (select max(at) as at from attempts a where a.index = r.index) a on true where r.attempts = $1",
            attempts,
        )
        seconds = [wait.total_seconds() for wait in waits]
        assert len(seconds) == 40
        assert min(seconds) > -1
        assert max(seconds) <= ceiling
        assert max(seconds) > ceiling / 2, "forty draws that all stay below half are no full jitter"
        assert min(seconds) < ceiling / 2
        await ready(database)


async def test_retry_after_delays_the_sample_and_the_model(database: Database) -> None:
    job, worker = await one(database, 2)
    grant = (await claim(database, worker, 1))[0]
    await report(database, worker, job, failure(job, grant, cause="rate_limited", retry_after=42))
    wait = await database.pool.fetchval("select next_try - clock_timestamp() from retries")
    assert timedelta(seconds=30) < wait <= timedelta(seconds=42)
    assert await claim(database, worker) == [], "the server asked everybody to wait"
    await database.pool.execute("update models set cooldown_until = clock_timestamp()")
    assert len(await claim(database, worker)) == 1


async def test_no_attempt_is_spent_when_the_model_as_a_whole_is_down(database: Database) -> None:
    job, worker = await one(database, retry=RetryPolicy(max_attempts=2))
    for _ in range(5):
        await ready(database)
        [grant] = await claim(database, worker)
        assert await words(database, worker, job, failure(job, grant, counts=False)) == ["requeued"]
    assert tuple(await database.pool.fetchrow("select attempts, losses from retries")) == (0, 0)
    assert await database.pool.fetchval("select count(*) from attempts") == 5, "every try is kept"


async def test_a_circuit_opens_tries_one_sample_and_closes_again(database: Database) -> None:
    job, worker = await one(database, 10)
    grants = await claim(database, worker, 3)
    down = [failure(job, grants[0], n, cause="connection", model_down=True, counts=False) for n in range(3)]
    await report(database, worker, job, *down)
    row = await database.pool.fetchrow("select circuit, circuit_trips, circuit_reason from models")
    assert tuple(row) == ("open", 1, "connection"), "three failures at once open it once"
    assert await claim(database, worker) == []
    await database.pool.execute("update models set circuit_until = clock_timestamp()")
    await ready(database)
    [trial] = await claim(database, worker)
    assert len(trial.samples) == 1
    assert await database.pool.fetchval("select circuit from models") == "half-open"
    assert await claim(database, worker) == [], "one trial at a time"
    await report(database, worker, job, failure(job, trial, model_down=True, counts=False))
    assert tuple(await database.pool.fetchrow("select circuit, circuit_trips from models")) == ("open", 2)
    left = await database.pool.fetchval("select circuit_until - clock_timestamp() from models")
    assert timedelta(seconds=5) < left <= timedelta(seconds=10), "twice the first pause"
    await database.pool.execute("update models set circuit_until = clock_timestamp()")
    await ready(database)
    [trial] = await claim(database, worker)
    await report(database, worker, job, result(job, trial))
    assert tuple(await database.pool.fetchrow("select circuit, circuit_trips, circuit_until from models")) == (
        "closed",
        0,
        None,
    )
    assert await work_off(database, worker, job) == 9
    assert await statuses(database, job) == {"ok": 10}
