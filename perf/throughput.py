"""The full path at speed: Postgres, service, workers and a quick OpenAI-compatible server, in processes of their own.

python -m perf.throughput [--quick] [--peers] [--soak] [--json]

Rows: small prompts at 100 connections with 1 and 2 workers; the same with people watching; RULER prompts, generation
included; 400 kB prompts at 50 connections; 2 s latency at 64 connections. `--peers` runs inspect-ai (and lm-eval) on the
same server, each in an environment of its own that is made on the spot. `--soak` adds 10,000 prompts of 500 kB.
Every result counted is a durable row in Postgres at its default settings.
"""

from __future__ import annotations

import argparse
import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from perf.machine import Machine, machine
from perf.peers import Peer, inspect_ai, lm_eval


@dataclass
class Row:
    """One measurement. CPU is in ms a sample; `share` is the part of the ideal speed that was reached: all samples in as
    many waves as the connections need, each of the server's latency, from the first claim to the last durable result."""

    name: str
    samples: int
    connections: int
    per_second: float
    ideal_per_second: float
    cpu_ms: dict[str, float]
    worker_mb: list[float]
    worker_mb_peak: list[float]
    mean: float | None
    problems: dict[str, int] = field(default_factory=dict)

    @property
    def share(self) -> float:
        return self.per_second / self.ideal_per_second


def measure(
    on: Machine,
    name: str,
    model: str,
    latency: float,
    connections: int,
    options: dict[str, Any],
    benchmark: str = "plain",
) -> Row:
    """Run one job and say what it took."""
    job, seconds, cpu = on.run(benchmark, model, options)
    samples, use = job.counts.planned, on.use()
    problems = {status: count for status, count in job.counts.by_status.items() if status != "ok"}
    return Row(
        name,
        samples,
        connections,
        samples / seconds,
        samples / (math.ceil(samples / connections) * latency),
        {part: round(1000 * used / samples, 3) for part, used in cpu.items()},
        [round(megabytes, 1) for megabytes in use.rss],
        [round(megabytes, 1) for megabytes in use.peak],
        job.mean,
        problems,
    )


