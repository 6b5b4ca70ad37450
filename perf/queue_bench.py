"""What the programs that measure the queue share: a database with a model, a job and workers, and what things cost."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import asyncpg
import psutil

from benchmarks.base import Cell
from service.db import migrate
from service.db.engine import Database, connect, raw_dsn
from service.queue import control

ANSWER = "The special magic number for lucky-ocean mentioned in the text is 4812067. " * 3
SPEC = {"name": "m", "api": "openai-chat", "base_url": "http://127.0.0.1:9/v1"}


@dataclass(slots=True)
class Latencies:
    """Seconds of calls; figures in milliseconds."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, started: float) -> None:
        self.seconds.append(time.perf_counter() - started)

    def at(self, quantile: float) -> float:
        """The value at or above which the share 1 - quantile of all calls lies."""
        if not self.seconds:
            return float("nan")
        ordered = sorted(self.seconds)
        return round(ordered[min(len(ordered) - 1, int(quantile * len(ordered)))] * 1000, 3)


def server_cpu(postmaster: int) -> float:
    """CPU seconds that a Postgres server and its backends have used, ended ones included."""
    parent = psutil.Process(postmaster)
    used = parent.cpu_times()
    total = used.user + used.system + used.children_user + used.children_system
    for child in parent.children():
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return float(total)


@asynccontextmanager
async def fresh_database(server: str, connections: int) -> AsyncIterator[Database]:
    """A migrated database of its own on the server, dropped afterwards."""
    name = f"bench_{uuid4().hex[:10]}"
    admin = await asyncpg.connect(raw_dsn(server))
    await admin.execute(f"create database {name}")
    url = server.replace("/postgres?", f"/{name}?")
    await migrate.upgrade(url)
    db = await connect(url, connections)
    try:
        yield db
    finally:
        await db.close()
        await admin.execute(f"drop database {name} (force)")
        await admin.close()


async def add_model(db: Database) -> int:
    found: int = await db.pool.fetchval(
        "insert into models(name, spec, max_concurrency) values ('m', $1, 10000000) returning id", SPEC
    )
    return found


async def add_job(db: Database, model: int, samples: int, cells: int = 100) -> tuple[int, str]:
    """Id and public id of a new job."""
    job = control.NewJob(
        benchmark="ruler",
        benchmark_version="1",
        model_id=model,
        model_spec=SPEC,
        options={},
        cells=[Cell("niah", 4096 + n, samples // cells) for n in range(cells)],
    )
    async with db.begin() as connection:
        return await control.submit(connection, job)


async def add_workers(db: Database, count: int) -> list[int]:
    rows = await db.pool.fetch(
        "insert into workers(boot, name, host, pid, version, concurrency)"
        " select gen_random_uuid(), 'w' || g, 'h', g, '0', 64 from generate_series(1, $1) g returning id",
        count,
    )
    return [row[0] for row in rows]


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Plain text, columns aligned to the right."""
    text = [[str(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(len(row[i]) for row in text) for i in range(len(columns))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in text]
    return "\n".join([title, lines[0], "-" * len(lines[0]), *lines[1:], ""])


def server_folder(base: Path) -> Path:
    """A folder for an embedded server that its account can enter."""
    base.chmod(0o755)
    return base / "data"
