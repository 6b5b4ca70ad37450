"""Who waits for something learns of it at once: within the process directly, between processes by LISTEN and NOTIFY.

NOTIFY never runs in a transaction that writes: such a transaction takes a lock on the whole database before its commit
and holds it while the log is flushed, so that commits queue up. Here one task sends what has gathered, at most ten times
a second, on a connection of its own. Whoever waits looks for himself every second or so as well: a lost notification
costs a moment, nothing else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import asyncpg

from service.db.engine import LOST, raw_dsn

log = logging.getLogger(__name__)

WORK = "work"
"""Samples may have become available, or places for calls."""
PROBE = "probe"
"""A probe was ordered."""
_CHANNEL = "fathom"
_INTERVAL = 0.1
_LONGEST_PAUSE = 10.0


def job_topic(public_id: str) -> str:
    """Something happened to a job."""
    return f"job:{public_id}"


def worker_topic(worker: int) -> str:
    """There is something that a worker should learn with a heartbeat."""
    return f"worker:{worker}"


class Notifications:
    """The topics of one process. `run` must be running for other processes to take part; without it, only ours do."""

    def __init__(self, url: str) -> None:
        self._dsn = raw_dsn(url)
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._unsent: set[str] = set()
        self._sending: set[str] = set()  # kept until the database has them
        self._something = asyncio.Event()
        self._pid = 0

    def tell(self, topic: str) -> None:
        """Wake whoever waits for the topic, here and elsewhere. Call it after the transaction has been committed."""
        self._wake(topic)
        self._unsent.add(topic)
        self._something.set()

    @contextmanager
    def listening(self, topic: str) -> Iterator[asyncio.Event]:
        """An event that is set at each mention of the topic; the holder clears it before it looks."""
        event = asyncio.Event()
        self._waiting.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            listeners = self._waiting[topic]
            listeners.discard(event)
            if not listeners:
                del self._waiting[topic]

    def awaited(self, topic: str) -> bool:
        """Whether anybody in this process waits for the topic."""
        return topic in self._waiting

    def _wake(self, topic: str) -> None:
        for event in self._waiting.get(topic, ()):
            event.set()

    def _received(self, _connection: Any, pid: int, _channel: str, topic: str) -> None:
        if pid != self._pid:  # ours have been woken already
            self._wake(topic)

    async def run(self) -> None:
        """Listen and send until cancelled; a lost connection is made again, with growing pauses."""
        pause = _INTERVAL
        while True:
            try:
                connection = await asyncpg.connect(
                    self._dsn, timeout=10, server_settings={"application_name": "fathom-notify"}
                )
            except (asyncpg.PostgresError, OSError, TimeoutError) as error:
                log.warning("notifications: no connection (%s); next try in %.1f s", error, pause)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause = _INTERVAL
            try:
                await self._serve(connection)
            except (asyncpg.PostgresError, *LOST) as error:
                log.warning("notifications: connection lost (%s)", error)
            finally:
                connection.terminate()

    async def _serve(self, connection: asyncpg.Connection) -> None:
        self._pid = connection.get_server_pid()
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(_CHANNEL, self._received)
        for topic in list(self._waiting):  # what was said while nobody listened
            self._wake(topic)
        if self._sending:  # what a connection took with it
            self._something.set()
        while not lost.is_set():
            await _either(self._something, lost)
            self._something.clear()
            self._sending |= self._unsent
            self._unsent.clear()
            if self._sending:
                await connection.execute(
                    "select pg_notify($1, t) from unnest($2::text[]) t", _CHANNEL, sorted(self._sending), timeout=10
                )
                self._sending.clear()
            await asyncio.sleep(_INTERVAL)
        raise ConnectionError("the server closed it")


async def _either(*events: asyncio.Event) -> None:
    tasks = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event of `listening`, but not longer than that."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
