"""Taking outcomes: exactly one result a sample, whatever happens on the way."""

from __future__ import annotations

import pytest

from protocol.jobs import RetryPolicy, Status
from protocol.workers import Measured
from service.db.engine import Database
from service.queue import control, leasing, reports
from tests.support.queue import (
    Job,
    add_job,
    add_model,
    add_worker,
    claim,
    counted,
    expire,
    failure,
    hand_back,
    report,
    result,
    results,
    state,
    statuses,
    words,
)


async def one(db: Database, size: int = 1, **fields: object) -> tuple[Job, int]:
    """A job of one cell, and a worker."""
    return await add_job(db, await add_model(db), (size,), **fields), await add_worker(db)


async def test_all_that_is_reported_is_stored(database: Database) -> None:
    job, worker = await one(database)
    [grant] = await claim(database, worker)
    full = result(
        job,
        grant,
        status=Status.CUT_ANSWER,
        score=0.25,
        answer="forty-two",
        thinking="hm",
        expected=["42", "43"],
        prompt_sha256="ab" * 32,
        prompt_tokens=1000,
        finish_reason="length",
        detail={"needles": [{"depth": 0.5}]},
        measured=Measured(
            server_prompt_tokens=1010,
            cached_tokens=900,
            completion_tokens=7,
            thinking_tokens=3,
            ttft_ms=50,
            duration_ms=80,
        ),
    )
    assert await words(database, worker, job, full) == ["stored"]
    row = dict(await database.pool.fetchrow("select * from results"))
    assert row.pop("xid") > 0
    assert row.pop("at") is not None
    assert row == {
        "job_id": job.id, "cell": 0, "index": 0, "generation": 0, "attempts": 1, "worker_id": worker,
        "prompt_tokens": 1000, "server_prompt_tokens": 1010, "cached_tokens": 900, "completion_tokens": 7,
        "thinking_tokens": 3, "ttft_ms": 50, "duration_ms": 80, "score": 0.25, "status": "cut_answer",
        "finish_reason": "length", "prompt_sha256": b"\xab" * 32, "answer": "forty-two", "thinking": "hm",
        "error": None, "expected": ["42", "43"], "detail": {"needles": [{"depth": 0.5}]},
    }  # fmt: skip
    used = await database.pool.fetchrow("select calls, prompt_tokens, cached_tokens, completion_tokens from deltas")
    assert tuple(used) == (1, 1010, 900, 7)
    assert await state(database, job) == "completed"


async def test_a_lease_stays_until_its_last_sample_is_reported(database: Database) -> None:
    job, worker = await one(database, 3)
    [grant] = await claim(database, worker)
    await report(database, worker, job, result(job, grant, 1))
    assert await database.pool.fetchval("select open from leases") == [0, 2]
    assert await database.pool.fetchval("select n from leases") == 2
    await report(database, worker, job, result(job, grant, 0), failure(job, grant, 2))
    assert await database.pool.fetchval("select count(*) from leases") == 0


async def test_a_report_may_bring_parts_of_several_leases_and_jobs_in_any_order(database: Database) -> None:
    model, worker = await add_model(database), await add_worker(database)
    jobs = [await add_job(database, model, (3, 2)), await add_job(database, model, (4,))]
    by_id = {job.id: job for job in jobs}
    grants = await claim(database, worker)
    assert sorted(len(grant.samples) for grant in grants) == [2, 3, 4]
    outcomes = [
        result(by_id[grant.job], grant, place, score=place / 10)
        for place in (3, 1, 2)
        for grant in reversed(grants)
        if place < len(grant.samples)
    ]
    verdicts = await reports.report(database.pool, worker, outcomes, {job.public: job.id for job in jobs})
    assert {verdict.verdict for verdict in verdicts} == {"stored"}
    assert [list(row) for row in await database.pool.fetch("select open, n from leases")] == [[[0], 1]] * 3
    stored = await database.pool.fetch("select index, score from results")
    assert sorted(map(tuple, stored)) == [(1, 0.1), (1, 0.1), (1, 0.1), (2, 0.2), (2, 0.2), (3, 0.3)]
    tallied = await database.pool.fetch("select job_id, sum(n)::int from deltas group by job_id order by job_id")
    assert [tuple(row) for row in tallied] == [(jobs[0].id, 3), (jobs[1].id, 3)]


