"""Puts models, jobs and workers into a real database, and plays a worker's part on the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from benchmarks.base import Cell
from protocol.jobs import Status
from protocol.workers import FailureReport, HandBack, Outcome, ResultReport, Verdict
from service.db.engine import Database
from service.queue import control, leasing, reports
from service.queue.leasing import Grant

SPEC = {
    "name": "m",
    "api": "openai-chat",
    "base_url": "http://127.0.0.1:9/v1",
    "timeouts": {"first_byte": 300, "per_1k_tokens": 10},
}


@dataclass(frozen=True, slots=True)
class Job:
    """A queued job: its id and its public id."""

    id: int
    public: str


async def add_model(db: Database, name: str = "m", **columns: Any) -> int:
    """Register a model; `columns` are columns of its table."""
    values = {"name": name, "spec": {**SPEC, "name": name}, **columns}
    names = ", ".join(values)
    marks = ", ".join(f"${n}" for n in range(1, len(values) + 1))
    found: int = await db.pool.fetchval(f"insert into models({names}) values ({marks}) returning id", *values.values())
    return found


async def add_job(db: Database, model: int, sizes: Sequence[int] = (10,), **fields: Any) -> Job:
    """Queue a job with a cell of each size, at lengths 1024, 2048, …"""
    job = control.NewJob(
        benchmark="test",
        benchmark_version="1",
        model_id=model,
        model_spec=SPEC,
        options={},
        cells=[Cell("task", 1024 * (n + 1), size) for n, size in enumerate(sizes)],
        **fields,
    )
    async with db.begin() as connection:
        return Job(*await control.submit(connection, job))


async def add_worker(db: Database, labels: Mapping[str, str] | None = None, name: str = "w") -> int:
    found: int = await db.pool.fetchval(
        "insert into workers(boot, name, host, pid, version, concurrency, labels)"
        " values ($1, $2, 'h', 1, '0', 64, $3) returning id",
        uuid4(),
        name,
        dict(labels or {}),
    )
    return found


async def claim(
    db: Database, worker: int, want: int = 64, leases: int = 64, seconds: float = 60, avoid: Sequence[int] = ()
) -> list[Grant]:
    return await leasing.claim(db.pool, worker, want, leases, seconds, avoid)


def result(job: Job, grant: Grant, place: int = 0, score: float = 1.0, **fields: Any) -> ResultReport:
    """A result for the grant's sample at `place`."""
    index, generation, attempt = grant.samples[place]
    values: dict[str, Any] = {"status": Status.OK, "score": score, **fields}
    return ResultReport(
        lease=grant.lease,
        job=job.public,
        cell=grant.cell,
        index=index,
        generation=generation,
        attempt=attempt,
        **values,
    )


def results(job: Job, grant: Grant, **fields: Any) -> list[Outcome]:
    """A result for each of the grant's samples."""
    return [result(job, grant, place, **fields) for place in range(len(grant.samples))]


def failure(job: Job, grant: Grant, place: int = 0, cause: str = "server_error", **fields: Any) -> FailureReport:
    index, generation, attempt = grant.samples[place]
    return FailureReport(
        lease=grant.lease,
        job=job.public,
        cell=grant.cell,
        index=index,
        generation=generation,
        attempt=attempt,
        cause=cause,
        **fields,
    )


def hand_back(job: Job, grant: Grant, place: int = 0) -> HandBack:
    index, generation, _ = grant.samples[place]
    return HandBack(lease=grant.lease, job=job.public, cell=grant.cell, index=index, generation=generation)


async def report(db: Database, worker: int, job: Job, *outcomes: Outcome) -> list[Verdict]:
    return await reports.report(db.pool, worker, outcomes, {job.public: job.id})


async def words(db: Database, worker: int, job: Job, *outcomes: Outcome) -> list[str]:
    """Report, and only the verdicts' words."""
    return [verdict.verdict for verdict in await report(db, worker, job, *outcomes)]


async def expire(db: Database, lease: int | None = None) -> int:
    """Let leases run out, all or one, and take them back."""
    await db.pool.execute(
        "update leases set expires_at = clock_timestamp() - interval '1 second' where $1::bigint is null or id = $1",
        lease,
    )
    return await leasing.reap(db.pool)


async def ready(db: Database) -> None:
    """Let every waiting sample's next try be now."""
    await db.pool.execute("update retries set next_try = clock_timestamp()")


async def stop_budgets(db: Database) -> None:
    """Let no budget fill up any more, so that a slow test sees what a fast one does."""
    await db.pool.execute("update models set bucket_at = clock_timestamp() + interval '1 hour'")


async def statuses(db: Database, job: Job) -> dict[str, int]:
    """Stored results by status."""
    rows = await db.pool.fetch("select status, count(*) from results where job_id = $1 group by 1", job.id)
    return dict(rows)


async def counted(db: Database, job: Job) -> dict[str, int]:
    """What tallies and deltas say of the results."""
    rows = await db.pool.fetch(
        "select status, sum(n)::int from (select * from (select job_id, status, n from tallies union all"
        " select job_id, status, n from deltas) x) y where job_id = $1 and status <> 'attempt'"
        " group by 1 having sum(n) <> 0",
        job.id,
    )
    return dict(rows)


async def state(db: Database, job: Job) -> str:
    found: str = await db.pool.fetchval("select state from jobs where id = $1", job.id)
    return found


def indices(grants: Sequence[Grant]) -> list[tuple[int, int]]:
    """(cell, index) of all samples of the grants, in their order."""
    return [(grant.cell, index) for grant in grants for index, _, _ in grant.samples]


async def work_off(db: Database, worker: int, job: Job, batch: int = 64) -> int:
    """Claim and report good results until nothing is left; returns how many samples were asked."""
    asked = 0
    while grants := await claim(db, worker, batch):
        for grant in grants:
            asked += len(grant.samples)
            await report(db, worker, job, *results(job, grant))
    return asked
