"""The worker: claims samples, runs them in lanes, reports outcomes, keeps its leases alive, and leaves in order."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import logging
import os
import random
import socket
import time
import uuid

from protocol import PROTOCOL_VERSION
from protocol.workers import (
    ClaimReply,
    ClaimRequest,
    Departure,
    Heartbeat,
    Outcome,
    ProbeOrder,
    WorkerRegistration,
)
from workers import loops
from workers.assets import AssetCache
from workers.claims import Plan, lookout, refill
from workers.client import FIRST_WAIT, LONGEST_WAIT, GivenUp, ServiceClient, persist, unless
from workers.crew import Crew
from workers.drivers.base import open_driver
from workers.errors import ServiceAway, ServiceRefused
from workers.jobs import JobShelf
from workers.leases import Held, LeaseBook
from workers.news import ClaimLog, listen
from workers.outbox import Outbox
from workers.presence import Presence
from workers.probing import answer
from workers.ramps import START
from workers.runner import Item
from workers.settings import WorkerSettings
from workers.spool import Spool
from workers.targets import Targets

_DEPARTURE = 10.0  # seconds for last reports when leaving
_UNKNOWN_WORKER = (404, 410)
log = logging.getLogger(__name__)


class Worker:
    """One process's share of the work. `run` returns when the worker has left."""

    def __init__(self, settings: WorkerSettings, client: ServiceClient, spool: Spool) -> None:
        self._settings, self._client = settings, client
        self._spool = spool
        self._id = 0
        self._lease_seconds, self._heartbeat_seconds = 60.0, 15.0
        self._book = LeaseBook()
        self._beat = asyncio.Event()
        self._presence = Presence(self._beat.set, lambda: self._outbox.wake())
        self._outbox = Outbox(spool, client.report, self._presence.note_away, self._book.close)
        self._assets = AssetCache(settings.data / "assets", client)
        self._targets = Targets(open_driver)
        self._shelf = JobShelf(self._assets, self._targets, settings.data / "cache", self._book.jobs)
        self._room = asyncio.Event()
        self._crew = Crew(settings, self._targets, self._shelf, self._outcome, self._room.set, self._may_ask)
        self._leaving, self._hurry = asyncio.Event(), False
        self._registering = asyncio.Lock()
        self._claims = ClaimLog()
        self._probes: set[asyncio.Task[None]] = set()

    def leave(self) -> None:
        """Drain: finish or hand back what is held, then leave. Asked again, let no call finish."""
        if self._leaving.is_set():
            self._hurry = True
        self._leaving.set()
        self._room.set()

    async def run(self) -> None:
        """Work until told to leave. Raises ServiceRefused when the service does not take this worker."""
        await self._register()
        outbox = loops.start(self._outbox.run)
        others = (self._refill, self._lookout, self._news, self._heartbeats, self._fence, self._adopt)
        running = [loops.start(loop) for loop in others]
        try:
            await loops.until(self._leaving, running)
            await self._drain(running[:3])
        finally:
            await loops.stop([*running, outbox, *self._probes])
            self._crew.remember()
            await self._targets.aclose()

    async def _register(self) -> None:
        settings = self._settings
        registration = WorkerRegistration(
            boot=uuid.uuid4(),
            name=settings.name,
            protocol=PROTOCOL_VERSION,
            version=importlib.metadata.version("fathom-eval"),
            host=socket.gethostname(),
            pid=os.getpid(),
            concurrency=settings.ceiling,
            labels=dict(settings.labels),
        )
        registered = await persist(lambda: self._client.register(registration), self._presence.note_away)
        self._presence.note_back()
        self._id = registered.id
        self._lease_seconds, self._heartbeat_seconds = registered.lease_seconds, registered.heartbeat_seconds
        self._client.answer_seconds = min(self._client.answer_seconds, self._lease_seconds)
        log.info("worker %s (%s) works for %s", self._id, settings.name, settings.server)

    # Claiming

    async def _refill(self) -> None:
        """Claim for the models at work as soon as their lanes have room."""
        while True:
            plan = refill(self._crew.rooms(), self._crew.free) if self._crew else None
            if plan is None:
                await self._room_changed(0.1 if self._crew.in_flight else 1.0)  # calls grow older meanwhile
            elif not await self._claim(plan):
                await self._room_changed(0.2)

    async def _lookout(self) -> None:
        """Claim for models that have no lane yet."""
        start = self._settings.concurrency or START
        while True:
            plan = lookout(self._crew.rooms(), self._crew.free, start)
            if plan is None:
                await self._room_changed(1.0)
            else:
                await self._claim(plan)

    async def _claim(self, plan: Plan) -> bool:
        """Whether anything came. Waits when the service is away."""
        await self._outbox.flowing()
        request = ClaimRequest(
            want=plan.want,
            wait_seconds=self._claims.patience(plan.wait_seconds),
            known_jobs=self._shelf.known(),
            avoid_models=list(plan.avoid),
        )
        sent_at = time.monotonic()
        try:
            with self._claims.claim():
                reply = await unless(self._presence.returned, self._client.claim(self._id, request))
                self._presence.note_back()
                self._take(reply, sent_at)
        except GivenUp:
            return True
        except ServiceAway as error:
            self._presence.note_away(str(error))
            await asyncio.sleep(random.uniform(FIRST_WAIT, min(LONGEST_WAIT, 10 * FIRST_WAIT)))
            return True
        except ServiceRefused as error:
            await self._refused(error)
            return True
        return bool(reply.leases)

    async def _room_changed(self, seconds: float) -> None:
        self._room.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._room.wait(), seconds)

    def _take(self, reply: ClaimReply, sent_at: float) -> None:
        for lease in reply.leases:
            self._book.add(lease, sent_at, self._lease_seconds)
        for spec in reply.jobs:
            self._shelf.put(spec)
        for lease in reply.leases:
            if lease.job in self._shelf:
                self._crew.add(lease)
            else:  # given up while the claim was under way; the next claim says so and gets it again
                self._return(self._book.drop([lease.id]), "the job is not known here any more")
        for order in reply.probes:
            task = asyncio.create_task(self._probe(order))
            self._probes.add(task)
            task.add_done_callback(self._probes.discard)
        if reply.drain:
            self._leaving.set()

    def _may_ask(self, lease: int) -> bool:
        """Whether a lease still holds; if not, it is given up here, so that no renewal brings it back without its samples."""
        if self._book.holds(lease, time.monotonic()):
            return True
        self._book.drop([lease])
        return False

    def _outcome(self, item: Item, outcome: Outcome) -> None:
        self._book.answer(item.lease, item.index)
        self._outbox.add(outcome, self._id)

    async def _refused(self, error: ServiceRefused) -> None:
        """The service forgot this worker (it was away for long): register anew. Anything else is final."""
        if error.status not in _UNKNOWN_WORKER:
            raise error
        unknown = self._id
        async with self._registering:
            if self._id != unknown:
                return
            log.warning("the service does not know this worker any more (%s): it registers again", error)
            self._abandon(self._book.ids(), "the service gave its leases to others")
            await self._register()

    # Keeping leases

    async def _heartbeats(self) -> None:
        while True:
            await self._until_next_heartbeat()
            sent_at = time.monotonic()
            heartbeat = Heartbeat(
                leases=self._book.ids(),
                in_flight=self._crew.in_flight,
                draining=self._leaving.is_set(),
                models=self._crew.states(),
            )
            try:
                reply = await self._client.heartbeat(self._id, heartbeat, max(2.0, self._heartbeat_seconds))
            except ServiceAway as error:
                self._presence.note_away(str(error))
                continue
            except ServiceRefused as error:
                await self._refused(error)
                continue
            self._presence.note_back()
            self._book.renew(reply.renewed, sent_at)
            self._abandon(reply.lost, "they ran out")
            self._give_up(reply.cancelled_jobs)
            if reply.drain:
                self._leaving.set()

    async def _until_next_heartbeat(self) -> None:
        """A while; less when there is news, or when the service is away, so that its return is noticed soon."""
        if not self._presence.away:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._beat.wait(), self._heartbeat_seconds)
        self._beat.clear()
        if self._presence.away:
            await asyncio.sleep(min(self._heartbeat_seconds, random.uniform(0.5, 2.0)))

    async def _news(self) -> None:
        await listen(
            self._claims,
            lambda news: self._client.news(self._id, news),
            lambda: sorted({*self._book.ids(), *self._outbox.leases()}),
            self._beat.set,
        )

    async def _adopt(self) -> None:
        await self._outbox.adopt(self._lease_seconds)

    async def _fence(self) -> None:
        """Stop calls of leases that could not be renewed before they run out, by the monotonic clock."""
        while True:
            deadline = self._book.next_deadline()
            now = time.monotonic()
            await asyncio.sleep(1.0 if deadline is None else min(max(deadline - now, 0.02), 1.0))
            self._stop_calls(self._book.drop_expired(time.monotonic()), "they could not be renewed in time")

    def _abandon(self, leases: list[int], why: str) -> None:
        self._stop_calls(self._book.drop(leases), why)

    def _stop_calls(self, dropped: list[Held], why: str) -> None:
        """Those that are answered need no stopping, and may be lost because the service has just taken the answers."""
        leases = [lease.id for lease in dropped if lease.open]
        if leases:
            log.warning("%d leases are lost: %s; their calls are stopped", len(leases), why)
            self._crew.drop(leases)

    def _give_up(self, jobs: list[str]) -> None:
        """Stop the calls of cancelled jobs and say so."""
        given_up = self._book.drop(self._book.of_jobs(jobs))
        self._crew.drop([lease.id for lease in given_up])
        self._return(given_up, "the job was cancelled")

    def _return(self, leases: list[Held], reason: str) -> None:
        for lease in leases:
            for report in lease.hand_backs(reason):
                self._outbox.add(report, self._id)

    # Probing

    async def _probe(self, order: ProbeOrder) -> None:
        report = await answer(order, self._targets, self._assets)
        with contextlib.suppress(ServiceRefused):
            await persist(lambda: self._client.answer_probe(self._id, order.id, report), self._presence.note_away)

    # Leaving

    async def _drain(self, claiming: list[asyncio.Task[None]]) -> None:
        """Hand back what was not started, let calls end within the grace period, report all, depart."""
        await loops.stop(claiming)
        log.info("draining: %d calls in flight", self._crew.in_flight)
        self._crew.hand_back("the worker drains")
        end = time.monotonic() + self._settings.grace_seconds
        while self._crew.held and time.monotonic() < end and not self._hurry:
            self._room.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._room.wait(), 0.1)
            self._crew.hand_back("the worker drains")
        await self._crew.stop("the worker leaves")
        try:
            async with asyncio.timeout(_DEPARTURE):
                await self._outbox.emptied()
                await self._client.depart(self._id, Departure())
        except (TimeoutError, ServiceAway, ServiceRefused) as error:
            log.warning("left without a farewell (%s); %d outcomes stay in the spool", error, self._outbox.unsent)