@contextmanager
def watched(on: Machine, people: int = 3) -> Iterator[None]:
    """People who look at the jobs all the time: event streams, and pages and lists asked for every second."""
    stop = threading.Event()
    headers = {"authorization": f"Bearer {on.up.token}"}

    def look() -> None:
        with httpx.Client(base_url=on.up.server, headers=headers, timeout=30) as client:
            while not stop.is_set():
                for job in client.get("/v1/jobs").json()["items"][:1]:
                    client.get(f"/v1/jobs/{job['id']}")
                    client.get(f"/v1/jobs/{job['id']}/summary")
                    client.get(f"/jobs/{job['id']}")
                stop.wait(1.0)

    def follow() -> None:
        with httpx.Client(base_url=on.up.server, headers=headers, timeout=30) as client:
            while not stop.is_set():
                jobs = client.get("/v1/jobs").json()["items"]
                if jobs:
                    with client.stream("GET", f"/v1/jobs/{jobs[0]['id']}/events") as events:
                        for _ in events.iter_lines():
                            if stop.is_set():
                                return
                stop.wait(0.1)

    threads = [threading.Thread(target=target, daemon=True) for target in (look, follow) for _ in range(people)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()


def run(on: Machine, quick: bool, soak: bool) -> list[Row]:
    """All rows."""
    scale = 4 if quick else 1
    on.add_model("ms50", 0.05)
    on.add_model("s2", 2.0)
    small = {"samples": 20_000 // scale, "characters": 2000}
    rows = []
    on.set_workers(1, 100)
    on.run("plain", "ms50", {"samples": 500})  # connections, caches
    rows.append(measure(on, "small prompts, 1 worker", "ms50", 0.05, 100, small))
    on.set_workers(2, 50)
    on.run("plain", "ms50", {"samples": 500})
    rows.append(measure(on, "small prompts, 2 workers", "ms50", 0.05, 100, small))
    with watched(on):
        rows.append(measure(on, "the same, watched by 3 people", "ms50", 0.05, 100, small))
    ruler = {"tasks": ["niah_single_1"], "lengths": [1024], "samples": 4000 // scale}
    rows.append(measure(on, "RULER, 1,024 tokens", "ms50", 0.05, 100, ruler, "ruler"))
    on.set_workers(1, 50)
    large = {"samples": 2000 // scale, "characters": 400_000}
    rows.append(measure(on, "400 kB prompts, 1 worker", "ms50", 0.05, 50, large))
    if soak:
        rows.append(measure(on, "500 kB prompts", "ms50", 0.05, 50, {"samples": 10_000, "characters": 500_000}))
    on.set_workers(1, 64)
    slow = {"samples": 64 * (30 // scale), "characters": 2000}
    rows.append(measure(on, "2 s latency, 64 connections", "s2", 2.0, 64, slow))
    return rows


def figures(rows: list[Row], peers: list[Peer]) -> dict[str, float]:
    """The figures and ratios by name."""
    by_name = {row.name: row for row in rows}
    two, watching = by_name["small prompts, 2 workers"], by_name["the same, watched by 3 people"]
    found = {
        "results_per_second": two.per_second,
        "worker_cpu_ms": two.cpu_ms["worker"],
        "worker_cpu_ms_1_worker": by_name["small prompts, 1 worker"].cpu_ms["worker"],
        "worker_cpu_ms_400_kb": by_name["400 kB prompts, 1 worker"].cpu_ms["worker"],
        "utilisation_2_s": by_name["2 s latency, 64 connections"].share,
        "cost_of_watching": 1 - watching.per_second / two.per_second,
    }
    for peer in peers:
        if peer.per_second:
            found[f"ratio_to_{peer.name}"] = two.per_second / peer.per_second
    return {name: round(value, 4) for name, value in found.items()}


def show(rows: list[Row], peers: list[Peer], found: dict[str, float]) -> None:
    table = Table(title="Full path, durable results")
    for column in ("", "samples", "conn.", "results/s", "of ideal", "CPU ms a sample", "worker MB (peak)", "mean"):
        table.add_column(column, justify="left" if not column else "right")
    for row in rows:
        cpu = ", ".join(f"{part} {used:.2f}" for part, used in row.cpu_ms.items())
        pairs = zip(row.worker_mb, row.worker_mb_peak, strict=True)
        memory = " ".join(f"{megabytes:.0f} ({peak:.0f})" for megabytes, peak in pairs)
        mean = "–" if row.mean is None else f"{row.mean:.3f}"
        speed, share = f"{row.per_second:,.0f}", f"{row.share:.1%}"
        name = f"{row.name} {row.problems or ''}"
        table.add_row(name, f"{row.samples:,}", str(row.connections), speed, share, cpu, memory, mean)
    for peer in peers:
        speed = f"{peer.per_second:,.0f}" if peer.per_second else peer.note
        table.add_row(
            f"{peer.name} {peer.version}", f"{peer.samples:,}", "100", speed, "", f"{peer.cpu_ms:.2f}", "", ""
        )
    console = Console(width=180)
    console.print(table)
    for name, value in found.items():
        console.print(f"{name:32} {value:g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a quarter of the samples")
    parser.add_argument("--soak", action="store_true", help="also 10,000 prompts of 500 kB")
    parser.add_argument("--peers", action="store_true", help="also inspect-ai and lm-eval on the same server")
    parser.add_argument("--json", action="store_true", help="print a JSON object on the last line")
    arguments = parser.parse_args()
    with machine() as on:
        rows = run(on, arguments.quick, arguments.soak)
        peers: list[Peer] = []
        if arguments.peers:
            base_url = on.client.model("ms50").spec.base_url or ""
            peers = [inspect_ai(base_url), lm_eval(base_url)]
    found = figures(rows, peers)
    show(rows, peers, found)
    if arguments.json:
        listed = [{**asdict(row), "share": row.share} for row in rows]
        print(json.dumps({"figures": found, "rows": listed, "peers": [asdict(peer) for peer in peers]}))


if __name__ == "__main__":
    main()
