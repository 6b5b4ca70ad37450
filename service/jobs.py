"""Jobs as people see them: lists, one with its cells, speed, remaining time, reasons for waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.jobs import (
    CellProgress,
    Counts,
    Job,
    JobDetail,
    JobPage,
    JobState,
    RetryPolicy,
    Run,
    WaitingReason,
)
from protocol.models import ModelRequest
from service import cursors, probing, progress
from service.errors import NotFound
from service.progress import Progress

_SELECT = """
SELECT j.*, m.name AS model, m.circuit, m.circuit_reason, m.circuit_until, m.cooldown_until, m.labels AS model_labels,
  clock_timestamp() AS now,
  p.at AS point_at, p.done AS point_done,
  (SELECT r.score FROM results r WHERE r.job_id = j.id ORDER BY r.xid DESC LIMIT 1) AS last_score
FROM jobs j JOIN models m ON m.id = j.model_id
LEFT JOIN LATERAL (
  SELECT at, done FROM progress_points
  WHERE job_id = j.id AND at > clock_timestamp() - interval '75 seconds' ORDER BY at LIMIT 1
) p ON true
"""
_WAITING = """
SELECT reason, count(*) AS n, min(next_try) AS next_try FROM retries
WHERE job_id = :id AND lease_id IS NULL AND next_try > coalesce(cast(:until AS timestamptz), '-infinity')
GROUP BY reason ORDER BY n DESC, reason LIMIT 20
"""
_YOUNG = 75.0
_KIND = "jobs"


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job's own row, before it is counted."""

    id: int
    data: Mapping[str, Any]

    @property
    def public_id(self) -> str:
        return str(self.data["public_id"])

    @property
    def cancelled(self) -> bool:
        return bool(self.data["state"] == JobState.CANCELLED)

    @property
    def overhead_tokens(self) -> int:
        """What the model's chat wrapper added to a prompt, by the probe before submission."""
        found = self.data["model_facts"].get("overhead_tokens")
        return found if isinstance(found, int) else 0


async def find(connection: AsyncConnection, public_id: str) -> JobRow:
    """The row of a job. Raises NotFound."""
    row = (await connection.execute(text(_SELECT + "WHERE j.public_id = :id"), {"id": public_id})).first()
    if row is None:
        raise NotFound(f"no job {public_id!r}")
    return JobRow(row.id, dict(row._mapping))


async def page(
    connection: AsyncConnection, state: Sequence[JobState], cursor: str | None, limit: int, model: str | None = None
) -> JobPage:
    """Jobs, newest first. Raises BadCursor."""
    where, values = ["true"], {"limit": limit + 1, "states": [s.value for s in state], "model": model}
    if cursor is not None:
        where.append("j.id < :before")
        values["before"] = cursors.decode(_KIND, cursor, [int])[0]
    if state:
        where.append("j.state = ANY(:states)")
    if model is not None:
        where.append("m.name = :model")
    query = f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY j.id DESC LIMIT :limit"
    rows = [JobRow(r.id, dict(r._mapping)) for r in await connection.execute(text(query), values)]
    more, rows = len(rows) > limit, rows[:limit]
    counted = await progress.of_jobs(connection, [row.id for row in rows])
    return JobPage(
        items=[Job(**_fields(row, counted[row.id])) for row in rows],
        next_cursor=cursors.encode(_KIND, [rows[-1].id]) if more else None,
    )


async def show(connection: AsyncConnection, public_id: str) -> Job:
    """One job without its cells. Raises NotFound."""
    row = await find(connection, public_id)
    counted = (await progress.of_jobs(connection, [row.id]))[row.id]
    return Job(**_fields(row, counted), waiting=await _waiting(connection, row, counted))


