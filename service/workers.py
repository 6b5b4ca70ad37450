"""Workers as people see them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.workers import Worker

_SELECT = """
SELECT w.id, w.name, w.host, w.pid, w.version, w.concurrency, w.labels, w.state, w.done, w.models,
  w.registered_at, w.last_seen_at, coalesce(l.n, 0) AS in_flight
FROM workers w LEFT JOIN (SELECT worker_id, sum(n) AS n FROM leases GROUP BY worker_id) l ON l.worker_id = w.id
WHERE w.state <> 'gone' OR w.last_seen_at > clock_timestamp() - interval '1 day'
ORDER BY w.state = 'gone', w.id DESC LIMIT 500
"""


async def every(connection: AsyncConnection) -> list[Worker]:
    """Connected workers, then those that left during the last day; newest first."""
    return [_worker(row) for row in await connection.execute(text(_SELECT))]


def _worker(row: Any) -> Worker:
    return Worker.model_validate(row._mapping)
