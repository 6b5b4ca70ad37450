"""A worker played by hand, over the real HTTP API: it claims and reports exactly when a test says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from protocol import PROTOCOL_VERSION
from protocol.jobs import Status
from protocol.workers import (
    ClaimRequest,
    FailureReport,
    HandBack,
    Heartbeat,
    HeartbeatReply,
    Lease,
    Outcome,
    ResultReport,
    Verdict,
    WorkerRegistration,
)
from tests.support.cluster import Service
from workers.client import ServiceClient


def registration(
    name: str = "by hand", protocol: int = PROTOCOL_VERSION, boot: UUID | None = None
) -> WorkerRegistration:
    return WorkerRegistration(
        boot=boot or uuid4(), name=name, protocol=protocol, version="0", host="here", pid=1, concurrency=8
    )


@dataclass
class HandWorker:
    """`id` is the service's number for it."""

    client: ServiceClient
    id: int
    leases: list[Lease] = field(default_factory=list)

    async def claim(self, want: int = 1, wait: float = 0.0) -> list[Lease]:
        reply = await self.client.claim(self.id, ClaimRequest(want=want, wait_seconds=wait))
        self.leases += reply.leases
        return reply.leases

    async def report(self, *outcomes: Outcome) -> list[Verdict]:
        reply = await self.client.report(self.id, [one.model_dump_json(exclude_none=True).encode() for one in outcomes])
        return reply.verdicts

    async def heartbeat(self, *leases: int, draining: bool = False) -> HeartbeatReply:
        return await self.client.heartbeat(self.id, Heartbeat(leases=list(leases), draining=draining), 20)


@asynccontextmanager
async def hand_worker(service: Service, name: str = "by hand") -> AsyncIterator[HandWorker]:
    client = ServiceClient(service.address, service.token)
    try:
        registered = await client.register(registration(name))
        yield HandWorker(client, registered.id)
    finally:
        await client.aclose()


def _address(lease: Lease, place: int) -> dict[str, Any]:
    index, generation, _ = lease.samples[place]
    return {
        "lease": lease.id,
        "job": lease.job,
        "cell": lease.cell.cell,
        "index": index,
        "generation": generation,
    }


def success(lease: Lease, place: int = 0, **changes: Any) -> ResultReport:
    """An answered sample of the lease."""
    values = {"status": Status.OK, "score": 1.0, "answer": "42", "prompt_sha256": "ab" * 32, **changes}
    return ResultReport(**{**_address(lease, place), "attempt": lease.samples[place][2], **values})


def failure(lease: Lease, place: int = 0, **changes: Any) -> FailureReport:
    """A failed call for a sample of the lease."""
    values = {"cause": "server_error", "message": "boom", **changes}
    return FailureReport(**{**_address(lease, place), "attempt": lease.samples[place][2], **values})


def hand_back(lease: Lease, place: int = 0) -> HandBack:
    return HandBack(**_address(lease, place), reason="the test says so")