async def detail(connection: AsyncConnection, public_id: str) -> JobDetail:
    """One job with its cells. Raises NotFound."""
    row = await find(connection, public_id)
    by_cell = await progress.of_cells(connection, row.id)
    cells = await connection.execute(
        text("SELECT cell, task, length, variant FROM cells WHERE job_id = :id ORDER BY cell"), {"id": row.id}
    )
    invalid = run_of(row).count_invalid
    counted = progress.total(by_cell.values())
    return JobDetail(
        **_fields(row, counted),
        waiting=await _waiting(connection, row, counted),
        cells=[
            CellProgress(
                cell=c.cell,
                task=c.task,
                length=c.length,
                variant=c.variant,
                counts=by_cell[c.cell].counts(row.cancelled),
                mean=by_cell[c.cell].mean(invalid),
            )
            for c in cells
            if c.cell in by_cell
        ],
    )


def run_of(row: JobRow) -> Run:
    return Run.model_validate(row.data["run"])


def _fields(row: JobRow, counted: Progress) -> dict[str, Any]:
    data, counts = row.data, counted.counts(row.cancelled)
    run = run_of(row)
    spec = ModelRequest.model_validate(data["model_spec"])
    rate = speed(data, counts.done)
    copied = ("name", "benchmark", "benchmark_version", "model", "state", "options", "labels", "priority")
    more = ("max_concurrency", "assets", "asset_names", "stalled", "created_at", "started_at", "finished_at")
    running = data["state"] == JobState.RUNNING
    return {
        **{key: data[key] for key in (*copied, *more)},
        "id": data["public_id"],
        "run": run,
        "retry": RetryPolicy(
            max_attempts=data["max_attempts"], base_seconds=data["base_seconds"], max_seconds=data["max_seconds"]
        ),
        "counts": counts,
        "mean": counted.mean(run.count_invalid),
        "usage": counted.usage(spec.price),
        "warnings": data["warnings"],
        "last_score": data["last_score"],
        "samples_per_second": rate if running else None,
        "eta_seconds": remaining(data, counts, rate) if running else None,
    }


def remaining(data: Mapping[str, Any], counts: Counts, rate: float | None) -> float | None:
    """Seconds until the last sample at the present rate. Where a sample takes longer than the rate looks back, and calls
    are in flight, at the pace of the whole run."""
    left = counts.planned - counts.done
    if not rate and counts.in_flight and data["started_at"] is not None:
        rate = counts.done / max((data["now"] - data["started_at"]).total_seconds(), 1.0)
    return left / rate if rate and left else None


def speed(data: Mapping[str, Any], done: int) -> float | None:
    """Samples a second over about the last minute, by the database's clock; None before anything can be said."""
    since: datetime | None
    if data["point_at"] is not None:
        since, before = data["point_at"], data["point_done"]
    else:
        since, before = data["started_at"], 0
    if since is None or not done:
        return None
    seconds: float = (data["now"] - since).total_seconds()
    if seconds <= 0 or (data["point_at"] is None and seconds > _YOUNG):
        return None
    return max(0.0, float(done - before) / seconds)


async def _waiting(connection: AsyncConnection, row: JobRow, counted: Progress) -> list[WaitingReason]:
    """Why samples wait; each is counted once, by what holds it back longest: that no worker reaches the model, the
    model's own state, or the sample's next try."""
    if row.cancelled:
        return []
    counts, data = counted.counts(), row.data
    left = counts.pending + counts.waiting
    held, until = None, None
    if left and data["state"] == JobState.RUNNING:
        if not counts.in_flight and (why := await probing.missing_worker(connection, data["model_labels"])):
            return [WaitingReason(reason=why, count=left)]
        held, until = _held_back(data)
    rows = await connection.execute(text(_WAITING), {"id": row.id, "until": until})
    found = [WaitingReason(reason=r.reason, count=r.n, next_try=r.next_try) for r in rows]
    others = left - sum(reason.count for reason in found)
    if held is not None and others > 0:
        found.insert(0, WaitingReason(reason=held, count=others, next_try=until))
    return found


def _held_back(data: Mapping[str, Any]) -> tuple[str | None, datetime | None]:
    """Why nothing may be asked of the job's model, and until when."""
    if data["circuit"] != "closed":
        return f"model {data['model']} is down: {data['circuit_reason'] or 'its calls fail'}", data["circuit_until"]
    if data["cooldown_until"] is not None and data["cooldown_until"] > data["now"]:
        return f"model {data['model']} asked to wait", data["cooldown_until"]
    return None, None
