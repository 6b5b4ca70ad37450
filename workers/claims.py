"""What to claim next. Pure functions of the room that lanes have.

Two claims may be under way at once: a *refill* for the models whose lanes have room, and, while others are full, a
*lookout* for work on any other model. A long poll is never cancelled, because its leases would be lost until they run out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

POLL_SECONDS, SHARED_POLL_SECONDS = 20.0, 1.0
"""How long a claim may wait: when nobody else waits for room, and when a full lane may get room meanwhile."""
MOST = 2000
"""Samples a claim asks for at most."""


@dataclass(frozen=True, slots=True)
class Room:
    """A lane: samples it can take now, and below how many a claim is not worth it."""

    model: str
    room: int
    worthwhile: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A claim to make."""

    want: int
    avoid: tuple[str, ...]
    wait_seconds: float


def refill(rooms: Sequence[Room], free: int) -> Plan | None:
    """The claim for lanes with room; `free` is what the worker as a whole can take. None when none is worth it."""
    takers = [room for room in rooms if room.room >= max(1, room.worthwhile)]
    want = min(free, max((room.room for room in takers), default=0), MOST)
    if want <= 0:
        return None
    avoid = _full(rooms)
    return Plan(want, avoid, SHARED_POLL_SECONDS if avoid else POLL_SECONDS)


def lookout(rooms: Sequence[Room], free: int, start: int) -> Plan | None:
    """The claim for models without a lane; `start` is how many samples of an unknown model are taken at first."""
    avoid = _full(rooms)
    if rooms and not avoid:  # the refill asks for any model
        return None
    want = min(free, start, MOST)
    return Plan(want, tuple(sorted({room.model for room in rooms})), POLL_SECONDS) if want > 0 else None


def _full(rooms: Sequence[Room]) -> tuple[str, ...]:
    with_room = {room.model for room in rooms if room.room >= max(1, room.worthwhile)}
    return tuple(sorted({room.model for room in rooms} - with_room))
