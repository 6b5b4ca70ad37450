"""Waking those who wait, within a process and across processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from service.db.engine import raw_dsn
from service.notifications import WORK, Notifications, job_topic, wait

PATIENCE = 30


@asynccontextmanager
async def running(url: str) -> AsyncIterator[Notifications]:
    notifications = Notifications(url)
    task = asyncio.create_task(notifications.run())
    yield notifications
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def alone(database_url: str) -> Notifications:
    """Notifications that are not running: a process of its own."""
    return Notifications(database_url)


async def heard(event: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE):
        await event.wait()


async def test_within_a_process_nobody_waits_for_the_database(alone: Notifications) -> None:
    with alone.listening(WORK) as event, alone.listening(job_topic("a")) as other:
        alone.tell(WORK)
        assert event.is_set()
        assert not other.is_set()


async def test_another_process_is_told(database_url: str) -> None:
    async with running(database_url) as here, running(database_url) as there:
        with there.listening(job_topic("a")) as event:
            here.tell(job_topic("a"))
            await heard(event)


async def test_many_mentions_are_sent_as_few_notifications(database_url: str) -> None:
    listener = await asyncpg.connect(raw_dsn(database_url))
    received: list[str] = []
    last = asyncio.Event()

    def note(*args: object) -> None:
        received.append(str(args[-1]))
        if args[-1] == "last":
            last.set()

    await listener.add_listener("fathom", note)
    async with running(database_url) as notifications:
        for _ in range(2000):
            notifications.tell(WORK)
            await asyncio.sleep(0)
        notifications.tell("last")
        await heard(last)
    assert 1 <= received.count(WORK) < 20
    await listener.close()


async def test_a_lost_connection_is_made_again_and_what_was_unsent_is_sent(database_url: str) -> None:
    admin = await asyncpg.connect(raw_dsn(database_url))
    async with running(database_url) as here, running(database_url) as there:
        with there.listening("first") as event:
            here.tell("first")
            await heard(event)
        with there.listening("second") as event:
            killed = await admin.fetchval(
                "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                " where datname = current_database() and application_name = 'fathom-notify'"
            )
            assert killed == 2
            while not event.is_set():
                event.clear()
                here.tell("second")
                await wait(event, 0.2)
    await admin.close()


async def test_waiting_ends_with_the_time_or_the_event(alone: Notifications) -> None:
    with alone.listening(WORK) as event:
        await wait(event, 0.01)
        assert not event.is_set()
        alone.tell(WORK)
        await wait(event, PATIENCE)
        assert event.is_set()
