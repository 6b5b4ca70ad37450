"""Writes down a database with a job in flight, for the tests that later versions can go on with it.

python -m tests.support.schema_dump tests/faults/schemas/0001.sql

Run it with the last version of a schema, before the next revision is added. What it writes is plain SQL.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import asyncpg

from service.db.binaries import find_binaries
from service.db.folder import PORT, SUPERUSER
from tests.support.cluster import Service, Workers, add_model, half_blind, submit
from tests.support.fathom_up import new_home
from tests.support.model_server import ModelServer, Refuse, Seen
from tests.support.processes import quietly
from tests.support.small_tokenizer import count
from tests.support.waiting import until

SAMPLES, ANSWERED = 12, 9
"""Samples at each length, and how many calls are answered before everything stops."""
PRIVATE = ("tokens", "idempotency_keys")


def dump(socket: Path) -> str:
    """The database as SQL, without what only `psql` understands."""
    command = [str(find_binaries().program("pg_dump")), "-h", str(socket), "-p", str(PORT), "-U", SUPERUSER]
    command += ["--inserts", "--rows-per-insert=100", "--no-owner", "--no-privileges", "--no-comments"]
    command += [f"--exclude-table-data={table}" for table in PRIVATE]
    said = subprocess.run([*command, "postgres"], check=True, capture_output=True, text=True).stdout
    return "\n".join(line for line in said.splitlines() if line.strip() and not line.startswith(("--", "\\"))) + "\n"


async def anonymise(socket: Path) -> None:
    connection = await asyncpg.connect(host=str(socket), port=PORT, user=SUPERUSER, database="postgres")
    await connection.execute("update workers set name = 'w', host = 'h', pid = 1")
    await connection.close()


async def make(path: Path) -> None:
    """Run a job half way: some results, failures that wait for another try, and leases of a worker that was killed."""

    def script(seen: Seen) -> Refuse | None:
        return Refuse(500, {"error": {"message": "boom"}}, {"Retry-After": "5"}) if seen.number % 4 == 0 else None

    with new_home() as home:
        service = Service(home, environment={"FATHOM_LEASE_SECONDS": "600", "FATHOM_HEARTBEAT_SECONDS": "60"})
        workers = Workers(home, service)
        try:
            await service.restart()
            async with ModelServer(answer=half_blind, count=count) as model, service.client() as client:
                [worker] = workers.start(concurrency=3)
                await add_model(client, "m", model.base_url)
                model.script, model.started = script, 0
                model.latency = 0.3
                job = await submit(client, "m", SAMPLES)
                await until(lambda: model.started >= ANSWERED, 60)
                model.latency, model.script = 3600.0, lambda seen: None
                begun = model.started
                await until(lambda: model.started >= begun + 3 and model.in_flight == 3, 60)
                await quietly(worker)
                counts = (await client.job(job.id)).counts
                await anonymise(service.data / "postgres" / "socket")
                path.write_text(dump(service.data / "postgres" / "socket"))
                print(f"{path}: {counts}")
        finally:
            await asyncio.to_thread(workers.stop)
            await asyncio.to_thread(service.stop)


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1])))
