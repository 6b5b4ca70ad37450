"""Lets a worker wait for what its next heartbeat would tell it, so that it learns of it at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from service.notifications import Notifications, worker_topic
from service.notifications import wait as wait_for
from service.queue.leasing import Connection

_LOOK_EVERY = 0.5
"""Seconds after which it is looked again whether anybody still waits."""
_SOMETHING = """
select exists(select 1 from workers where id = $1 and state = 'draining')
    or exists(select 1 from leases l join jobs j on j.id = l.job_id where l.worker_id = $1 and j.state = 'cancelled')
"""


async def wait(
    connection: Connection,
    notifications: Notifications,
    worker: int,
    seconds: float,
    gone: Callable[[], Awaitable[bool]],
) -> bool:
    """Whether there is something to learn: a job was cancelled of which the worker holds samples, or it is to drain.

    Waits for it up to `seconds`, unless the one who asks is `gone`.
    """
    end = asyncio.get_running_loop().time() + seconds
    with notifications.listening(worker_topic(worker)) as told:
        if await connection.fetchval(_SOMETHING, worker):
            return True
        while not told.is_set() and (left := end - asyncio.get_running_loop().time()) > 0 and not await gone():
            await wait_for(told, min(left, _LOOK_EVERY))
        return told.is_set()
