"""Throughput through SSH against direct, with large prompts: `python -m perf.ssh`.

A real sshd on this machine, a model server that only waits, this process as the worker. Two ratios are printed: with a
server that takes `--latency` seconds a call (the aim: at least 0.85 of direct), and with one that takes no time at all,
which shows what the encryption costs when nothing else does.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import orjson
import uvloop

from tests.support.sshd import INSTALLED, MISSING, running_sshd
from workers.drivers.local import LocalDriver
from workers.drivers.ssh import open_driver

AIM = 0.85


@contextmanager
def model_server(latency: float) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, "-m", "perf.model_server", "--port", "0", "--latency", str(latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[1]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


async def calls_per_second(http: httpx.AsyncClient, url: str, body: bytes, connections: int, calls: int) -> float:
    """Calls a second with so many connections busy, each warmed up by one call."""
    left = iter(range(calls))

    async def ask() -> None:
        reply = await http.post(url, content=body, headers={"content-type": "application/json"}, timeout=300)
        reply.raise_for_status()

    async def lane() -> None:
        for _ in left:
            await ask()

    await asyncio.gather(*(ask() for _ in range(connections)))
    started, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(lane() for _ in range(connections)))
    took = time.perf_counter() - started
    size = calls * len(body) / 1e6
    print(
        f"{calls / took:8.1f} calls/s {size / took:8.1f} MB/s {(time.process_time() - cpu) / calls * 1e3:6.1f} ms CPU a call"
    )
    return calls / took


async def compare(arguments: argparse.Namespace, latency: float, folder: Path) -> float:
    """The ratio of SSH to direct at one latency: the median of `--rounds` pairs."""
    body = orjson.dumps({"messages": [{"role": "user", "content": "The grass is green. " * (arguments.size // 20)}]})
    ratios = []
    with running_sshd(folder) as box, model_server(latency) as base:
        driver = open_driver(box.driver())
        url = f"{base}/chat/completions"
        async with LocalDriver().http() as direct, driver.http() as through:
            for _ in range(arguments.rounds):
                print(f"  {'direct':8}", end="")
                plain = await calls_per_second(direct, url, body, arguments.connections, arguments.calls)
                print(f"  {'ssh':8}", end="")
                ratios.append(
                    await calls_per_second(through, url, body, arguments.connections, arguments.calls) / plain
                )
        await driver.aclose()
    return sorted(ratios)[len(ratios) // 2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=400_000, help="bytes of a prompt (400000)")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--calls", type=int, default=640, help="calls a measurement (640)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds the server takes (0.5)")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    arguments = parser.parse_args()
    if not INSTALLED:
        print(MISSING)
        return 2
    ratios = {}
    for latency in (arguments.latency, 0.0):
        rate = arguments.connections / latency * arguments.size / 4 if latency else None
        what = f"takes {latency} s a call, as if it read {rate / 1e6:.1f} M tokens/s" if rate else "takes no time"
        print(f"{arguments.connections} connections, prompts of {arguments.size / 1e3:.0f} kB, a server that {what}:")
        with tempfile.TemporaryDirectory(prefix="fathom-perf-") as folder:
            ratio = uvloop.run(compare(arguments, latency, Path(folder)))
        ratios[str(latency)] = round(ratio, 3)
        verdict = f"aim {AIM:.2f}: {'met' if ratio >= AIM else 'MISSED'}" if latency else "no aim: a bound"
        print(f"  ssh / direct = {ratio:.2f} ({verdict})")
    if arguments.json:
        print(orjson.dumps({"ssh_of_direct_by_latency": ratios, "aim": AIM}).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
