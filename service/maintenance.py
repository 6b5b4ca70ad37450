"""What keeps the queue going without anybody's asking: loops that every service process runs and one at a time works in.

Each loop takes an advisory lock for its transaction, so that of several services on one database only one does the work,
and another takes over at once when that one dies. An error ends a turn, never a loop.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import asyncpg

from service.db.engine import LOST, Database
from service.notifications import WORK, Notifications, job_topic

log = logging.getLogger(__name__)

_LOCKS = 1785358947
_PAUSE_AFTER_ERROR = 2.0
_RETURN_SECONDS = 15.0
"""What workers get to come back after an outage of ours, before leases that they could not renew are given to others:
they bring what they finished meanwhile, and it need not be asked again."""
_LATE_SECONDS, _MOST_LATE = 2.0, 3
"""A turn that comes so much later than it should tells of an outage: this process was frozen, or the database silent. After
so many in a row, it is made however late."""


@dataclass(frozen=True, slots=True)
class Loop:
    """`turn` is one round in its own transaction; it returns the topics to mention once that is committed.

    `after_outage` seconds pass between a start, or a turn that came late or that the database did not take, and the next.
    """

    name: str
    lock: int
    seconds: float
    turn: Callable[[Any], Awaitable[Sequence[str]]]
    after_outage: float = 0.0


async def _reap(connection: Any) -> Sequence[str]:
    taken = await connection.fetchval("select queue_reap(200, null)")
    if taken:
        log.warning("took back %d samples whose leases had run out", taken)
    return [WORK] if taken else []


async def _fold(connection: Any) -> Sequence[str]:
    return [job_topic(row[0]) for row in await connection.fetch("select o_public from queue_fold()")]


async def _settle(connection: Any) -> Sequence[str]:
    return [job_topic(row[0]) for row in await connection.fetch("select * from queue_settle_all()")]


async def _stalled(connection: Any) -> Sequence[str]:
    rows = await connection.fetch("select o_job, o_reason from queue_find_stalled()")
    for job, reason in rows:
        log.warning("job %s is stalled: %s", job, reason)
    return [job_topic(job) for job, _ in rows]


async def _missing(seconds: float, connection: Any) -> Sequence[str]:
    for row in await connection.fetch("select * from queue_miss_workers($1)", timedelta(seconds=seconds)):
        log.warning("worker %d has not been heard of for %.0f s", row[0], seconds)
    return []


async def _floors(connection: Any) -> Sequence[str]:
    await connection.execute("select queue_raise_floors()")
    return []


async def _prune(connection: Any) -> Sequence[str]:
    await connection.execute("select queue_prune()")
    return []


def loops(lease_seconds: float) -> list[Loop]:
    """The loops of a service whose leases last so long."""
    missing = partial(_missing, 2 * lease_seconds)
    return [
        Loop("fold", 1, 1.0, _fold),
        Loop("reap", 2, min(2.0, lease_seconds / 10), _reap, after_outage=min(_RETURN_SECONDS, lease_seconds)),
        Loop("settle", 3, 1.0, _settle),
        Loop("floors", 4, 2.0, _floors),
        Loop("missing workers", 5, min(5.0, lease_seconds / 4), missing),
        Loop("stalled jobs", 6, 10.0, _stalled),
        Loop("prune", 7, 120.0, _prune),
    ]


class Late(Exception):
    """A turn was not made, because the time for it is over."""


async def turn(db: Database, loop: Loop, notifications: Notifications, latest: float = math.inf) -> bool:
    """One turn, unless another service is at it; returns whether it was made.

    Raises Late when the database answers only after `latest`, by the monotonic clock.
    """
    async with db.pool.acquire() as connection, connection.transaction():
        if not await connection.fetchval("select pg_try_advisory_xact_lock($1, $2)", _LOCKS, loop.lock):
            return False
        if time.monotonic() > latest:
            raise Late
        topics = await loop.turn(connection)
    for topic in topics:
        notifications.tell(topic)
    return True


async def _run(db: Database, loop: Loop, notifications: Notifications) -> None:
    pause, late = loop.after_outage, 0
    while True:
        # A service that is always slow must not wait for ever.
        careful = loop.after_outage and late < _MOST_LATE
        latest = time.monotonic() + pause + _LATE_SECONDS if careful else math.inf
        await asyncio.sleep(pause)
        try:
            await turn(db, loop, notifications, latest)
            pause, late = loop.seconds, 0
        except Late:
            pause, late = loop.after_outage, late + 1
            log.warning("maintenance, %s: a turn came late; the next is in %.0f s", loop.name, pause)
        except (asyncpg.PostgresError, *LOST) as error:
            log.warning("maintenance, %s: %s", loop.name, error)
            pause = max(_PAUSE_AFTER_ERROR, loop.after_outage)
        except Exception:  # the boundary of the loop: a slip in one turn must not end it
            log.exception("maintenance, %s", loop.name)
            pause = _PAUSE_AFTER_ERROR


async def run(db: Database, notifications: Notifications, lease_seconds: float) -> None:
    """All loops, until cancelled."""
    async with asyncio.TaskGroup() as group:
        for loop in loops(lease_seconds):
            group.create_task(_run(db, loop, notifications), name=f"maintenance: {loop.name}")
