"""How fast the queue is, what it costs, and whether that stays so.

python -m perf.queue                 everything, some minutes
python -m perf.queue --quick         smaller jobs and shorter runs
python -m perf.queue --json          as the last line, all figures as one JSON object

It starts an embedded Postgres of its own at default durability (fsync and synchronous_commit on). Figures of one run
compare with each other; a busy machine lowers them all.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import platformdirs
import uvloop

from perf import queue_http, queue_peers, queue_sql
from perf.queue_bench import server_folder, table
from service.db.embedded import EmbeddedPostgres
from service.db.engine import raw_dsn

SECTIONS = ("sql", "growth", "snapshot", "http", "peers")


@contextmanager
def server() -> Iterator[tuple[str, int]]:
    """URL and pid of an embedded server."""
    with (
        tempfile.TemporaryDirectory(prefix="fathom-perf-") as folder,
        EmbeddedPostgres(server_folder(Path(folder)), {"max_connections": "150"}) as running,
    ):
        assert running.pid is not None
        yield running.url, running.pid


async def peers(url: str, jobs: int) -> list[dict[str, Any]]:
    """What the other queues reach on the same server."""
    python = queue_peers.environment(Path(platformdirs.user_cache_dir("fathom")) / "perf-queue-peers")
    rows = []
    for name in queue_peers.PEERS:
        database = f"peer_{uuid4().hex[:10]}"
        admin = await asyncpg.connect(raw_dsn(url))
        await admin.execute(f"create database {database}")
        dsn = raw_dsn(url).replace("/postgres?", f"/{database}?")
        # procrastinate is much slower: fewer jobs measure it as well
        rows.append(queue_peers.measure(python, name, dsn, jobs if name == "pgqueuer" else jobs // 10))
        await admin.execute(f"drop database {database} (force)")
        await admin.close()
    return rows


async def run(url: str, pid: int, sections: list[str], quick: bool) -> dict[str, Any]:
    """All figures by section."""
    seconds = 2.0 if quick else 6.0
    sizes = [10_000, 1_000_000] if quick else [10_000, 1_000_000, 10_000_000]
    found: dict[str, Any] = {}
    if "sql" in sections:
        found["sql"] = await queue_sql.by_size_and_workers(url, pid, sizes, [1, 8, 64], seconds)
    if "growth" in sections:
        found["growth"] = await queue_sql.growth(url, pid, 50_000 if quick else 1_000_000)
    if "snapshot" in sections:
        found["snapshot"] = await queue_sql.old_snapshot(url, pid, 40_000 if quick else 400_000)
    if "http" in sections:
        found["http"] = await queue_http.measure(url, [1, 8, 64], seconds, 10_000_000)
    if "peers" in sections:
        found["peers"] = await peers(url, 20_000 if quick else 100_000)
    found["ratios"] = ratios(found)
    return found


def ratios(found: dict[str, Any]) -> dict[str, float]:
    """The figures that the project promises."""
    result: dict[str, float] = {}
    best = 0
    if rows := found.get("sql"):
        best = max(row["samples_per_second"] for row in rows)
        result["sql_samples_per_second"] = best
        for workers in (1, 8, 64):
            by_size = {row["job_size"]: row["claim_p50_ms"] for row in rows if row["workers"] == workers}
            result[f"claim_p50_largest_to_smallest_job_{workers}_workers"] = round(
                by_size[max(by_size)] / by_size[min(by_size)], 2
            )
    if rows := found.get("http"):
        result["http_samples_per_second"] = max(row["samples_per_second"] for row in rows)
    for row in found.get("peers", []):
        if best:
            result[f"to_{row['name']}"] = round(best / row["jobs_per_second"], 1)
    if snapshot := found.get("snapshot"):
        result["claim_p50_last_to_first_block_under_old_snapshot"] = snapshot["held_growth"]
    return result


def show(found: dict[str, Any]) -> None:
    """Tables."""
    for name, title in (
        ("sql", f"Claims and reports in SQL, batches of {queue_sql.BATCH}, results stored"),
        ("http", "The same through HTTP, one service process"),
        ("peers", "Other queues on the same server: claim, nothing, done; no result stored"),
    ):
        if rows := found.get(name):
            print(table(title, list(rows[0]), [list(row.values()) for row in rows]))
    if growth := found.get("growth"):
        title = f"Heap and indexes in MB before and after {growth['samples']:,} results; dead rows after a vacuum"
        dead = growth["dead_rows_after_vacuum"]
        sizes = growth["tables"].items()
        print(
            table(
                title,
                ["table", "before", "after", "dead"],
                [[n, s["before_mb"], s["after_mb"], dead.get(n)] for n, s in sizes],
            )
        )
    if snapshot := found.get("snapshot"):
        title = f"Claim p50 in ms, blocks of {snapshot['samples_per_block']:,} samples"
        rows = [[key.split("_")[0], *snapshot[f"{key}"]] for key in ("free_claim_p50_ms", "held_claim_p50_ms")]
        print(table(title, ["old snapshot", *range(1, len(rows[0]))], rows))
    print(table("Ratios and promised figures", ["figure", "value"], [list(item) for item in found["ratios"].items()]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="may be given several times")
    options = parser.parse_args()
    with server() as (url, pid):
        found = uvloop.run(run(url, pid, options.only or list(SECTIONS), options.quick))
    show(found)
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
