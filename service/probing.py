"""Probes: only a worker reaches a model's machine, so the service orders a probe and waits for its report."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from protocol.models import Model, Probe
from service.errors import Conflict, NotFound, Unavailable
from service.notifications import PROBE, Notifications

_LOOK_EVERY = 0.2


class NoWorker(Conflict):
    """Nobody is there to make the probe."""

    title, kind = "No worker", "urn:fathom:no-worker"


async def missing_worker(connection: AsyncConnection, labels: dict[str, str]) -> str | None:
    """Why no connected worker can run a model with these labels, or None when one can."""
    rows = await connection.execute(text("SELECT labels FROM workers WHERE state = 'up'"))
    offered: list[dict[str, Any]] = [row.labels for row in rows]
    if not offered:
        return "no worker is connected; start one with `fathom worker`"
    if any(labels.items() <= have.items() for have in offered):
        return None
    wanted = ", ".join(f"{k}={v}" for k, v in labels.items())
    return f"no connected worker has the labels {wanted}; start one with `fathom worker --label …`"


async def probe(engine: AsyncEngine, notifications: Notifications, model: Model, wait: float) -> Probe:
    """Have a worker probe the model; waits up to `wait` seconds. Raises NoWorker, Unavailable, NotFound."""
    async with engine.begin() as connection:
        if why := await missing_worker(connection, model.spec.labels):
            raise NoWorker(f"model {model.name!r} cannot be probed: {why}")
        inserted = await connection.execute(
            text("INSERT INTO probe_orders (model_id) SELECT id FROM models WHERE name = :name RETURNING id"),
            {"name": model.name},
        )
        order = inserted.scalar_one_or_none()
    if order is None:
        raise NotFound(f"no model {model.name!r}")
    notifications.tell(PROBE)
    deadline = time.monotonic() + wait
    while time.monotonic() < deadline:
        await asyncio.sleep(_LOOK_EVERY)
        async with engine.connect() as connection:
            row = (await connection.execute(text("SELECT * FROM probe_orders WHERE id = :id"), {"id": order})).first()
        if row is None:
            raise NotFound(f"model {model.name!r} was removed while it was probed")
        if row.report is not None:
            return Probe.model_validate(row.report)
    async with engine.begin() as connection:  # nobody should start on it when nobody waits
        await connection.execute(
            text("DELETE FROM probe_orders WHERE id = :id AND taken_at IS NULL AND answered_at IS NULL"), {"id": order}
        )
    taken = "a worker took it and has not answered" if row is not None and row.taken_at else "no worker took it"
    raise Unavailable(f"the probe of model {model.name!r} has no answer after {wait:.0f} s: {taken}")
