"""Handing out: order, priority, fairness, limits that hold exactly, labels, budgets."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from service.db.engine import Database
from service.queue import control
from tests.support.queue import (
    add_job,
    add_model,
    add_worker,
    claim,
    failure,
    indices,
    ready,
    report,
    result,
    results,
    state,
    stop_budgets,
    work_off,
)


async def test_samples_come_in_order_cell_by_cell(database: Database) -> None:
    job = await add_job(database, await add_model(database), (5, 3))
    worker = await add_worker(database)
    first = await claim(database, worker, 4)
    rest = await claim(database, worker, 64)
    assert indices(first + rest) == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1), (1, 2)]
    assert [grant.samples[0][1:] for grant in first] == [(0, 1)]
    assert await claim(database, worker) == []
    assert await state(database, job) == "running"


async def test_a_job_larger_than_one_range_is_handed_out_whole(database: Database) -> None:
    job = await add_job(database, await add_model(database, max_concurrency=100_000), (10_000, 1))
    worker = await add_worker(database)
    grants = await claim(database, worker, 20_000, 100)
    assert indices(grants) == [(0, i) for i in range(10_000)] + [(1, 0)]
    for grant in grants:
        await report(database, worker, job, *results(job, grant))
    assert await state(database, job) == "completed"


async def test_a_claim_never_exceeds_what_was_wanted_nor_the_leases_allowed(database: Database) -> None:
    await add_job(database, await add_model(database), (2, 2, 2, 2))
    worker = await add_worker(database)
    assert len(indices(await claim(database, worker, 3))) == 3
    assert len(await claim(database, worker, 64, leases=2)) == 2


async def test_samples_that_wait_for_another_try_come_first(database: Database) -> None:
    job = await add_job(database, await add_model(database), (10,))
    worker = await add_worker(database)
    [grant] = await claim(database, worker, 3)
    await report(database, worker, job, failure(job, grant, 1))
    await ready(database)
    again, fresh = await claim(database, worker, 3)
    assert again.samples == [(1, 0, 2)]
    assert [index for index, _, _ in fresh.samples] == [3, 4]


async def test_a_sample_is_not_tried_again_before_its_time(database: Database) -> None:
    job = await add_job(database, await add_model(database), (1,))
    worker = await add_worker(database)
    [grant] = await claim(database, worker)
    await report(database, worker, job, failure(job, grant, retry_after=30))
    await database.pool.execute("update models set cooldown_until = null")
    assert await claim(database, worker) == []
    await ready(database)
    assert len(await claim(database, worker)) == 1


async def test_higher_priority_goes_first_and_the_rest_gets_what_is_left(database: Database) -> None:
    model = await add_model(database, max_concurrency=10)
    low = await add_job(database, model, (100,), priority=0)
    high = await add_job(database, model, (4,), priority=5)
    grants = await claim(database, await add_worker(database), 10)
    assert Counter({g.job: len(g.samples) for g in grants}) == {high.id: 4, low.id: 6}
    assert grants[0].job == high.id


async def test_equal_jobs_share_a_model_equally_within_one_claim(database: Database) -> None:
    model = await add_model(database, max_concurrency=60)
    jobs = [await add_job(database, model, (1000,)) for _ in range(3)]
    grants = await claim(database, await add_worker(database), 60)
    assert {g.job: len(g.samples) for g in grants} == {job.id: 20 for job in jobs}


async def test_a_newcomer_gets_the_free_places_until_it_has_its_share(database: Database) -> None:
    model = await add_model(database, max_concurrency=40)
    big = await add_job(database, model, (100_000,))
    worker = await add_worker(database)
    held = await claim(database, worker, 40, leases=40)
    small = await add_job(database, model, (100,))
    assert await claim(database, worker, 40) == []
    for place in range(30):
        await report(database, worker, big, result(big, held[0], place))
    grants = await claim(database, worker, 40)
    assert {g.job: len(g.samples) for g in grants} == {small.id: 20, big.id: 10}


async def test_a_job_limit_leaves_the_rest_to_other_jobs(database: Database) -> None:
    model = await add_model(database, max_concurrency=50)
    bounded = await add_job(database, model, (100,), max_concurrency=3)
    other = await add_job(database, model, (100,))
    grants = await claim(database, await add_worker(database), 50)
    assert {g.job: sum(len(x.samples) for x in grants if x.job == g.job) for g in grants} == {
        bounded.id: 3,
        other.id: 47,
    }


@pytest.mark.parametrize("workers", [24])
async def test_a_model_limit_is_never_passed_by_many_workers_at_once(database: Database, workers: int) -> None:
    cap = 20
    job = await add_job(database, await add_model(database, max_concurrency=cap), (1500,))
    ids = [await add_worker(database) for _ in range(workers)]
    live = peak = done = 0

    async def work(worker: int) -> None:
        nonlocal live, peak, done
        while done < 1500:
            grants = await claim(database, worker, 8)
            if not grants:
                await asyncio.sleep(0.001)
            for grant in grants:
                live += len(grant.samples)
                peak = max(peak, live)
                await asyncio.sleep(0.001)
                live -= len(grant.samples)
                done += len(grant.samples)
                await report(database, worker, job, *results(job, grant))

    await asyncio.gather(*(work(worker) for worker in ids))
    assert peak <= cap
    assert peak > cap // 2, "the limit was hardly used, so that the test says nothing"
    assert await state(database, job) == "completed"


async def test_a_limit_that_is_lowered_holds_back_until_calls_have_ended(database: Database) -> None:
    model = await add_model(database, max_concurrency=10)
    job = await add_job(database, model, (100,))
    worker = await add_worker(database)
    [grant] = await claim(database, worker, 10)
    await database.pool.execute("update models set max_concurrency = 4")
    await report(database, worker, job, *[result(job, grant, place) for place in range(5)])
    assert await claim(database, worker) == []
    await report(database, worker, job, *[result(job, grant, place) for place in (5, 6)])
    assert len(indices(await claim(database, worker))) == 1


async def test_labels_of_a_model_must_be_offered(database: Database) -> None:
    model = await add_model(database, labels={"gpu": "a100", "site": "x"})
    await add_job(database, model)
    assert await claim(database, await add_worker(database)) == []
    assert await claim(database, await add_worker(database, {"gpu": "a100"})) == []
    assert await claim(database, await add_worker(database, {"gpu": "a100", "site": "x", "more": "y"})) != []


async def test_models_to_avoid_are_left_out(database: Database) -> None:
    one, two = await add_model(database, "one"), await add_model(database, "two")
    await add_job(database, one, (4,))
    other = await add_job(database, two, (4,))
    grants = await claim(database, await add_worker(database), avoid=[one])
    assert {g.job for g in grants} == {other.id}


async def test_one_claim_takes_from_several_models(database: Database) -> None:
    jobs = [await add_job(database, await add_model(database, f"m{n}", max_concurrency=3), (9,)) for n in range(3)]
    grants = await claim(database, await add_worker(database), 64)
    assert {g.job: len(g.samples) for g in grants} == {job.id: 3 for job in jobs}


async def test_paused_cancelled_and_finished_jobs_give_nothing(database: Database) -> None:
    model = await add_model(database)
    job = await add_job(database, model, (4,))
    worker = await add_worker(database)
    async with database.begin() as connection:
        await control.steer(connection, job.id, "pause")
    assert await claim(database, worker) == []
    async with database.begin() as connection:
        await control.steer(connection, job.id, "resume")
    assert len(indices(await claim(database, worker, 1))) == 1
    async with database.begin() as connection:
        await control.steer(connection, job.id, "cancel")
    assert await claim(database, worker) == []


async def test_a_draining_worker_gets_nothing(database: Database) -> None:
    await add_job(database, await add_model(database))
    worker = await add_worker(database)
    await database.pool.execute("update workers set state = 'draining'")
    assert await claim(database, worker) == []


async def test_requests_per_minute_bound_what_is_started(database: Database) -> None:
    model = await add_model(database, requests_per_minute=60, max_concurrency=1000)
    await add_job(database, model, (1000,))
    worker = await add_worker(database)
    assert len(indices(await claim(database, worker, 1000))) == 10, "ten seconds' worth at most at once"
    await stop_budgets(database)
    assert await claim(database, worker, 1000) == []
    await database.pool.execute("update models set bucket_at = clock_timestamp() - interval '3.2 seconds'")
    assert len(indices(await claim(database, worker, 1000))) == 3


async def test_tokens_per_minute_count_the_prompts_lengths(database: Database) -> None:
    model = await add_model(database, tokens_per_minute=6 * 10_000, max_concurrency=1000)
    await add_job(database, model, (4, 1000))  # 1024 and 2048 tokens each
    worker = await add_worker(database)
    assert len(indices(await claim(database, worker, 1000))) == 4 + 3, (
        "10,000 tokens: four of 1024, nearly three of 2048"
    )
    await stop_budgets(database)
    assert await claim(database, worker, 1000) == []


async def test_a_prompt_larger_than_the_budget_is_let_through_and_paid_off(database: Database) -> None:
    model = await add_model(database, tokens_per_minute=600)
    await add_job(database, model, (1000,))
    worker = await add_worker(database)
    assert len(indices(await claim(database, worker, 50))) == 1
    assert await claim(database, worker, 50) == []
    left = await database.pool.fetchval("select tokens_left from models")
    assert left == pytest.approx(100 - 1024)


async def test_nothing_is_handed_out_twice_to_workers_that_claim_at_once(database: Database) -> None:
    await add_job(database, await add_model(database, max_concurrency=10_000), (700, 300))
    ids = [await add_worker(database) for _ in range(8)]
    taken: list[tuple[int, int]] = []

    async def work(worker: int) -> None:
        while grants := await claim(database, worker, 13):
            taken.extend(indices(grants))

    await asyncio.gather(*(work(worker) for worker in ids))
    assert sorted(taken) == [(0, i) for i in range(700)] + [(1, i) for i in range(300)]


async def test_a_job_starts_with_its_first_claim(database: Database) -> None:
    job = await add_job(database, await add_model(database), (2,))
    worker = await add_worker(database)
    assert await database.pool.fetchval("select started_at from jobs") is None
    assert await work_off(database, worker, job, 1) == 2
    started, finished = await database.pool.fetchrow("select started_at, finished_at from jobs")
    assert started < finished