async def test_a_report_sent_twice_is_stored_once(database: Database) -> None:
    job, worker = await one(database, 2)
    [grant] = await claim(database, worker)
    assert await words(database, worker, job, *results(job, grant)) == ["stored", "stored"]
    assert await words(database, worker, job, *results(job, grant)) == ["duplicate", "duplicate"]
    assert await counted(database, job) == {"ok": 2}
    assert await database.pool.fetchval("select sum(calls) from deltas") == 2, "no call was made twice"


async def test_two_outcomes_of_one_sample_in_a_batch_are_told_apart(database: Database) -> None:
    job, worker = await one(database)
    [grant] = await claim(database, worker)
    assert await words(database, worker, job, result(job, grant), failure(job, grant)) == ["stored", "duplicate"]


async def test_a_late_success_is_taken_when_the_sample_has_no_result(database: Database) -> None:
    job, zombie = await one(database)
    other = await add_worker(database)
    [old] = await claim(database, zombie)
    assert await expire(database) == 1
    [new] = await claim(database, other)
    assert new.samples == [(0, 0, 2)]
    assert await words(database, zombie, job, result(job, old, score=0.5)) == ["stored"]
    assert await words(database, other, job, result(job, new, score=1.0)) == ["duplicate"]
    assert await database.pool.fetchval("select score from results") == 0.5
    assert await state(database, job) == "completed"
    assert await database.pool.fetchval("select sum(calls) from deltas") == 2, "both calls were made and are counted"
    kinds = await database.pool.fetch("select kind from attempts order by id")
    assert [row[0] for row in kinds] == ["expired", "duplicate"]


async def test_a_late_success_frees_the_sample_that_waits(database: Database) -> None:
    job, zombie = await one(database)
    [old] = await claim(database, zombie)
    await expire(database)
    assert await words(database, zombie, job, result(job, old)) == ["stored"]
    assert await claim(database, zombie) == []
    assert await state(database, job) == "completed"


async def test_a_late_failure_is_refused_and_spends_no_attempt(database: Database) -> None:
    job, zombie = await one(database)
    other = await add_worker(database)
    [old] = await claim(database, zombie)
    await expire(database)
    [new] = await claim(database, other)
    assert await words(database, zombie, job, failure(job, old)) == ["stale"]
    assert await database.pool.fetchval("select attempts from retries") == 0
    assert await words(database, other, job, result(job, new)) == ["stored"]


async def test_a_failure_after_the_result_changes_nothing(database: Database) -> None:
    job, zombie = await one(database)
    other = await add_worker(database)
    [old] = await claim(database, zombie)
    await expire(database)
    [new] = await claim(database, other)
    await report(database, zombie, job, result(job, old))
    assert await words(database, other, job, failure(job, new)) == ["duplicate"]
    assert await state(database, job) == "completed"
    assert await database.pool.fetchval("select count(*) from retries") == 0


async def test_a_lease_that_ran_out_while_the_result_came_is_not_tried_again(database: Database) -> None:
    job, zombie = await one(database, 2)
    other = await add_worker(database)
    [old] = await claim(database, zombie)
    await expire(database)
    await claim(database, other)
    await report(database, zombie, job, result(job, old, 0))
    assert await expire(database) == 1
    [again] = await claim(database, other)
    assert [index for index, _, _ in again.samples] == [1]


