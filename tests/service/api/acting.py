"""What tests of the API share: requests that must succeed or fail, and a worker's part on the queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx

from benchmarks import registry
from benchmarks.base import Cell
from protocol.jobs import Status
from protocol.workers import FailureReport, Measured, Outcome, ResultReport
from service import jobs, prompts, results
from service.api.deps import State
from service.queue import leasing, reports
from service.queue.leasing import Grant

RULER: dict[str, Any] = {
    "benchmark": "ruler",
    "model": "m",
    "options": {"tasks": ["niah_single_1", "niah_multikey_2"], "lengths": [768, 1024], "samples": 5},
}
PLANNED = 20


@dataclass(frozen=True, slots=True)
class Service:
    """A running service, and a client with its admin token."""

    http: httpx.AsyncClient
    state: State
    token: str
    url: str

    async def ok(self, method: str, path: str, **more: Any) -> Any:
        """The JSON of an answer that must be a success."""
        answer = await self.http.request(method, path, **more)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    async def problem(self, status: int, method: str, path: str, **more: Any) -> dict[str, Any]:
        """The problem document of an answer that must have that status."""
        answer = await self.http.request(method, path, **more)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        assert answer.headers["content-type"] == "application/problem+json"
        found: dict[str, Any] = answer.json()
        assert found["status"] == status
        assert found["title"]
        return found

    async def submit(self, **changes: Any) -> str:
        """Submit RULER; `changes` are fields of the request, or of its options."""
        fields = {k: v for k, v in changes.items() if k not in ("tasks", "lengths", "samples")}
        options = {**RULER["options"], **{k: v for k, v in changes.items() if k not in fields}}
        job = await self.ok("POST", "/v1/jobs", json={**RULER, "options": options, **fields})
        return str(job["id"])

    async def worker(self, name: str = "w") -> int:
        found: int = await self.state.db.pool.fetchval(
            "insert into workers(boot, name, host, pid, version, concurrency) values ($1, $2, 'h', 1, '0', 64) returning id",
            uuid4(),
            name,
        )
        return found

    async def claim(self, worker: int, want: int = 64, seconds: float = 60) -> list[Grant]:
        return await leasing.claim(self.state.db.pool, worker, want, 64, seconds)

    async def report(self, worker: int, outcomes: list[Outcome]) -> None:
        rows = await self.state.db.pool.fetch("select public_id, id from jobs")
        verdicts = await reports.report(self.state.db.pool, worker, outcomes, {r["public_id"]: r["id"] for r in rows})
        assert {v.verdict for v in verdicts} <= {"stored", "requeued", "failed", "duplicate"}, verdicts

    async def addressed(self, grant: Grant) -> list[dict[str, Any]]:
        """The address fields of an outcome for each sample of a grant."""
        public = await self.state.db.pool.fetchval("select public_id from jobs where id = $1", grant.job)
        return [
            {"lease": grant.lease, "job": public, "cell": grant.cell, "index": i, "generation": g, "attempt": a}
            for i, g, a in grant.samples
        ]

    async def finish(self, worker: int, score: float = 1.0, limit: int = 1_000_000) -> int:
        """Claim and answer everything there is (or `limit` samples), all with the same score."""
        done = 0
        while done < limit and (grants := await self.claim(worker, min(64, limit - done))):
            for grant in grants:
                outcomes: list[Outcome] = [ok(score, **address) for address in await self.addressed(grant)]
                await self.report(worker, outcomes)
                done += len(outcomes)
        return done

    async def answer(self, worker: int, address: dict[str, Any], text: str) -> None:
        """Build a sample's prompt as a worker does, and report its scored answer."""
        async with self.state.db.engine.connect() as connection:
            row = await jobs.find(connection, address["job"])
            sample = await prompts.rebuild(connection, self.state.sources, row, address["cell"], address["index"])
            where = await results.cell_of(connection, row, address["cell"])
        benchmark = registry.get("ruler")
        options = benchmark.options_model.model_validate(row.data["options"])
        cell = Cell(where.task, where.length, where.size, where.variant)
        value = benchmark.score(options, cell, sample, text).value
        outcome = ok(
            value,
            **address,
            answer=text,
            expected=list(sample.expected),
            prompt_sha256=prompts.sha256_of(sample),
            prompt_tokens=sample.tokens,
            detail=sample.detail,
        )
        await self.report(worker, [outcome])


def ok(score: float, **fields: Any) -> ResultReport:
    """A measured answer that took 100 ms and 10 + 2 tokens."""
    measured = Measured(server_prompt_tokens=10, completion_tokens=2, duration_ms=100, ttft_ms=20)
    return ResultReport(**{"status": Status.OK, "score": score, "answer": "a", "measured": measured, **fields})


def failed(**fields: Any) -> FailureReport:
    """A call that failed for a reason that may pass."""
    return FailureReport(**{"cause": "server_error", "message": "HTTP 500: no", **fields})
