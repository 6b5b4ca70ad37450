"""Submitting jobs and changing them while they run. Every function runs in the caller's transaction."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.base import Cell
from protocol.jobs import JobState, RetryPolicy
from service.db.tables import cells, jobs
from service.errors import Conflict

Action = Literal["pause", "resume", "cancel"]
_STEERING: Mapping[Action, tuple[tuple[JobState, ...], JobState]] = {
    "pause": ((JobState.RUNNING,), JobState.PAUSED),
    "resume": ((JobState.PAUSED,), JobState.RUNNING),
    "cancel": ((JobState.RUNNING, JobState.PAUSED), JobState.CANCELLED),
}
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 10


@dataclass(frozen=True, slots=True)
class NewJob:
    """A checked job, ready to be queued. JSON values as the tables hold them."""

    benchmark: str
    benchmark_version: str
    model_id: int
    model_spec: Mapping[str, Any]
    options: Mapping[str, Any]
    cells: Sequence[Cell]
    model_facts: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    assets: Mapping[str, str] = field(default_factory=dict)
    asset_names: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    name: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    priority: int = 0
    max_concurrency: int | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)


def new_public_id() -> str:
    """Fifty random bits in letters that are hard to mistake, e.g. `k3v9x0ta7q`."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))


async def submit(connection: AsyncConnection, job: NewJob) -> tuple[int, str]:
    """Queue a job; returns its id and its public id. Writes the cells and their ranges, not a row a sample."""
    public_id = new_public_id()
    inserted = await connection.execute(
        jobs.insert()
        .values(
            public_id=public_id,
            name=job.name,
            benchmark=job.benchmark,
            benchmark_version=job.benchmark_version,
            model_id=job.model_id,
            model_spec=job.model_spec,
            model_facts=job.model_facts,
            options=job.options,
            run=job.run,
            labels=job.labels,
            assets=job.assets,
            asset_names=job.asset_names,
            warnings=list(job.warnings),
            priority=job.priority,
            max_concurrency=job.max_concurrency,
            max_attempts=job.retry.max_attempts,
            base_seconds=job.retry.base_seconds,
            max_seconds=job.retry.max_seconds,
        )
        .returning(jobs.c.id)
    )
    job_id = int(inserted.scalar_one())
    await connection.execute(
        text("select queue_add_cells(:job, :cell, :task, :length, cast(cast(:variant as text[]) as jsonb[]), :size)"),
        {"job": job_id, **_columns(list(enumerate(job.cells)))},
    )
    await connection.execute(
        text("select queue_event(:job, 'state', cast(:data as jsonb))"), {"job": job_id, "data": '{"state": "running"}'}
    )
    return job_id, public_id


async def steer(connection: AsyncConnection, job_id: int, action: Action) -> JobState:
    """Pause, resume or cancel; doing it twice is no error. Raises Conflict when the job's state does not allow it."""
    allowed, wanted = _STEERING[action]
    row = (
        await connection.execute(
            text("select o_state, o_done from queue_steer(:job, cast(:allowed as text[]), :wanted)"),
            {"job": job_id, "allowed": [s.value for s in allowed], "wanted": wanted.value},
        )
    ).one()
    if not row.o_done:
        states = " or ".join(s.value for s in allowed)
        raise Conflict(f"cannot {action} a job that is {row.o_state}; it must be {states}")
    return JobState(row.o_state)


async def change(connection: AsyncConnection, job_id: int, values: Mapping[str, Any]) -> None:
    """Change `name`, `priority`, `max_concurrency` or `retry` (a RetryPolicy) of a job; others are left as they are."""
    columns = {key: value for key, value in values.items() if key != "retry"}
    retry: RetryPolicy | None = values.get("retry")
    if retry is not None:
        columns |= retry.model_dump()
        columns["revision"] = jobs.c.revision + 1
    if columns:
        await connection.execute(update(jobs).where(jobs.c.id == job_id).values(columns))


async def requeue(
    connection: AsyncConnection, job_id: int, statuses: Sequence[str], samples: Sequence[tuple[int, int]] = ()
) -> int:
    """Ask samples again: all that ended with one of the statuses, and the (cell, index) pairs named, whatever theirs.

    Every other result stays. Opens a finished job again. Returns how many samples will be asked.
    """
    result = await connection.execute(
        text("select queue_requeue(:job, cast(:statuses as text[]), cast(:cells as int[]), cast(:indices as int[]))"),
        {
            "job": job_id,
            "statuses": list(statuses),
            "cells": [cell for cell, _ in samples],
            "indices": [index for _, index in samples],
        },
    )
    return int(result.scalar_one())


async def extend(connection: AsyncConnection, job_id: int, options: Mapping[str, Any], grid: Sequence[Cell]) -> int:
    """Grow a job to a larger grid, made from `options`, without redoing what is done; returns how many samples more.

    Cells are the same when task, length and variant are; new ones get the next numbers. Raises Conflict when the
    grid lacks a cell that the job has, or has fewer samples for one.
    """
    rows = await connection.execute(
        select(cells.c.cell, cells.c.task, cells.c.length, cells.c.variant, cells.c.size)
        .where(cells.c.job_id == job_id)
        .order_by(cells.c.cell)
    )
    have = {_key(Cell(r.task, r.length, r.size, r.variant)): (int(r.cell), int(r.size)) for r in rows}
    wanted = {_key(cell): cell for cell in grid}
    if missing := have.keys() - wanted.keys():
        task, length, _ = min(missing)
        raise Conflict(f"the extended job would lack task {task} at length {length}, which it has now")
    grown: list[tuple[int, int]] = []
    for key, (number, size) in have.items():
        if wanted[key].size < size:
            raise Conflict(f"task {key[0]} at length {key[1]} has {size} samples; {wanted[key].size} would be fewer")
        if wanted[key].size > size:
            grown.append((number, wanted[key].size))
    start = 1 + max((number for number, _ in have.values()), default=-1)
    added = list(enumerate([cell for cell in grid if _key(cell) not in have], start))
    result = await connection.execute(
        text(
            "select queue_extend(:job, cast(:grown as int[]), cast(:sizes as int[]), cast(:cell as int[]), "
            "cast(:task as text[]), cast(:length as int[]), cast(cast(:variant as text[]) as jsonb[]), cast(:size as int[]))"
        ),
        {"job": job_id, "grown": [n for n, _ in grown], "sizes": [s for _, s in grown], **_columns(added)},
    )
    await connection.execute(update(jobs).where(jobs.c.id == job_id).values(options=options))
    return int(result.scalar_one())


def _key(cell: Cell) -> tuple[str, int, bytes]:
    return cell.task, cell.length, orjson.dumps(cell.variant, option=orjson.OPT_SORT_KEYS)


def _columns(numbered: Sequence[tuple[int, Cell]]) -> dict[str, list[Any]]:
    return {
        "cell": [number for number, _ in numbered],
        "task": [cell.task for _, cell in numbered],
        "length": [cell.length for _, cell in numbered],
        "variant": [orjson.dumps(cell.variant).decode() for _, cell in numbered],
        "size": [cell.size for _, cell in numbered],
    }
