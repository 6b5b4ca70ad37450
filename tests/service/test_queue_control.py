"""Steering, asking again, extending: what is done stays done."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.base import Cell
from protocol.jobs import JobState, RetryPolicy
from service.db.engine import Database
from service.errors import Conflict
from service.queue import control
from tests.support.queue import (
    Job,
    add_job,
    add_model,
    add_worker,
    claim,
    counted,
    expire,
    failure,
    indices,
    report,
    result,
    results,
    state,
    statuses,
    words,
    work_off,
)


async def steer(db: Database, job: Job, action: control.Action) -> JobState:
    async with db.begin() as connection:
        return await control.steer(connection, job.id, action)


async def requeue(db: Database, job: Job, statuses: list[str], samples: list[tuple[int, int]] | None = None) -> int:
    async with db.begin() as connection:
        return await control.requeue(connection, job.id, statuses, samples or [])


async def extend(db: Database, job: Job, *grid: Cell) -> int:
    async with db.begin() as connection:
        return await control.extend(connection, job.id, {"new": True}, grid)


async def test_a_million_samples_are_a_few_hundred_rows(database: Database) -> None:
    job = await add_job(database, await add_model(database), [10_000] * 100)
    assert await database.pool.fetchval("select sum(stop - next) from ranges where job_id = $1", job.id) == 1_000_000
    assert await database.pool.fetchval("select count(*) from ranges") == 1000


async def test_steering_twice_is_no_error_and_steering_wrongly_is(database: Database) -> None:
    job = await add_job(database, await add_model(database), (1,))
    assert await steer(database, job, "pause") == "paused"
    assert await steer(database, job, "pause") == "paused"
    assert await steer(database, job, "resume") == "running"
    assert await work_off(database, await add_worker(database), job) == 1
    with pytest.raises(Conflict, match="cannot pause a job that is completed; it must be running"):
        await steer(database, job, "pause")
    other = await add_job(database, await database.pool.fetchval("select id from models"), (1,))
    assert await steer(database, other, "cancel") == "cancelled"
    assert await steer(database, other, "cancel") == "cancelled"
    with pytest.raises(Conflict, match="cannot resume a job that is cancelled; it must be paused"):
        await steer(database, other, "resume")


async def test_calls_of_a_paused_job_end_and_count(database: Database) -> None:
    job = await add_job(database, await add_model(database), (3,))
    worker = await add_worker(database)
    grants = await claim(database, worker, 2)
    await steer(database, job, "pause")
    await report(database, worker, job, *results(job, grants[0]))
    assert await state(database, job) == "paused"
    await steer(database, job, "resume")
    assert await work_off(database, worker, job) == 1
    assert await state(database, job) == "completed"


async def test_a_paused_job_whose_last_call_ends_is_completed(database: Database) -> None:
    job = await add_job(database, await add_model(database), (1,))
    worker = await add_worker(database)
    [grant] = await claim(database, worker)
    await steer(database, job, "pause")
    await report(database, worker, job, *results(job, grant))
    assert await state(database, job) == "completed"


async def test_state_changes_are_events_in_order(database: Database) -> None:
    job = await add_job(database, await add_model(database), (1,))
    await steer(database, job, "pause")
    await steer(database, job, "resume")
    await work_off(database, await add_worker(database), job)
    rows = await database.pool.fetch("select kind, data ->> 'state' from events order by id")
    assert [tuple(row) for row in rows] == [("state", s) for s in ("running", "paused", "running", "completed")]


async def finished_with_errors(db: Database) -> tuple[Job, int]:
    """Ten samples, of which 3 and 7 ended as errors."""
    job = await add_job(db, await add_model(db), (10,), retry=RetryPolicy(max_attempts=1))
    worker = await add_worker(db)
    [grant] = await claim(db, worker)
    outcomes = [failure(job, grant, n) if n in (3, 7) else result(job, grant, n, score=0.5) for n in range(10)]
    await report(db, worker, job, *outcomes)
    assert await state(db, job) == "completed_with_errors"
    return job, worker


async def test_retrying_errors_keeps_every_good_result(database: Database) -> None:
    job, worker = await finished_with_errors(database)
    assert await requeue(database, job, ["error"]) == 2
    assert await state(database, job) == "running"
    grants = await claim(database, worker)
    assert [grant.samples for grant in grants] == [[(3, 1, 1), (7, 1, 1)]]
    await report(database, worker, job, *results(job, grants[0]))
    assert await state(database, job) == "completed"
    assert await counted(database, job) == await statuses(database, job) == {"ok": 10}
    kinds = await database.pool.fetch("select kind, message from attempts where index = 3 order by id")
    assert [row[0] for row in kinds] == ["server_error", "superseded"]
    assert await requeue(database, job, ["error"]) == 0
    assert await state(database, job) == "completed", "nothing to ask again, nothing opened"


async def test_a_named_sample_is_asked_again_whatever_its_result(database: Database) -> None:
    job, worker = await finished_with_errors(database)
    assert await requeue(database, job, [], [(0, 0), (0, 99)]) == 1
    [grant] = await claim(database, worker)
    assert grant.samples == [(0, 1, 1)]
    await report(database, worker, job, result(job, grant, score=1.0))
    assert await database.pool.fetchval("select score from results where index = 0") == 1.0
    assert await counted(database, job) == {"ok": 8, "error": 2}
    message = await database.pool.fetchval("select message from attempts where kind = 'superseded'")
    assert message == "was ok, score 0.5"


async def test_reports_from_before_a_retry_are_fenced_off(database: Database) -> None:
    job = await add_job(database, await add_model(database), (1,), retry=RetryPolicy(max_attempts=1))
    zombie, other = await add_worker(database), await add_worker(database)
    [old] = await claim(database, zombie)
    await expire(database)
    [new] = await claim(database, other)
    await report(database, other, job, failure(job, new))
    assert await requeue(database, job, ["error"]) == 1
    assert await words(database, zombie, job, result(job, old)) == ["stale"]
    [again] = await claim(database, other)
    assert await words(
        database,
        zombie,
        job,
        result(job, old),
    ) == ["stale"]
    assert await words(database, other, job, result(job, again, score=0.25)) == ["stored"]
    assert await words(database, zombie, job, result(job, old)) == ["duplicate"]
    assert await database.pool.fetchval("select score from results") == 0.25


async def test_a_waiting_sample_that_is_named_is_tried_at_once_with_all_attempts(database: Database) -> None:
    job = await add_job(database, await add_model(database), (1,), retry=RetryPolicy(max_attempts=3))
    worker = await add_worker(database)
    [grant] = await claim(database, worker)
    await report(database, worker, job, failure(job, grant, retry_after=1000))
    await database.pool.execute("update models set cooldown_until = null")
    assert await requeue(database, job, [], [(0, 0)]) == 1
    [again] = await claim(database, worker)
    assert again.samples == [(0, 0, 1)]


async def test_a_cancelled_job_goes_on_with_a_retry(database: Database) -> None:
    job = await add_job(database, await add_model(database), (4,))
    worker = await add_worker(database)
    [grant] = await claim(database, worker, 2)
    await report(database, worker, job, result(job, grant, 0, score=0.0), failure(job, grant, 1, permanent=True))
    await steer(database, job, "cancel")
    assert await requeue(database, job, ["error"]) == 1
    assert await work_off(database, worker, job) == 3
    assert await statuses(database, job) == {"ok": 4}


async def test_extending_adds_samples_and_cells_without_redoing_any(database: Database) -> None:
    job = await add_job(database, await add_model(database), (2, 3))
    worker = await add_worker(database)
    assert await work_off(database, worker, job) == 5
    assert await state(database, job) == "completed"
    grid = [Cell("other", 512, 1), Cell("task", 1024, 4), Cell("task", 2048, 3)]
    assert await extend(database, job, *grid) == 3
    grants = await claim(database, worker)
    assert indices(grants) == [(0, 2), (0, 3), (2, 0)]
    assert all(grant.stamp.startswith("1/") for grant in grants), "workers are told of the new cells"
    for grant in grants:
        await report(database, worker, job, *results(job, grant))
    assert await statuses(database, job) == {"ok": 8}
    assert await state(database, job) == "completed"
    assert await database.pool.fetchval("select options from jobs") == {"new": True}
    assert await extend(database, job, *grid) == 0
    assert await state(database, job) == "completed"


async def test_extending_while_the_job_runs_loses_and_repeats_nothing(database: Database) -> None:
    job = await add_job(database, await add_model(database, max_concurrency=10_000), (300,))
    ids = [await add_worker(database) for _ in range(4)]
    taken: list[tuple[int, int]] = []

    async def work(worker: int) -> None:
        while len(taken) < 900:
            grants = await claim(database, worker, 7)
            taken.extend(indices(grants))
            for grant in grants:
                await report(database, worker, job, *results(job, grant))
            await asyncio.sleep(0)

    async def grow() -> None:
        for size in (400, 500, 600):
            await extend(database, job, Cell("task", 1024, size), *[Cell("more", 1, 100)] * (size > 400))
        await extend(database, job, Cell("task", 1024, 600), Cell("more", 1, 300))

    await asyncio.gather(grow(), *(work(worker) for worker in ids))
    assert sorted(taken) == [(0, i) for i in range(600)] + [(1, i) for i in range(300)]
    assert await statuses(database, job) == {"ok": 900}


async def test_a_grid_that_lacks_something_is_refused(database: Database) -> None:
    job = await add_job(database, await add_model(database), (2, 3))
    with pytest.raises(Conflict, match="would lack task task at length 1024"):
        await extend(database, job, Cell("task", 2048, 3))
    with pytest.raises(Conflict, match="has 3 samples; 2 would be fewer"):
        await extend(database, job, Cell("task", 1024, 2), Cell("task", 2048, 2))


async def test_priority_concurrency_and_retries_change_while_a_job_runs(database: Database) -> None:
    model = await add_model(database, max_concurrency=4)
    first, second = await add_job(database, model, (50,)), await add_job(database, model, (50,))
    async with database.begin() as connection:
        await control.change(connection, second.id, {"priority": 3, "max_concurrency": 3})
        await control.change(connection, second.id, {"retry": RetryPolicy(max_attempts=1), "name": "n"})
    grants = await claim(database, await add_worker(database))
    assert {g.job: len(g.samples) for g in grants} == {second.id: 3, first.id: 1}
    worker = await database.pool.fetchval("select worker_id from leases limit 1")
    held = next(grant for grant in grants if grant.job == second.id)
    assert await words(database, worker, second, failure(second, held)) == ["failed"]
