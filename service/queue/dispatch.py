"""Lets workers wait for work without asking the database again and again.

A claim that finds nothing waits here. When something may have become available one task tries the waiting claims in the
order in which they came; when one comes back empty, all others that would look for the same are left alone this time.
So a hundred idle workers cost as much as one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import asyncpg

from protocol.workers import ProbeOrder
from service.db.engine import LOST, Database
from service.notifications import WORK, Notifications, wait
from service.queue import leasing, probes
from service.queue.leasing import Grant

log = logging.getLogger(__name__)

_LOOK_EVERY = 0.5
_PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class Want:
    """What a worker asks for. `labels` are its own, in any order-free form; `avoid` are ids of models."""

    worker: int
    samples: int
    max_leases: int
    labels: frozenset[tuple[str, str]] = frozenset()
    avoid: frozenset[int] = frozenset()

    @property
    def kind(self) -> tuple[frozenset[tuple[str, str]], frozenset[int]]:
        """Claims of one kind find the same."""
        return self.labels, self.avoid


@dataclass(frozen=True, slots=True)
class Given:
    """What a claim got: leases, orders to probe a model, or neither."""

    grants: Sequence[Grant] = ()
    probes: Sequence[ProbeOrder] = ()
    asked_at: float = 0.0
    """When the database was asked for it, by the event loop's clock: no lease began before."""

    def __bool__(self) -> bool:
        return bool(self.grants or self.probes)


Gone = Callable[[], Awaitable[bool]]


async def _here() -> bool:
    return False


@dataclass(eq=False, slots=True)
class _Waiter:
    want: Want
    gone: Gone
    given: Given = field(default_factory=Given)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    serving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while leases are asked for on its behalf: it must not leave just then, or they would be lost."""


class Dispatcher:
    """The waiting claims of one process."""

    def __init__(self, db: Database, notifications: Notifications, lease_seconds: float) -> None:
        self._db, self._notifications, self._lease_seconds = db, notifications, lease_seconds
        self._waiters: list[_Waiter] = []
        self._probes = False

    async def claim(self, want: Want, seconds: float, gone: Gone = _here) -> Given:
        """What there is at once, or when there is something, or nothing after `seconds`; nothing to who is `gone`."""
        given = await self._try(want)
        if given or seconds <= 0:
            return given
        waiter = _Waiter(want, gone)
        self._waiters.append(waiter)
        try:
            await wait(waiter.done, seconds)
            async with waiter.serving:
                waiter.done.set()
                return waiter.given
        finally:
            self._waiters.remove(waiter)

    def release(self, worker: int) -> None:
        """Let a worker's waiting claims return empty: it is to drain."""
        for waiter in self._waiters:
            if waiter.want.worker == worker:
                waiter.done.set()

    async def run(self) -> None:
        """Serve the waiting claims until cancelled."""
        looked = -_LOOK_EVERY
        with self._notifications.listening(WORK) as work:
            while True:
                await wait(work, _LOOK_EVERY)
                work.clear()
                try:
                    if time.monotonic() - looked >= _LOOK_EVERY / 2:
                        looked, self._probes = time.monotonic(), await probes.ordered(self._db.pool)
                    await self._round(list(self._waiters))
                except (asyncpg.PostgresError, *LOST) as error:
                    log.warning("claims wait for the database: %s", error)
                    await asyncio.sleep(_LOOK_EVERY)
                except Exception:  # the boundary of the loop: claims must go on being served
                    log.exception("serving the waiting claims")
                    await asyncio.sleep(_LOOK_EVERY)
                await asyncio.sleep(_PAUSE)

    async def _round(self, waiters: Sequence[_Waiter]) -> None:
        empty: set[object] = set()
        for waiter in waiters:
            async with waiter.serving:
                if waiter.done.is_set():
                    continue
                if await waiter.gone():  # it need not wait, nor hold up the service's own end
                    waiter.done.set()
                    continue
                if waiter.want.kind in empty:
                    continue
                waiter.given = await self._try(waiter.want)
                if waiter.given:
                    waiter.done.set()
                else:
                    empty.add(waiter.want.kind)

    async def _try(self, want: Want) -> Given:
        asked_at = asyncio.get_running_loop().time()
        orders = await probes.take(self._db.pool, want.worker, dict(want.labels)) if self._probes else []
        grants = await leasing.claim(
            self._db.pool, want.worker, want.samples, want.max_leases, self._lease_seconds, sorted(want.avoid)
        )
        return Given(grants, orders, asked_at)