async def test_a_good_result_replaces_an_error(database: Database) -> None:
    job, zombie = await one(database, retry=RetryPolicy(max_attempts=1))
    other = await add_worker(database)
    [old] = await claim(database, zombie)
    await expire(database)
    [new] = await claim(database, other)
    assert await words(database, other, job, failure(job, new)) == ["failed"]
    assert await state(database, job) == "completed_with_errors"
    assert await words(database, zombie, job, result(job, old)) == ["stored"]
    assert await statuses(database, job) == {"ok": 1}
    assert await counted(database, job) == {"ok": 1}
    assert await state(database, job) == "completed"
    assert await words(database, other, job, result(job, new)) == ["duplicate"], "a good one is never replaced"


async def test_samples_handed_back_go_to_others_at_once(database: Database) -> None:
    job, worker = await one(database, 3)
    [grant] = await claim(database, worker)
    outcomes = [result(job, grant, 0), hand_back(job, grant, 1), hand_back(job, grant, 2)]
    assert await words(database, worker, job, *outcomes) == ["stored", "returned", "returned"]
    [again] = await claim(database, await add_worker(database))
    assert again.samples == [(1, 0, 1), (2, 0, 1)], "no attempt was spent"
    assert await words(database, worker, job, hand_back(job, grant, 1)) == ["stale"]


async def test_a_sample_that_ends_its_workers_ends_as_an_error(database: Database) -> None:
    job, _ = await one(database, 2, retry=RetryPolicy(max_attempts=2))
    for _ in range(4):
        worker = await add_worker(database)
        [grant] = await claim(database, worker)
        assert grant.samples[0][0] == 0, "the poison"
        if len(grant.samples) == 2:
            await report(database, worker, job, result(job, grant, 1))
        await expire(database)
    assert await statuses(database, job) == {"error": 1, "ok": 1}
    error = await database.pool.fetchval("select error from results where status = 'error'")
    assert "did not come back 4 times" in error
    assert await state(database, job) == "completed_with_errors"
    assert await database.pool.fetchval("select count(*) from attempts where kind = 'expired' and index = 0") == 4


async def test_expiry_is_no_failure_of_the_model(database: Database) -> None:
    job, worker = await one(database, retry=RetryPolicy(max_attempts=2))
    for _ in range(2):
        await claim(database, worker)
        await expire(database)
    [grant] = await claim(database, worker)
    assert await words(database, worker, job, failure(job, grant)) == ["requeued"]
    assert tuple(await database.pool.fetchrow("select attempts, losses from retries")) == (1, 2)


async def test_reports_for_what_there_is_not_are_refused_one_by_one(database: Database) -> None:
    job, worker = await one(database, 3)
    other = await add_worker(database)
    [grant] = await claim(database, worker, 2)
    [foreign] = await claim(database, other, 1)
    unknown = result(job, grant, 0).model_copy(update={"lease": 10**9, "index": 1})
    outside = result(job, grant, 0).model_copy(update={"index": 99})
    nowhere = result(job, grant, 0).model_copy(update={"job": "nosuchjob0"})
    verdicts = await report(
        database, worker, job, result(job, grant, 0), result(job, foreign), unknown, outside, nowhere
    )
    assert [v.verdict for v in verdicts] == ["stored", "refused", "refused", "refused", "refused"]
    reasons = [v.reason or "" for v in verdicts[1:]]
    assert reasons[0] == f"lease {foreign.lease} belongs to another worker"
    assert reasons[1] == "there is no lease 1000000000"
    assert reasons[2] == "the job has no sample 99 of cell 0"
    assert reasons[3] == "there is no job 'nosuchjob0'"
    assert await words(database, worker, job, failure(job, foreign)) == ["refused"]
    assert await words(database, worker, job, hand_back(job, foreign)) == ["refused"]
    assert await words(database, other, job, result(job, foreign)) == ["stored"]


