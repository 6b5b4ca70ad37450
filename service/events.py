"""What happens to a job, as server-sent events or by polling. Ids rise with time: after a drop, go on from the last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from fastapi.sse import ServerSentEvent, format_sse_event
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from protocol.jobs import FINAL_STATES, Event, EventPage, JobState
from service.errors import BadCursor
from service.notifications import Notifications, job_topic, wait

_LOOK_EVERY = 1.0
_RETRY_MS = 2000
BATCH = 500


def parse_id(given: str | None) -> int | None:
    """The number in a `Last-Event-ID` or cursor, or None. Raises BadCursor."""
    if given is None or given == "":
        return None
    if not (given.isascii() and given.isdecimal() and int(given) < 2**63):
        raise BadCursor(
            f"Last-Event-ID {given[:40]!r} is not an event's id; leave it out to start with what comes next"
        )
    return int(given)


async def read(connection: AsyncConnection, job: int, after: int, limit: int = BATCH) -> list[Event]:
    """The events after an id, oldest first."""
    rows = await connection.execute(
        text("SELECT id, kind, at, data FROM events WHERE job_id = :job AND id > :after ORDER BY id LIMIT :limit"),
        {"job": job, "after": after, "limit": limit},
    )
    return [Event.model_validate(row._mapping) for row in rows]


async def page(connection: AsyncConnection, job: int, after: int | None) -> EventPage:
    """A page for those who poll."""
    found = await read(connection, job, after or 0)
    last = found[-1].id if found else after
    return EventPage(items=found, next_cursor=None if last is None else str(last))


async def _last(connection: AsyncConnection, job: int) -> int:
    row = await connection.execute(text("SELECT coalesce(max(id), 0) FROM events WHERE job_id = :job"), {"job": job})
    return int(row.scalar_one())


@dataclass(frozen=True, slots=True)
class Topic:
    """What happens to one job, as this process hears of it."""

    notifications: Notifications
    job: str
    stopping: Callable[[], bool]

    def listening(self) -> AbstractContextManager[asyncio.Event]:
        return self.notifications.listening(job_topic(self.job))


async def stream(
    engine: AsyncEngine, topic: Topic, job: int, after: int | None, heartbeat: float
) -> AsyncIterator[ServerSentEvent]:
    """Events from `after` on (or from now on), with a comment when nothing happens for `heartbeat` seconds.

    Ends when the job is finished and everything was sent; a browser that reconnects then gets 204.
    """
    async with engine.connect() as connection:
        place = await _last(connection, job) if after is None else after
    yield ServerSentEvent(comment="fathom", retry=_RETRY_MS)
    spoken = time.monotonic()
    with topic.listening() as changed:
        while True:
            changed.clear()
            async with engine.connect() as connection:
                state = await _state(connection, job)
                found = await read(connection, job, place)
            for event in found:
                place, spoken = event.id, time.monotonic()
                yield ServerSentEvent(raw_data=event.model_dump_json(), event=event.kind, id=str(event.id))
            if len(found) == BATCH:
                continue
            if state is None or state in FINAL_STATES or topic.stopping():
                return
            if time.monotonic() - spoken >= heartbeat:
                yield ServerSentEvent(comment="still here")
                spoken = time.monotonic()
            await wait(changed, min(heartbeat, _LOOK_EVERY))


async def finished(connection: AsyncConnection, job: int, after: int | None) -> bool:
    """Whether nothing will ever come after that id, or from now on (until a retry or an extension opens the job again)."""
    state = await _state(connection, job)
    if state is not None and state not in FINAL_STATES:
        return False
    return after is None or not await read(connection, job, after, 1)


async def _state(connection: AsyncConnection, job: int) -> JobState | None:
    found = (await connection.execute(text("SELECT state FROM jobs WHERE id = :id"), {"id": job})).scalar_one_or_none()
    return None if found is None else JobState(found)


def wire(event: ServerSentEvent) -> bytes:
    """The event as bytes on the wire."""
    return format_sse_event(
        data_str=event.raw_data, event=event.event, id=event.id, retry=event.retry, comment=event.comment
    )
