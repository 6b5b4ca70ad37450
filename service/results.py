"""Stored results: pages that never skip or repeat a row while a job runs, and single samples.

Rows are ordered by the transaction that wrote them, and a page ends before the oldest transaction still running: what
commits later always comes later in that order. A cursor is (transaction, cell, index) of the last row read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from protocol.jobs import CLASS_OF, FINAL_STATES, JobState, Status, StatusClass, WaitingReason
from protocol.models import ModelRequest
from protocol.results import Attempt, Result, ResultPage, SampleDetail
from service import cursors
from service.errors import BadCursor, NotFound
from service.jobs import JobRow
from service.progress import cost_of

_KIND = "results"
_COLUMNS = """
r.xid::text AS xid, r.cell, r.index, c.task, c.length, c.variant, r.status, r.score, r.answer, r.thinking, r.expected,
encode(r.prompt_sha256, 'hex') AS prompt_sha256, r.prompt_tokens, r.server_prompt_tokens, r.cached_tokens,
r.completion_tokens, r.thinking_tokens, r.finish_reason, r.ttft_ms, r.duration_ms, r.attempts, r.generation,
w.name AS worker, r.error, r.detail, r.at
"""
_FROM = """
FROM results r JOIN cells c ON c.job_id = r.job_id AND c.cell = r.cell LEFT JOIN workers w ON w.id = r.worker_id
"""
_START = ("0", -1, -1)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which results are wanted; None takes all."""

    task: str | None = None
    length: int | None = None
    status: Status | None = None
    class_: StatusClass | None = None
    min_score: float | None = None
    max_score: float | None = None
    worker: str | None = None
    min_duration_ms: int | None = None
    max_duration_ms: int | None = None
    cell: int | None = None

    def where(self) -> tuple[list[str], dict[str, Any]]:
        """SQL conditions and their values."""
        tests = {
            "task": (self.task, "c.task = :task"),
            "length": (self.length, "c.length = :length"),
            "status": (self.status, "r.status = :status"),
            "min_score": (self.min_score, "r.score >= :min_score"),
            "max_score": (self.max_score, "r.score <= :max_score"),
            "worker": (self.worker, "w.name = :worker"),
            "min_duration_ms": (self.min_duration_ms, "r.duration_ms >= :min_duration_ms"),
            "max_duration_ms": (self.max_duration_ms, "r.duration_ms <= :max_duration_ms"),
            "cell": (self.cell, "r.cell = :cell"),
        }
        conditions = [sql for value, sql in tests.values() if value is not None]
        values: dict[str, Any] = {name: value for name, (value, _) in tests.items() if value is not None}
        if self.class_ is not None:
            conditions.append("r.status = ANY(:statuses)")
            values["statuses"] = [s.value for s, c in CLASS_OF.items() if c == self.class_]
        return conditions, values


Key = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Read:
    """What one query read: results with the place of each, and whether the job's results end here."""

    results: list[tuple[Key, Result]]
    more: bool
    final: bool


def parse_cursor(cursor: str | None) -> Key:
    """The place a cursor names. Raises BadCursor."""
    if cursor is None:
        return _START
    xid, cell, index = cursors.decode(_KIND, cursor, [str, int, int])
    if not str(xid).isdecimal() or int(xid) >= 2**64:
        raise BadCursor(cursors.DAMAGED)
    return str(xid), int(cell), int(index)


def make_cursor(key: Key) -> str:
    return cursors.encode(_KIND, key)


async def read(connection: AsyncConnection, job: JobRow, after: Key, limit: int, filters: Filters) -> Read:
    """The next results after a place, in the order in which they were stored."""
    ended = await _ended(connection, job.id)  # before the results are looked up: the last one may come in between
    conditions, values = filters.where()
    conditions += [
        "r.job_id = :job",
        "(r.xid, r.cell, r.index) > (CAST(CAST(:xid AS text) AS xid8), :after_cell, :after_index)",
        "r.xid < pg_snapshot_xmin(pg_current_snapshot())",
    ]
    values |= {"job": job.id, "xid": after[0], "after_cell": after[1], "after_index": after[2], "limit": limit + 1}
    query = f"SELECT {_COLUMNS} {_FROM} WHERE {' AND '.join(conditions)} ORDER BY r.xid, r.cell, r.index LIMIT :limit"
    rows = (await connection.execute(text(query), values)).all()
    more, rows = len(rows) > limit, rows[:limit]
    spec = ModelRequest.model_validate(job.data["model_spec"])
    found = [((str(r.xid), int(r.cell), int(r[2])), _result(job.public_id, spec, r)) for r in rows]
    return Read(found, more, ended and not more)


