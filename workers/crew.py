"""The lanes of a worker: one a model, opened when its first lease comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

import orjson

from protocol.common import JsonObject
from protocol.workers import Lease, Outcome
from workers import memory
from workers.claims import Room
from workers.errors import CallError
from workers.jobs import JobShelf
from workers.lanes import Lane, Slots
from workers.limits import Controller
from workers.runner import Item, failure, items_of
from workers.settings import WorkerSettings
from workers.targets import Targets


class Crew:
    """Takes leases to the lane of their model. `on_outcome` gets every outcome; `on_room` is called when samples may be
    claimed again; `may_ask` tells whether a lease still holds. A model that was changed or probed anew gets a new lane;
    its old one ends with its last sample."""

    def __init__(
        self,
        settings: WorkerSettings,
        targets: Targets,
        shelf: JobShelf,
        on_outcome: Callable[[Item, Outcome], None],
        on_room: Callable[[], None],
        may_ask: Callable[[int], bool],
    ) -> None:
        self._settings, self._targets, self._shelf = settings, targets, shelf
        self._on_outcome, self._on_room, self._may_ask = on_outcome, on_room, may_ask
        self._slots = Slots(settings.ceiling)
        self._lanes: dict[str, Lane] = {}
        self._opening: dict[str, asyncio.Task[Lane]] = {}
        self._file = settings.data / "limits.json"
        self._memories = memory.load(self._file)

    def __bool__(self) -> bool:
        return bool(self._lanes)

    def add(self, lease: Lease) -> None:
        """Start on a lease whose job is on the shelf."""
        spec = self._shelf.spec(lease.job)
        facts = orjson.dumps(spec.model_facts, option=orjson.OPT_SORT_KEYS).decode()
        key = f"{spec.model_name}\0{spec.model.model_dump_json()}\0{facts}"
        lane = self._lanes.get(key)
        if lane is not None:
            lane.add(items_of(lease))
            return
        if key not in self._opening:
            self._opening[key] = asyncio.create_task(self._open(key, lease.job))
        self._opening[key].add_done_callback(lambda task: self._opened(task, lease))

    def rooms(self) -> list[Room]:
        return [lane.room() for lane in self._lanes.values()]

    @property
    def free(self) -> int:
        """Samples that the worker as a whole can take: what it runs at once, and twice as much ahead."""
        return 3 * self._settings.ceiling - self.held

    @property
    def held(self) -> int:
        return sum(lane.held for lane in self._lanes.values())

    @property
    def in_flight(self) -> int:
        return sum(lane.in_flight for lane in self._lanes.values())

    def states(self) -> dict[str, JsonObject]:
        """By model: its limit, what is in flight, and why the limit is what it is."""
        return {key.split("\0")[0]: _state(lane) for key, lane in self._lanes.items()}

    def drop(self, leases: Collection[int]) -> None:
        """Stop the calls of leases that are lost."""
        for lane in self._lanes.values():
            lane.drop(leases)

    def hand_back(self, reason: str) -> None:
        """Give back every sample that is not being asked."""
        for lane in self._lanes.values():
            lane.hand_back(reason)

    async def stop(self, reason: str) -> None:
        """Stop all calls and give their samples back."""
        for lane in self._lanes.values():
            await lane.stop(reason)

    def remember(self) -> None:
        """Keep the limits that were found for the next start."""
        if self._settings.concurrency is None and self._lanes:
            found = {key.split("\0")[0]: lane.controller.memory() for key, lane in self._lanes.items()}
            memory.save(self._file, found)

    async def _open(self, key: str, job: str) -> Lane:
        spec = self._shelf.spec(job)
        target = await self._targets.open(spec.model, spec.model_facts)
        fixed = self._settings.concurrency is not None
        controller = Controller(self._settings.ceiling, fixed=fixed, memory=self._memories.get(spec.model_name))
        lane = Lane(
            target,
            controller,
            self._slots,
            self._shelf,
            self._on_outcome,
            self._on_room,
            stream=self._settings.stream,
            may_ask=self._may_ask,
        )
        self._lanes = {other: kept for other, kept in self._lanes.items() if kept.held or not _same(other, key)}
        self._lanes[key] = lane
        return lane

    def _opened(self, task: asyncio.Task[Lane], lease: Lease) -> None:
        self._opening = {key: other for key, other in self._opening.items() if other is not task}
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            task.result().add(items_of(lease))
            return
        wrong = error if isinstance(error, CallError) else CallError("driver", f"{type(error).__name__}: {error}")
        for item in items_of(lease):
            self._on_outcome(item, failure(item, wrong))


def _same(one: str, other: str) -> bool:
    """Whether two keys are of the same model."""
    return one.split("\0")[0] == other.split("\0")[0]


def _state(lane: Lane) -> JsonObject:
    controller = lane.controller
    return {
        "limit": int(controller.limit),
        "in_flight": controller.in_flight,
        "tokens_in_flight": controller.tokens_in_flight,
        "reason": controller.reason,
    }
