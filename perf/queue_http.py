"""The queue through HTTP: one real service process, workers in a process of their own, batches of 64 samples.

python -m perf.queue_http URL TOKEN WORKERS SECONDS        the workers' side; prints one JSON object
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import aiohttp
import orjson
import psutil
import uvloop

from perf.queue_bench import ANSWER, Latencies, add_job, add_model, fresh_database
from service import auth

BATCH = 64
_SERVE = """
import sys
from service.serve import serve
from service.settings import Settings
serve(Settings(database_url=sys.argv[1], port=int(sys.argv[2]), log_level="error"))
"""


@contextmanager
def service(url: str, port: int) -> Iterator[psutil.Process]:
    """A service process on the port."""
    process = subprocess.Popen([sys.executable, "-c", _SERVE, url, str(port)])
    try:
        deadline = time.monotonic() + 60
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, "the service did not start"
            assert time.monotonic() < deadline, "the service did not start in time"
            time.sleep(0.05)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def measure(server: str, counts: list[int], seconds: float, size: int) -> list[dict[str, Any]]:
    """Samples a second and CPU a sample for each number of workers."""
    rows = []
    async with fresh_database(server, 4) as db:
        token = await auth.reset(db.engine)
        await add_job(db, await add_model(db), size)
        port = free_port()
        with service(db.url, port) as process:
            for count in counts:
                before = process.cpu_times()
                client = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "perf.queue_http", f"http://127.0.0.1:{port}", token, str(count), str(seconds),
                    stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.getcwd()},
                )  # fmt: skip
                output, _ = await client.communicate()
                found: dict[str, Any] = orjson.loads(output)
                after = process.cpu_times()
                used = after.user + after.system - before.user - before.system
                found["service_us"] = round(used / max(1, found.pop("samples")) * 1e6, 1)
                rows.append(found)
    return rows


async def _worker(http: aiohttp.ClientSession, until: float, claims: Latencies, reports: Latencies) -> int:
    registration = {
        "boot": str(uuid4()), "name": "bench", "protocol": 1, "version": "0", "host": "h", "pid": 1, "concurrency": BATCH,
    }  # fmt: skip
    worker = (await _post(http, "/v1/workers", registration))["id"]
    known: list[str] = []
    done = 0
    while time.perf_counter() < until:
        started = time.perf_counter()
        reply = await _post(
            http, f"/v1/workers/{worker}/claims", {"want": BATCH, "wait_seconds": 1, "known_jobs": known}
        )
        claims(started)
        known += [f"{job['id']}@{job['stamp']}" for job in reply["jobs"]]
        outcomes = [
            {
                "kind": "result", "lease": lease["id"], "job": lease["job"], "cell": lease["cell"]["cell"], "index": index,
                "generation": generation, "attempt": attempt, "status": "ok", "score": 1.0, "answer": ANSWER,
                "expected": ["4812067"], "prompt_sha256": "ab" * 32, "prompt_tokens": 4096, "finish_reason": "stop",
                "measured": {"server_prompt_tokens": 4101, "completion_tokens": 24, "ttft_ms": 200, "duration_ms": 900},
                "detail": {"depth": 50},
            }
            for lease in reply["leases"]
            for index, generation, attempt in lease["samples"]
        ]  # fmt: skip
        if not outcomes:
            break
        started = time.perf_counter()
        verdicts = (await _post(http, f"/v1/workers/{worker}/outcomes", {"outcomes": outcomes}))["verdicts"]
        reports(started)
        assert all(verdict["verdict"] == "stored" for verdict in verdicts)
        done += len(outcomes)
    return done


async def _post(http: aiohttp.ClientSession, path: str, body: Any) -> Any:
    async with http.post(path, data=orjson.dumps(body), headers={"content-type": "application/json"}) as answer:
        content = await answer.read()
        assert answer.status == 200, content
        return orjson.loads(content)


async def _client(url: str, token: str, workers: int, seconds: float) -> dict[str, Any]:
    claims, reports = Latencies(), Latencies()
    connector = aiohttp.TCPConnector(limit=0)
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(url, connector=connector, headers=headers) as http:
        started, cpu = time.perf_counter(), time.process_time()
        counts = await asyncio.gather(*(_worker(http, started + seconds, claims, reports) for _ in range(workers)))
        took = time.perf_counter() - started
    return {
        "workers": workers,
        "samples": sum(counts),
        "samples_per_second": round(sum(counts) / took),
        "claim_p50_ms": claims.at(0.5),
        "claim_p99_ms": claims.at(0.99),
        "report_p50_ms": reports.at(0.5),
        "report_p99_ms": reports.at(0.99),
        "client_us": round((time.process_time() - cpu) / max(1, sum(counts)) * 1e6, 1),
    }


if __name__ == "__main__":
    _, where, secret, how_many, how_long = sys.argv
    print(orjson.dumps(uvloop.run(_client(where, secret, int(how_many), float(how_long)))).decode())
