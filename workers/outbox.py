"""Outcomes on their way to the service: spooled, sent in batches, kept until acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from protocol.workers import Outcome, OutcomesReply
from workers.client import GivenUp, persist, unless
from workers.errors import ServiceAway, ServiceRefused
from workers.spool import Entry, Spool

FLUSH_SECONDS = 0.05
ADOPT_SECONDS, ADOPT_LEASES = 10.0, 0.2
"""How often to look for what dead workers left: in seconds, and in parts of a lease. Their leases must still hold then, or
the samples that they had answered are asked again."""
BATCH, BATCH_BYTES = 512, 4 * 1024 * 1024
_SYNC_SECONDS = 1.0
log = logging.getLogger(__name__)

_UNREADABLE = (400, 413, 422)
"""Statuses by which the service says that it cannot take a batch as it is. Others, such as a token that is no longer
valid, say nothing of the outcomes: they wait."""

Send = Callable[[int, list[bytes]], Coroutine[Any, Any, OutcomesReply]]
"""Reports outcomes of the worker with that number."""


class Outbox:
    """Sends at once when nothing was sent for `FLUSH_SECONDS`, else in batches that far apart.

    `on_judged` gets lease and index of each outcome that the service has judged, if it was added here.
    `send` reports a batch of one worker and is repeated until the service answers. A batch that the service refuses as a
    whole is halved until the outcome at fault is alone; that one, as any that is refused by itself, goes to
    `rejected.jsonl` in the spool's folder.
    """

    def __init__(
        self,
        spool: Spool,
        send: Send,
        on_away: Callable[[str], None] = lambda why: None,
        on_judged: Callable[[int, int], None] = lambda lease, index: None,
    ) -> None:
        self._spool, self._send, self._on_away, self._on_judged = spool, send, on_away, on_judged
        self._samples: dict[int, tuple[int, int]] = {}  # of entries by number: lease and index
        self._unspooled = 0
        self._waiting: deque[Entry] = deque(spool.left_over)
        self._filled, self._empty, self._flows, self._sooner = (asyncio.Event() for _ in range(4))
        if not self._waiting:
            self._flows.set()
        self._sending = 0
        self.verdicts: dict[str, int] = {}
        self._note_level()

    def add(self, outcome: Outcome, worker: int) -> None:
        """Take an outcome of the worker with that number. When the disk is full it is kept in memory alone, which is logged."""
        content = outcome.model_dump_json(exclude_none=True).encode()
        try:
            entry = self._spool.add(content, worker)
        except OSError as error:
            log.error("cannot write to the spool (%s): outcomes are kept in memory until the service takes them", error)
            self._unspooled -= 1
            entry = Entry(self._unspooled, content, worker)
        self._samples[entry.number] = outcome.lease, outcome.index
        self._waiting.append(entry)
        self._note_level()

    @property
    def unsent(self) -> int:
        """Outcomes that are not acknowledged yet."""
        return len(self._waiting) + self._sending

    def leases(self) -> set[int]:
        """Leases with outcomes that are not acknowledged yet."""
        return {lease for lease, _ in self._samples.values()}

    async def run(self) -> None:
        """Send for ever; cancel it when the worker leaves."""
        loop = asyncio.get_running_loop()
        last, synced = loop.time() - FLUSH_SECONDS, loop.time()
        while True:
            await self._filled.wait()
            await asyncio.sleep(max(0.0, last + FLUSH_SECONDS - loop.time()))
            last = loop.time()
            await self._flush(self._take())
            if last - synced > _SYNC_SECONDS:
                synced = last
                await asyncio.to_thread(self._spool.sync)

    async def adopt(self, lease_seconds: float) -> None:
        """For ever take over, now and then, what other workers of this machine left when they died."""
        while True:
            await asyncio.sleep(min(ADOPT_SECONDS, ADOPT_LEASES * lease_seconds))
            if found := self._spool.adopt():
                log.warning("took over %d outcomes that a dead worker left", len(found))
                self._waiting.extend(found)
                self._note_level()

    def wake(self) -> None:
        """The service answers again: do not wait longer, nor for the reply to what was sent before."""
        self._sooner.set()

    async def flowing(self) -> None:
        """Return when the service takes outcomes, those left over included. Nothing must be claimed before: what is
        answered here and not yet reported could be handed out again."""
        await self._flows.wait()

    async def emptied(self) -> None:
        """Return when all outcomes are acknowledged."""
        await self._empty.wait()

    def _take(self) -> list[Entry]:
        batch: list[Entry] = []
        size = 0
        while (
            self._waiting
            and len(batch) < BATCH
            and (not batch or size + len(self._waiting[0].content) < BATCH_BYTES)
            and (not batch or self._waiting[0].worker == batch[0].worker)
        ):
            batch.append(self._waiting.popleft())
            size += len(batch[-1].content)
        self._sending = len(batch)
        return batch

    async def _flush(self, batch: list[Entry]) -> None:
        unsent = batch
        try:
            await self._report(batch)
            unsent = []
        finally:
            self._waiting.extendleft(reversed(unsent))
            self._sending = 0
            self._note_level()

    async def _report(self, batch: list[Entry]) -> None:
        worker, contents = batch[0].worker, [entry.content for entry in batch]
        try:
            reply = await persist(lambda: self._send_once(worker, contents), self._away, self._sooner)
        except ServiceRefused as error:
            self._flows.set()
            if len(batch) == 1:
                log.error("the service refuses an outcome, it is kept in rejected.jsonl: %s", error)
                self._spool.reject(batch[0], str(error))
                self._judged(batch[0])
                return
            middle = len(batch) // 2
            await self._report(batch[:middle])
            await self._report(batch[middle:])
            return
        self._flows.set()
        for entry, verdict in zip(batch, reply.verdicts, strict=True):
            if verdict.verdict == "refused":
                self._spool.reject(entry, verdict.reason or "refused")
            else:
                self._spool.acknowledge(entry)
            self._judged(entry)
            self.verdicts[verdict.verdict] = self.verdicts.get(verdict.verdict, 0) + 1
            if verdict.verdict in ("duplicate", "stale", "refused"):
                log.info("outcome %s: %s %s", entry.content[:120], verdict.verdict, verdict.reason or "")

    def _judged(self, entry: Entry) -> None:
        if (sample := self._samples.pop(entry.number, None)) is not None:
            self._on_judged(*sample)

    async def _send_once(self, worker: int, contents: list[bytes]) -> OutcomesReply:
        try:
            reply = await self._send_on_a_living_connection(worker, contents)
        except ServiceRefused as error:
            if error.status in _UNREADABLE:
                raise
            raise ServiceAway(f"the service does not take outcomes now: {error}") from error
        if len(reply.verdicts) != len(contents):
            raise ServiceAway(f"the service gave {len(reply.verdicts)} verdicts on {len(contents)} outcomes")
        return reply

    async def _send_on_a_living_connection(self, worker: int, contents: list[bytes]) -> OutcomesReply:
        while True:
            try:
                return await unless(self._sooner, self._send(worker, contents))
            except GivenUp:
                self._sooner.clear()

    def _away(self, why: str) -> None:
        self._flows.clear()
        self._on_away(why)

    def _note_level(self) -> None:
        if self._waiting:
            self._filled.set()
        else:
            self._filled.clear()
        if self.unsent:
            self._empty.clear()
        else:
            self._empty.set()
