"""What may be done to a job while it runs. Every verb may be repeated without harm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.jobs import Clone, Extension, Job, JobChange, Retry
from service import idempotency, intake, jobs, results
from service.api.deps import State
from service.notifications import WORK, job_topic, worker_topic
from service.queue import control as queue
from service.queue import leasing


async def steer(state: State, job: str, verb: queue.Action) -> Job:
    """Pause, resume or cancel. Raises NotFound, Conflict when the job's state does not allow it."""
    async with state.db.begin() as connection:
        row = await jobs.find(connection, job)
        await queue.steer(connection, row.id, verb)
        shown = await jobs.show(connection, job)
        busy = await leasing.holders(connection, row.id) if verb == "cancel" else []
    announce(state, job)
    for worker in busy:
        state.queue.notifications.tell(worker_topic(worker))
    return shown


async def change(state: State, job: str, wanted: JobChange) -> Job:
    """Change name, priority, concurrency or retry policy. Raises NotFound."""
    values: dict[str, Any] = {
        name: getattr(wanted, name)
        for name in ("name", "priority", "max_concurrency", "retry")
        if name in wanted.model_fields_set
        and (name in ("name", "max_concurrency") or getattr(wanted, name) is not None)
    }
    async with state.db.begin() as connection:
        row = await jobs.find(connection, job)
        await queue.change(connection, row.id, values)
        shown = await jobs.show(connection, job)
    announce(state, job)
    return shown


async def retry(state: State, job: str, wanted: Retry, key: str | None) -> Job:
    """Ask samples again. Raises NotFound (also of a sample), KeyReused."""
    idempotency.check(key)
    scope, body = f"POST /v1/jobs/{job}/retry", idempotency.body_hash(wanted)
    async with state.db.begin() as connection:
        row = await jobs.find(connection, job)
        if key is None or not await _seen(connection, scope, key, body):
            await _check_samples(connection, row, wanted.samples)
            named_only = bool(wanted.samples) and "statuses" not in wanted.model_fields_set
            await queue.requeue(connection, row.id, [] if named_only else wanted.statuses, wanted.samples)
            if key is not None:
                await idempotency.remember(connection, scope, key, body, 200, {"job": job})
        shown = await jobs.show(connection, job)
    announce(state, job)
    return shown


async def _check_samples(connection: AsyncConnection, job: jobs.JobRow, samples: Sequence[tuple[int, int]]) -> None:
    """Raises NotFound when the job has no such cell, or the cell no such sample."""
    places = {cell: await results.cell_of(connection, job, cell) for cell in {cell for cell, _ in samples}}
    for cell, index in samples:
        results.check_index(job, places[cell], index)


async def extend(state: State, job: str, wanted: Extension, key: str | None) -> Job:
    """Add samples, lengths or tasks. Raises NotFound, Invalid, Conflict, KeyReused."""
    idempotency.check(key)
    scope, body = f"POST /v1/jobs/{job}/extend", idempotency.body_hash(wanted)
    async with state.db.engine.connect() as connection:
        row = await jobs.find(connection, job)
        if key is not None and await idempotency.earlier(connection, scope, key, body) is not None:
            return await jobs.show(connection, job)
    growth = await intake.plan_extension(state, row, wanted)
    async with state.db.begin() as connection:
        if key is None or not await _seen(connection, scope, key, body):
            await intake.extend(connection, row, growth)
            if key is not None:
                await idempotency.remember(connection, scope, key, body, 200, {"job": job})
        shown = await jobs.show(connection, job)
    announce(state, job)
    return shown


async def clone(state: State, job: str, wanted: Clone, key: str | None) -> intake.Submitted:
    """Submit a copy with changes. Raises what a submission raises."""
    async with state.db.engine.connect() as connection:
        row = await jobs.find(connection, job)
    return await intake.submit(state, intake.cloned(row, wanted), key, scope=f"POST /v1/jobs/{job}/clone")


def announce(state: State, job: str) -> None:
    """Tell workers and watchers at once; they would find out by themselves a second later."""
    state.queue.notifications.tell(WORK)
    state.queue.notifications.tell(job_topic(job))


async def _seen(connection: AsyncConnection, scope: str, key: str, body: str) -> bool:
    await idempotency.lock(connection, scope, key)
    return await idempotency.earlier(connection, scope, key, body) is not None