async def _ended(connection: AsyncConnection, job: int) -> bool:
    """Whether the job is finished and no result of it is held back by a transaction still running."""
    row = (
        await connection.execute(
            text(
                """SELECT j.state, EXISTS (SELECT 1 FROM results r
                  WHERE r.job_id = j.id AND r.xid >= pg_snapshot_xmin(pg_current_snapshot())) AS held
                FROM jobs j WHERE j.id = :id"""
            ),
            {"id": job},
        )
    ).one()
    return JobState(row.state) in FINAL_STATES and not row.held


async def page(
    connection: AsyncConnection, job: JobRow, cursor: str | None, limit: int, filters: Filters
) -> ResultPage:
    """A page. `next_cursor` is given even when there is nothing more for now, to go on from later."""
    after = parse_cursor(cursor)
    found = await read(connection, job, after, limit, filters)
    last = found.results[-1][0] if found.results else after
    return ResultPage(
        items=[result for _, result in found.results],
        next_cursor=make_cursor(last) if last != _START else None,
        final=found.final,
    )


async def stream(engine: AsyncEngine, job: JobRow, after: Key, filters: Filters, batch: int) -> AsyncIterator[Read]:
    """All results from a place on, a short transaction a batch, until there are no more for now."""
    while True:
        async with engine.connect() as connection:
            found = await read(connection, job, after, batch, filters)
        yield found
        if not found.more:
            return
        after = found.results[-1][0]


async def sample(connection: AsyncConnection, job: JobRow, cell: int, index: int) -> SampleDetail:
    """One sample with its result and attempts. Raises NotFound."""
    values = {"job": job.id, "cell": cell, "index": index}
    where = await cell_of(connection, job, cell)
    check_index(job, where, index)
    query = f"SELECT {_COLUMNS} {_FROM} WHERE r.job_id = :job AND r.cell = :cell AND r.index = :index"
    row = (await connection.execute(text(query), values)).first()
    spec = ModelRequest.model_validate(job.data["model_spec"])
    attempts = await connection.execute(
        text(
            """SELECT a.attempt, w.name AS worker, a.kind, a.message, a.duration_ms, a.prompt_tokens,
              a.completion_tokens, a.at
            FROM attempts a LEFT JOIN workers w ON w.id = a.worker_id
            WHERE a.job_id = :job AND a.cell = :cell AND a.index = :index ORDER BY a.id"""
        ),
        values,
    )
    return SampleDetail(
        job=job.public_id,
        cell=cell,
        index=index,
        task=where.task,
        length=where.length,
        variant=where.variant,
        **({"state": "done"} if row is not None else await _place(connection, values)),
        result=None if row is None else _result(job.public_id, spec, row),
        attempts=[Attempt.model_validate(a._mapping) for a in attempts],
    )


async def cell_of(connection: AsyncConnection, job: JobRow, cell: int) -> Any:
    """The row of a cell. Raises NotFound."""
    found = await connection.execute(
        text("SELECT cell, task, length, variant, size FROM cells WHERE job_id = :job AND cell = :cell"),
        {"job": job.id, "cell": cell},
    )
    row = found.first()
    if row is None:
        raise NotFound(f"job {job.public_id} has no cell {cell}")
    return row


def check_index(job: JobRow, where: Any, index: int) -> None:
    """Raises NotFound when the cell has no such sample."""
    if not 0 <= index < where.size:
        raise NotFound(f"cell {where.cell} of job {job.public_id} has samples 0 to {where.size - 1}, not {index}")


async def _place(connection: AsyncConnection, values: dict[str, Any]) -> dict[str, Any]:
    """Where a sample without a result is: its `state`, and why it is `waiting`."""
    found = await connection.execute(
        text(
            """SELECT EXISTS (SELECT 1 FROM leases WHERE job_id = :job AND cell = :cell AND :index = ANY(open)) AS held,
              r.reason, r.next_try
            FROM (VALUES (1)) one LEFT JOIN retries r ON r.job_id = :job AND r.cell = :cell AND r.index = :index"""
        ),
        values,
    )
    row = found.one()
    if row.held or row.reason is None:
        return {"state": "in_flight" if row.held else "pending"}
    return {"state": "waiting", "waiting": WaitingReason(reason=row.reason, count=1, next_try=row.next_try)}


def _result(job: str, spec: ModelRequest, row: Any) -> Result:
    data = dict(row._mapping)
    data.pop("xid")
    data["expected"], data["detail"] = data["expected"] or [], data["detail"] or {}
    return Result(job=job, cost=_cost(spec, row), **data)


def _cost(spec: ModelRequest, row: Any) -> float | None:
    """What the attempt that gave the result cost; None where no price or no usage is known."""
    prompt = row.server_prompt_tokens
    if spec.price is None or prompt is None:
        return None
    used = {
        "prompt_tokens": prompt,
        "cached_tokens": row.cached_tokens or 0,
        "completion_tokens": row.completion_tokens or 0,
    }
    return cost_of(spec.price, used)
