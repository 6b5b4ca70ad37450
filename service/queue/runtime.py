"""What the queue needs running in every service process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from service import maintenance
from service.db.engine import Database
from service.notifications import Notifications
from service.queue.dispatch import Dispatcher
from service.queue.specs import Specs


@dataclass(frozen=True, slots=True)
class Runtime:
    """`notifications.tell(WORK)` after anything that may have made samples available spares workers a second's wait."""

    notifications: Notifications
    dispatcher: Dispatcher
    specs: Specs


@asynccontextmanager
async def running(db: Database, lease_seconds: float) -> AsyncIterator[Runtime]:
    """The queue's tasks, for as long as the block lasts."""
    notifications = Notifications(db.url)
    dispatcher = Dispatcher(db, notifications, lease_seconds)
    tasks = [
        asyncio.create_task(notifications.run(), name="notifications"),
        asyncio.create_task(dispatcher.run(), name="dispatcher"),
        asyncio.create_task(maintenance.run(db, notifications, lease_seconds), name="maintenance"),
    ]
    try:
        yield Runtime(notifications, dispatcher, Specs(db))
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
