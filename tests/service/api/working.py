"""What a worker sends to the service, call by call."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from protocol import PROTOCOL_VERSION
from tests.service.api.acting import Service
from tests.support.queue import Job, add_job, add_model


def registration(**changes: Any) -> dict[str, Any]:
    return {
        "boot": str(uuid4()),
        "name": "box",
        "protocol": PROTOCOL_VERSION,
        "version": "0.1.0",
        "host": "h",
        "pid": 7,
        "concurrency": 8,
        **changes,
    }


async def register(service: Service, **changes: Any) -> int:
    reply = await service.ok("POST", "/v1/workers", json=registration(**changes))
    found: int = reply["id"]
    return found


async def claim(service: Service, worker: int, want: int = 64, wait: float = 0, **fields: Any) -> dict[str, Any]:
    body = {"want": want, "wait_seconds": wait, **fields}
    found: dict[str, Any] = await service.ok("POST", f"/v1/workers/{worker}/claims", json=body)
    return found


def outcome(lease: dict[str, Any], place: int = 0, **fields: Any) -> dict[str, Any]:
    index, generation, attempt = lease["samples"][place]
    return {
        "kind": "result",
        "lease": lease["id"],
        "job": lease["job"],
        "cell": lease["cell"]["cell"],
        "index": index,
        "generation": generation,
        "attempt": attempt,
        "status": "ok",
        "score": 1.0,
        **fields,
    }


async def report(service: Service, worker: int, *outcomes: Any) -> list[dict[str, Any]]:
    reply = await service.ok("POST", f"/v1/workers/{worker}/outcomes", json={"outcomes": outcomes})
    found: list[dict[str, Any]] = reply["verdicts"]
    return found


async def queued(service: Service, sizes: tuple[int, ...] = (3,), **columns: Any) -> Job:
    return await add_job(service.state.db, await add_model(service.state.db, **columns), sizes)
