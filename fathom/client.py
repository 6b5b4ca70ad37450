"""The SDK for asyncio programs; `fathom.sync` has the same for others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from fathom.calls import Calls, path_of
from fathom.errors import Refused, Unreachable
from fathom.following import News
from protocol.jobs import FINAL_STATES, Event, JobDetail
from protocol.results import Result, ResultPage

OnGap = Callable[[str], None]
"""Told why the service cannot be reached each time a watcher has to wait for it."""


class Client(Calls):
    """A connection to a Fathom service: its calls, and what takes many of them.

    `server` and `token` default to FATHOM_SERVER and FATHOM_TOKEN, then to the saved ones. `http` replaces the HTTP
    client (tests, own proxies); it is closed with this one.
    """

    async def result_pages(
        self,
        job: str,
        *,
        cursor: str | None = None,
        follow: bool = False,
        filters: Mapping[str, Any] | None = None,
        on_gap: OnGap | None = None,
    ) -> AsyncGenerator[ResultPage, None]:
        """All pages of results there are, from `cursor` on; with `follow` also those to come, until the job is finished.

        Waits through restarts of the service when it follows.
        """
        while True:
            try:
                page = await self.result_page(job, cursor, filters=filters)
            except (Unreachable, Refused) as error:
                if not follow or not _passing(error):
                    raise
                await self._wait(str(error), on_gap)
                continue
            if page.items:
                yield page
            cursor = page.next_cursor or cursor
            if page.final or (not follow and (not page.items or page.next_cursor is None)):
                return
            if not page.items:
                await asyncio.sleep(0.5)

    async def results(
        self,
        job: str,
        *,
        cursor: str | None = None,
        follow: bool = False,
        filters: Mapping[str, Any] | None = None,
        on_gap: OnGap | None = None,
    ) -> AsyncGenerator[Result, None]:
        """The same, result by result."""
        pages = self.result_pages(job, cursor=cursor, follow=follow, filters=filters, on_gap=on_gap)
        async for page in pages:
            for result in page.items:
                yield result

    async def events(self, job: str, *, after: int | None = None) -> AsyncGenerator[Event, None]:
        """The job's events from `after` on, until the stream ends or breaks (then `Unreachable`)."""
        async for event in self._send.events(f"{path_of(job)}/events", after):
            yield event

    async def watch(
        self, job: str, *, interval: float = 1.0, refresh: float = 10.0, on_gap: OnGap | None = None
    ) -> AsyncGenerator[JobDetail, None]:
        """The job now and whenever it changed, until it is finished.

        At most every `interval` seconds, and at least every `refresh`. Reconnects after a drop or a restart of the
        service, and continues where the stream broke.
        """
        news = News(lambda after: self.events(job, after=after))
        try:
            while True:
                try:
                    news.clear()
                    found = await self.job(job)
                    yield found
                    if found.state in FINAL_STATES:
                        return
                    started = time.monotonic()
                    await news.wait(refresh)
                    await asyncio.sleep(started + interval - time.monotonic())
                except (Unreachable, Refused) as error:
                    if not _passing(error):
                        raise
                    await self._wait(str(error), on_gap)
        finally:
            await news.close()

    async def _wait(self, why: str, on_gap: OnGap | None) -> None:
        if on_gap is not None:
            on_gap(why)
        await asyncio.sleep(1.0)


def _passing(error: Unreachable | Refused) -> bool:
    """Whether it can get better by itself: no answer, or the service's own trouble."""
    return isinstance(error, Unreachable) or error.status >= 500 or error.status == 429
