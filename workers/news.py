"""What a worker asks the service besides: whether to send a heartbeat at once, and whether leases of its were lost.

A lease whose claim was answered, but never reached us, nobody would run until it ends. Only the service can tell that it
exists, and only we know that it cannot come any more: leases are numbered in the order in which they are granted, so what
a claim gets has a higher number than any that we were told of before we sent it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from protocol.workers import News, NewsReply
from workers.client import GivenUp, unless
from workers.errors import ServiceAway, ServiceRefused

WAIT_SECONDS, DOUBT_SECONDS = 20.0, 1.0
"""How long to wait for news: ordinarily, and after a claim failed until it is settled what became of it."""
_PAUSE = 0.3
_AFTER_ERROR, _AFTER_REFUSAL = 2.0, 30.0


class ClaimLog:
    """Which claims are under way, and up to which number leases are settled: those that we do not hold were lost."""

    def __init__(self) -> None:
        self._newest = 0
        self._under_way: dict[object, int] = {}
        self._doubt: int | None = None
        self.failed = asyncio.Event()

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Around a claim, from before it is sent until its leases are held. An error means that leases may be lost."""
        token = object()
        self._under_way[token] = self._newest
        answered = False
        try:
            yield
            answered = True
        finally:
            del self._under_way[token]
            if not answered:
                self._doubt = None
                self.failed.set()

    def told(self, newest: int) -> None:
        """The service says which lease is the newest."""
        self._newest = max(self._newest, newest)
        if self._doubt is None:
            self._doubt = newest

    @property
    def settled(self) -> int:
        """Leases up to this number have reached us or never will."""
        return min((self._newest, *self._under_way.values()))

    @property
    def doubtful(self) -> bool:
        """Whether a claim failed, or nothing was told yet, and it is not settled what became of its leases."""
        return self._doubt is None or self.settled < self._doubt

    def patience(self, seconds: float) -> float:
        """How long a call may wait that is worth so many seconds: not so long that it keeps what is in doubt unsettled."""
        return min(seconds, DOUBT_SECONDS) if self.doubtful else seconds


async def listen(
    claims: ClaimLog,
    ask: Callable[[News], Coroutine[Any, Any, NewsReply]],
    leases: Callable[[], list[int]],
    on_news: Callable[[], None],
) -> None:
    """For ever ask for news; `leases` are all that are held, `on_news` is called when a heartbeat should be sent.

    What goes wrong here costs nothing but time: leases end, and heartbeats come, anyway.
    """
    while True:
        claims.failed.clear()
        wait = claims.patience(WAIT_SECONDS)
        news = News(leases=leases(), settled=claims.settled, wait_seconds=wait)
        try:
            reply = await unless(claims.failed, ask(news))
        except GivenUp:
            continue
        except ServiceAway:
            await asyncio.sleep(random.uniform(_PAUSE, _AFTER_ERROR))
            continue
        except ServiceRefused:  # a heartbeat tells why, or the service is too old to know
            claims.told(0)
            await asyncio.sleep(_AFTER_REFUSAL)
            continue
        claims.told(reply.newest_lease)
        if reply.heartbeat:
            on_news()
        await asyncio.sleep(DOUBT_SECONDS if reply.heartbeat else _PAUSE)
