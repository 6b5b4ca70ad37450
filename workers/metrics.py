"""Asks an engine how full it is while calls are in flight, and tells the lane's controller."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import httpx

from workers.apis.base import Target
from workers.apis.http import bearer
from workers.errors import CallError
from workers.fingerprints import root_of
from workers.pressure import ENGINES, Pressure, read

POLL_SECONDS = 2.0
_ANSWER_SECONDS = 10.0
_LONGEST_POLL = 60.0  # seconds between polls of a server that does not answer them
log = logging.getLogger(__name__)


class Metrics:
    """Polls `GET <root>/metrics` of one target, in a task of its own that ends when nothing is in flight: calls never
    wait for it, and no failure of it matters. `tell` gets what the engine says, None when it says nothing any more."""

    def __init__(
        self,
        target: Target,
        busy: Callable[[], bool],
        tell: Callable[[Pressure | None], None],
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._target, self._busy, self._tell, self._seconds = target, busy, tell, poll_seconds
        self._engine = str(target.facts.get("engine"))
        self._url = f"{root_of(target.model.base_url or '')}/metrics"
        self.offered = self._engine in ENGINES and bool(target.model.base_url)
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Calls are in flight: poll, if that is not under way already and was not refused for good."""
        if self.offered and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._poll())
            self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _poll(self) -> None:
        pause = self._seconds
        while True:
            await asyncio.sleep(pause)
            if not self._busy():
                return
            try:
                async with asyncio.timeout(_ANSWER_SECONDS):
                    found = await self._ask()
            except (httpx.HTTPError, httpx.InvalidURL, CallError, OSError, TimeoutError):
                found = None
            if not self.offered:
                return
            pause = self._seconds if found is not None else min(2 * pause, _LONGEST_POLL)
            self._tell(found)

    async def _ask(self) -> Pressure | None:
        headers = {**self._target.model.headers, **bearer(self._target)}
        reply = await self._target.http.get(self._url, headers=headers, timeout=httpx.Timeout(None, connect=5))
        if reply.status_code == 200:
            return read(self._engine, reply.text, self._target.model_id)
        self.offered = reply.status_code in (408, 429) or (reply.status_code >= 500 and reply.status_code != 501)
        return None

    def _ended(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None
        if task.cancelled():
            return
        self._tell(None)
        if (error := task.exception()) is not None:
            self.offered = False
            log.error("the metrics of %s are not asked for any more", self._url, exc_info=error)
        elif not self.offered:
            log.info("%s offers no metrics of its queue: time and throughput alone set the limit", self._url)
