"""Orders to probe a model, handed to a worker that offers what the model needs."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.models import ModelRequest, Probe
from protocol.workers import ProbeOrder
from service.queue.leasing import Connection

_OPEN = "answered_at is null and (taken_at is null or taken_at < clock_timestamp() - interval '45 seconds')"
_TAKE = f"""
with taken as (
  update probe_orders set worker_id = $1, taken_at = clock_timestamp()
   where id = any(array(
     select p.id from probe_orders p join models m on m.id = p.model_id
      where {_OPEN} and $2::jsonb @> m.labels order by p.id limit 4 for update of p skip locked))
  returning id, model_id)
select t.id, m.name, m.spec, m.tokenizer_sha256 from taken t join models m on m.id = t.model_id order by t.id
"""
_ANSWER = """
with answered as (
  update probe_orders set report = $3, answered_at = clock_timestamp(), worker_id = $1
   where id = $2 and answered_at is null returning model_id)
update models set probe = $3, circuit_until = case when $4 and circuit = 'open' then clock_timestamp() else circuit_until end
 where id = (select model_id from answered)
"""


async def ordered(connection: Connection) -> bool:
    """Whether an order waits for a worker; one that a worker took and did not answer for 45 s waits again."""
    return bool(await connection.fetchval(f"select exists(select 1 from probe_orders where {_OPEN})"))


async def take(connection: Connection, worker: int, labels: Mapping[str, str]) -> list[ProbeOrder]:
    """Orders for a worker with these labels, now its own."""
    rows = await connection.fetch(_TAKE, worker, dict(labels))
    return [
        ProbeOrder(id=number, model_name=name, model=ModelRequest.model_validate(spec), tokenizer_sha256=sha256)
        for number, name, spec, sha256 in rows
    ]


async def answer(connection: Connection, worker: int, order: int, probe: Probe) -> bool:
    """Store what a probe found, with the model too. A second answer changes nothing; false when there is no such order.

    A model that answers a probe may be tried again at once, if its circuit is open.
    """
    if not await connection.fetchval("select exists(select 1 from probe_orders where id = $1)", order):
        return False
    await connection.fetch(_ANSWER, worker, order, probe.model_dump(mode="json"), probe.ok)
    return True
