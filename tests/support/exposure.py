"""What a fault may cost, counted at its moment: calls that were made and of which the service has no outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import asyncpg
import httpx

from service.db.engine import raw_dsn
from service.db.folder import PORT, SUPERUSER
from tests.support.audit import Fact, Key, prompts_of
from tests.support.cluster import Service
from tests.support.model_server import ModelServer
from tests.support.processes import FathomProcess

_HELD = """
select c.task, c.length, i from leases l join workers w on w.id = l.worker_id join jobs j on j.id = l.job_id
  join cells c on c.job_id = l.job_id and c.cell = l.cell, unnest(l.open) i
 where j.public_id = $1 and w.pid = $2
"""


async def exposed(
    service: Service, job: str, model: ModelServer, worker: FathomProcess, faultless: Mapping[Key, Fact]
) -> set[str]:
    """The prompts (as SHA-256) that a worker has asked, and of which the service has no outcome: calls in flight, and
    answers on their way. It must be stopped or cut off already, or more will follow."""
    await all_received(model)
    connection = await connect(service)
    try:
        held = [tuple(row) for row in await connection.fetch(_HELD, job, worker.pid)]
    finally:
        await connection.close()
    return {faultless[place].prompt_sha256 for place in held} & set(prompts_of(model.calls))


async def all_received(model: ModelServer) -> None:
    """Return when the model server has read what was sent before: it takes connections and requests in their order."""
    async with httpx.AsyncClient(timeout=60) as client:
        (await client.get(f"{model.address}/health")).raise_for_status()


async def connect(service: Service) -> asyncpg.Connection[Any]:
    """A connection to the service's database."""
    if service.database_url is not None:
        return await asyncpg.connect(raw_dsn(service.database_url))
    socket = service.data / "postgres" / "socket"
    return await asyncpg.connect(host=str(socket), port=PORT, user=SUPERUSER, database="postgres")
