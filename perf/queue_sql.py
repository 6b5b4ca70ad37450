"""The queue in SQL: claims and reports of 64 samples with stored results, by workers and job size; growth; old snapshots."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from perf.queue_bench import ANSWER, Latencies, add_job, add_model, add_workers, fresh_database, server_cpu
from protocol.jobs import Status
from protocol.workers import Measured, ResultReport
from service.db.engine import Database
from service.queue import leasing, reports
from service.queue.leasing import Grant

BATCH = 64
TABLES = ("ranges", "leases", "retries", "deltas", "tallies", "jobs", "results")
_MEASURED = Measured(server_prompt_tokens=4101, completion_tokens=24, ttft_ms=200, duration_ms=900)


@dataclass(slots=True)
class Load:
    """Workers that claim, make results and report them, until a time or a number of samples."""

    db: Database
    public: dict[int, str]
    until: float
    limit: int
    done: int = 0
    claims: Latencies = field(default_factory=Latencies)
    reports: Latencies = field(default_factory=Latencies)
    refill: Callable[[], Awaitable[None]] | None = None
    filling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def worker(self, worker: int) -> None:
        async with self.db.pool.acquire() as connection:
            while time.perf_counter() < self.until and self.done < self.limit:
                started = time.perf_counter()
                grants = await leasing.claim(connection, worker, BATCH, 8, 60)
                if not grants:
                    await self._more()
                    continue
                self.claims(started)
                if any(grant.job not in self.public for grant in grants):
                    async with self.filling:  # a job is committed a moment before its name is known here
                        pass
                outcomes = [outcome for grant in grants for outcome in made(self.public[grant.job], grant)]
                started = time.perf_counter()
                verdicts = await reports.report(connection, worker, outcomes, {p: j for j, p in self.public.items()})
                self.reports(started)
                assert all(verdict.verdict == "stored" for verdict in verdicts)
                self.done += len(outcomes)

    async def _more(self) -> None:
        """Another job when the last is used up."""
        if self.refill is None:
            self.limit = 0
        elif not self.filling.locked():
            async with self.filling:
                await self.refill()
        else:
            async with self.filling:
                pass


_SAME = {
    "kind": "result", "status": Status.OK, "score": 1.0, "answer": ANSWER, "thinking": None, "expected": ["4812067"],
    "prompt_sha256": "ab" * 32, "prompt_tokens": 4096, "finish_reason": "stop", "error": None, "measured": _MEASURED,
    "detail": {"depth": 50},
}  # fmt: skip


def made(job: str, grant: Grant) -> list[ResultReport]:
    """Results as they come from the API, already checked. Made without pydantic's help: the load must cost less than
    what it is to measure."""
    outcomes = []
    for index, generation, attempt in grant.samples:
        outcome = ResultReport.__new__(ResultReport)
        place = {"lease": grant.lease, "job": job, "cell": grant.cell, "index": index}
        object.__setattr__(outcome, "__dict__", {**_SAME, **place, "generation": generation, "attempt": attempt})
        outcomes.append(outcome)
    return outcomes


async def drive(
    db: Database,
    model: int,
    size: int,
    workers: list[int],
    seconds: float,
    limit: int,
    postmaster: int,
    once: bool = False,
) -> dict[str, Any]:
    """Let the workers work on jobs of that size, one after the other (or on what there is: `once`); what it came to."""
    load = Load(db, {row[0]: row[1] for row in await db.pool.fetch("select id, public_id from jobs")}, 0, limit)
    submits = Latencies()

    async def refill() -> None:
        started = time.perf_counter()
        job, public = await add_job(db, model, size)
        submits(started)
        load.public[job] = public

    if not once:
        load.refill = refill
        await refill()
    python, postgres, started = time.process_time(), server_cpu(postmaster), time.perf_counter()
    load.until = started + seconds
    await asyncio.gather(*(load.worker(worker) for worker in workers))
    took = time.perf_counter() - started
    return {
        "workers": len(workers),
        "submit_ms": submits.at(0),
        "samples_per_second": round(load.done / took),
        "claim_p50_ms": load.claims.at(0.5),
        "claim_p99_ms": load.claims.at(0.99),
        "report_p50_ms": load.reports.at(0.5),
        "report_p99_ms": load.reports.at(0.99),
        "python_us": round((time.process_time() - python) / max(1, load.done) * 1e6, 1),
        "postgres_us": round((server_cpu(postmaster) - postgres) / max(1, load.done) * 1e6, 1),
    }


async def by_size_and_workers(
    server: str, postmaster: int, sizes: list[int], counts: list[int], seconds: float
) -> list[dict[str, Any]]:
    """Throughput and latency for each job size and number of workers."""
    rows = []
    for size in sizes:
        for count in counts:
            async with fresh_database(server, max(counts) + 2) as db:
                model, workers = await add_model(db), await add_workers(db, count)
                await drive(db, model, size, workers, seconds / 4, size, postmaster)  # connections and plans
                rows.append({"job_size": size, **await drive(db, model, size, workers, seconds, 10**9, postmaster)})
    return rows


async def growth(server: str, postmaster: int, samples: int) -> dict[str, Any]:
    """Sizes before and after a whole job with folding, in MB; rows that are dead after a vacuum."""
    async with fresh_database(server, 6) as db:
        model = await add_model(db)
        await add_job(db, model, samples)
        before = await sizes_of(db)
        folding = asyncio.create_task(_fold(db))
        found = await drive(db, model, 0, await add_workers(db, 4), 36_000, samples, postmaster, once=True)
        folding.cancel()
        after = await sizes_of(db)
        for name in TABLES:
            await db.pool.execute(f"vacuum analyze {name}")
        await db.pool.execute("select pg_stat_clear_snapshot()")
        dead = await db.pool.fetch(
            "select relname, n_dead_tup from pg_stat_user_tables where relname = any($1)", list(TABLES)
        )
        hot = [name for name in TABLES if name not in ("results", "jobs")]
        return {
            "samples": samples,
            "samples_per_second": found["samples_per_second"],
            "tables": {name: {"before_mb": before[name], "after_mb": after[name]} for name in TABLES},
            "hot_tables_after_mb": round(sum(after[name][0] + after[name][1] for name in hot), 2),
            "dead_rows_after_vacuum": {row["relname"]: row["n_dead_tup"] for row in dead},
        }


async def _fold(db: Database) -> None:
    while True:
        await asyncio.sleep(1)
        await db.pool.fetch("select * from queue_fold()")
        await db.pool.fetchval("select queue_raise_floors()")


async def sizes_of(db: Database) -> dict[str, list[float]]:
    """Heap with TOAST, and indexes, in MB."""
    rows = await db.pool.fetch(
        "select relname, pg_table_size(oid) as heap, pg_indexes_size(oid) as indexes from pg_class where relname = any($1)",
        list(TABLES),
    )
    return {row["relname"]: [round(row["heap"] / 1e6, 2), round(row["indexes"] / 1e6, 2)] for row in rows}


async def old_snapshot(server: str, postmaster: int, samples: int, blocks: int = 4) -> dict[str, Any]:
    """Claim latency, block after block of a job, without and with a transaction that holds a snapshot all the time."""
    found: dict[str, Any] = {"samples_per_block": samples // blocks}
    for held in (False, True):
        async with fresh_database(server, 6) as db:
            model = await add_model(db)
            await add_job(db, model, samples)
            workers = await add_workers(db, 1)
            holder = await db.pool.acquire()
            transaction = holder.transaction(isolation="repeatable_read", readonly=True)
            if held:
                await transaction.start()
                await holder.fetchval("select count(*) from leases")
            folding, p50 = asyncio.create_task(_fold(db)), []
            for _ in range(blocks):
                row = await drive(db, model, 0, workers, 36_000, samples // blocks, postmaster, once=True)
                p50.append(row["claim_p50_ms"])
            folding.cancel()
            if held:
                await transaction.rollback()
            await db.pool.release(holder)
            found["held_claim_p50_ms" if held else "free_claim_p50_ms"] = p50
    found["held_growth"] = round(found["held_claim_p50_ms"][-1] / found["held_claim_p50_ms"][0], 2)
    return found
