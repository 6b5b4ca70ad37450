"""Handing samples out to workers, and taking back what they lose. One statement a call, on a raw connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True)
class Grant:
    """A lease: the right to run samples (index, generation, attempt) of one cell."""

    lease: int
    job: int
    stamp: str
    """Changes whenever what a worker must know of the job does."""
    cell: int
    samples: list[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Renewal:
    """What became of the leases a worker wanted to keep."""

    renewed: list[int]
    lost: list[int]
    cancelled_jobs: list[str]


class Connection(Protocol):
    """A raw asyncpg connection, or a pool of them."""

    async def fetch(self, query: str, *args: Any) -> list[Any]: ...

    async def fetchval(self, query: str, *args: Any) -> Any: ...


async def claim(
    connection: Connection, worker: int, want: int, max_leases: int, lease_seconds: float, avoid: Sequence[int] = ()
) -> list[Grant]:
    """Up to `want` samples for a worker that is up, in up to `max_leases` leases; models in `avoid` (ids) are left out."""
    rows = await connection.fetch(
        "select * from queue_claim($1, $2, $3, $4, $5)",
        worker,
        want,
        max_leases,
        timedelta(seconds=lease_seconds),
        list(avoid),
    )
    return [Grant(lease, job, stamp, cell, _samples(*rest)) for lease, job, stamp, cell, *rest in rows]


def _samples(
    indices: list[int], generations: list[int] | None, attempts: list[int] | None
) -> list[tuple[int, int, int]]:
    if generations is None or attempts is None:
        return [(index, 0, 1) for index in indices]
    return list(zip(indices, generations, attempts, strict=True))


async def heartbeat(
    connection: Connection,
    worker: int,
    leases: Sequence[int],
    lease_seconds: float,
    draining: bool = False,
    models: Mapping[str, Any] | None = None,
) -> Renewal:
    """Renew a worker's leases. What it no longer holds is lost: it must stop those calls."""
    rows = await connection.fetch(
        "select * from queue_heartbeat($1, $2, $3, $4, $5)",
        worker,
        list(leases),
        timedelta(seconds=lease_seconds),
        draining,
        dict(models or {}),
    )
    renewed = {lease for lease, _ in rows}
    return Renewal(
        renewed=sorted(renewed),
        lost=[lease for lease in leases if lease not in renewed],
        cancelled_jobs=sorted({job for _, job in rows if job is not None}),
    )


async def reap(connection: Connection, limit: int = 200) -> int:
    """Take back the samples of leases that have run out; returns how many."""
    return int(await connection.fetchval("select queue_reap($1, null)", limit))


async def take_back(connection: Connection, worker: int) -> int:
    """Take back all that a worker holds, because it leaves; no attempt is spent. Returns how many samples."""
    return int(await connection.fetchval("select queue_reap(100000, $1)", worker))


async def take_back_lost(connection: Connection, worker: int, named: Sequence[int], settled: int) -> tuple[int, int]:
    """Take back the leases up to `settled` that a worker does not name: the replies that granted them were lost.

    Returns the newest lease of all, and how many samples were taken back; no attempt is spent.
    """
    row = (await connection.fetch("select * from queue_take_back_lost($1, $2, $3)", worker, list(named), settled))[0]
    return int(row[0]), int(row[1])


async def holders(connection: AsyncConnection, job: int) -> list[int]:
    """The workers that hold samples of a job."""
    rows = await connection.execute(text("select distinct worker_id from leases where job_id = :job"), {"job": job})
    return [int(row.worker_id) for row in rows]
