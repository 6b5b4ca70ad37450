"""The same work through general job queues: claim, do nothing, mark as done; neither of them stores a result.

python perf/queue_peers.py NAME DSN JOBS        in the peers' own environment; prints one JSON object
"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

PEERS = ("pgqueuer", "procrastinate")
_PACKAGES = ("pgqueuer==1.6.0", "procrastinate==3.10.0", "psycopg[binary,pool]==3.*", "asyncpg==0.*", "uvloop==0.*")


def environment(folder: Path) -> Path:
    """The interpreter of the peers' environment, made at the first use."""
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *_PACKAGES], check=True
        )
        (folder / "complete").touch()
    return python


def measure(python: Path, name: str, dsn: str, jobs: int) -> dict[str, Any]:
    """Jobs a second of the best of the peer's settings tried here."""
    done = subprocess.run([python, "-I", __file__, name, dsn, str(jobs)], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


async def _pgqueuer(dsn: str, jobs: int) -> float:
    import asyncpg
    from pgqueuer import PgQueuer, Queries
    from pgqueuer.db import AsyncpgDriver
    from pgqueuer.models import Job
    from pgqueuer.types import QueueExecutionMode

    first = await asyncpg.connect(dsn)
    queries = Queries(AsyncpgDriver(first))
    await queries.install()
    for _ in range(0, jobs, 5000):
        n = min(5000, jobs)
        await queries.enqueue(["noop"] * n, [None] * n, [0] * n)
    await first.execute("analyze")

    async def drain() -> None:
        connection = await asyncpg.connect(dsn)
        queue = PgQueuer(AsyncpgDriver(connection))

        @queue.entrypoint("noop")
        async def noop(job: Job) -> None: ...

        await queue.qm.run(batch_size=64, mode=QueueExecutionMode.drain)
        await connection.close()

    started = time.perf_counter()
    await asyncio.gather(*(drain() for _ in range(4)))
    took = time.perf_counter() - started
    await first.close()
    return took


async def _procrastinate(dsn: str, jobs: int) -> float:
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=dsn, min_size=10, max_size=10))

    @app.task(queue="q")
    async def noop(i: int) -> None: ...

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for start in range(0, jobs, 5000):
            await noop.batch_defer_async(*[{"i": i} for i in range(start, min(start + 5000, jobs))])
        started = time.perf_counter()
        await asyncio.gather(
            *(
                app.run_worker_async(
                    queues=["q"],
                    concurrency=10,
                    wait=False,
                    listen_notify=False,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    name=f"w{n}",
                )
                for n in range(8)
            )
        )
        return time.perf_counter() - started


def _main() -> None:
    import uvloop

    logging.disable(logging.CRITICAL)
    name, dsn, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    run = {"pgqueuer": _pgqueuer, "procrastinate": _procrastinate}[name]
    cpu = time.process_time()
    took = uvloop.run(run(dsn, jobs))
    cost = (time.process_time() - cpu) / jobs * 1e6
    print(json.dumps({"name": name, "jobs": jobs, "jobs_per_second": round(jobs / took), "python_us": round(cost, 1)}))


if __name__ == "__main__":
    _main()