async def test_an_answer_with_a_null_character_is_kept(database: Database) -> None:
    job, worker = await one(database, 2)
    [grant] = await claim(database, worker)
    outcomes = [result(job, grant, 0, answer="a\x00b", detail={"x": "\x00"}), result(job, grant, 1, answer="c")]
    assert await words(database, worker, job, *outcomes) == ["stored", "stored"]
    rows = await database.pool.fetch("select answer from results order by index")
    assert [row[0] for row in rows] == ["a\N{REPLACEMENT CHARACTER}b", "c"]


async def test_a_value_that_cannot_be_stored_is_refused_alone(database: Database) -> None:
    job, worker = await one(database, 2)
    [grant] = await claim(database, worker)
    verdicts = await report(database, worker, job, result(job, grant, 0, prompt_tokens=2**40), result(job, grant, 1))
    assert [v.verdict for v in verdicts] == ["refused", "stored"]
    assert "cannot be stored" in (verdicts[0].reason or "")
    assert await database.pool.fetchval("select open from leases") == [0], "the sample is still the worker's"


async def test_a_heartbeat_renews_tells_what_is_lost_and_what_is_cancelled(database: Database) -> None:
    model = await add_model(database)
    job, other = await add_job(database, model, (2,)), await add_job(database, model, (2,))
    worker = await add_worker(database)
    grants = await claim(database, worker)
    leases = [grant.lease for grant in grants]
    async with database.begin() as connection:
        await control.steer(connection, other.id, "cancel")
    await expire(database, leases[0])
    renewal = await leasing.heartbeat(database.pool, worker, leases, 60)
    assert renewal.lost == leases[:1]
    assert renewal.renewed == leases[1:]
    assert renewal.cancelled_jobs == ([other.public] if grants[1].job == other.id else [])
    assert await expire(database, 0) == 0
    assert job.id in {grant.job for grant in grants}


async def test_another_workers_heartbeat_renews_nothing(database: Database) -> None:
    _, worker = await one(database)
    [grant] = await claim(database, worker)
    renewal = await leasing.heartbeat(database.pool, await add_worker(database), [grant.lease], 60)
    assert renewal.lost == [grant.lease]


async def test_what_a_leaving_worker_holds_is_given_to_others_at_once(database: Database) -> None:
    _, worker = await one(database, 3)
    await claim(database, worker)
    assert await leasing.take_back(database.pool, worker) == 3
    [again] = await claim(database, await add_worker(database))
    assert again.samples == [(0, 0, 1), (1, 0, 1), (2, 0, 1)]


@pytest.mark.parametrize("final", ["cancelled", "running"])
async def test_results_of_a_cancelled_job_are_kept(database: Database, final: str) -> None:
    job, worker = await one(database, 2)
    [grant] = await claim(database, worker)
    if final == "cancelled":
        async with database.begin() as connection:
            await control.steer(connection, job.id, "cancel")
    assert await words(database, worker, job, result(job, grant, 0), hand_back(job, grant, 1)) == ["stored", "returned"]
    assert await state(database, job) == final


async def test_a_grant_that_a_crash_forgot_costs_calls_but_no_result_counts_twice(database: Database) -> None:
    job, first = await one(database, 3)
    second = await add_worker(database)
    [forgotten] = await claim(database, first)
    # What a crash within a moment of the claim leaves: no lease, and the samples not handed out.
    await database.pool.execute("delete from leases")
    await database.pool.execute("insert into ranges(job_id, cell, start, stop, next) values ($1, 0, 0, 3, 0)", job.id)
    await database.pool.execute("update jobs set at_cell = 0, at_start = 0")
    assert await words(database, first, job, result(job, forgotten, 1, score=0.5)) == ["stored"]
    [again] = await claim(database, second)
    assert again.samples == forgotten.samples
    assert await words(database, second, job, *results(job, again)) == ["stored", "duplicate", "stored"]
    assert await database.pool.fetchval("select score from results where index = 1") == 0.5
    assert await counted(database, job) == {"ok": 3}
    assert await state(database, job) == "completed"
