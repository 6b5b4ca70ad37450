"""The calls of the REST API: a method sends one request and returns the protocol's model.

Errors are `fathom.errors`: `Unreachable` when the service does not answer, `Refused` with the fields of the problem
document when it says no.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from fathom.config import find_token, server_address
from fathom.transport import Transport
from protocol.assets import Asset, AssetKind, AssetList
from protocol.benchmarks import BenchmarkDetail, BenchmarkInfo, BenchmarkList
from protocol.common import JsonObject
from protocol.jobs import Clone, Extension, Job, JobChange, JobDetail, JobPage, JobRequest, Retry, Run, Summary
from protocol.models import Model, ModelList, ModelRequest, Probe
from protocol.results import PromptText, ResultPage, SampleDetail
from protocol.workers import Worker, WorkerList


class Calls:
    """A connection to a Fathom service that sends one request a call.

    `server` and `token` default to FATHOM_SERVER and FATHOM_TOKEN, then to the saved ones. `http` replaces the HTTP
    client (tests, own proxies); it is closed with this one.
    """

    def __init__(
        self, server: str | None = None, token: str | None = None, *, http: httpx.AsyncClient | None = None
    ) -> None:
        self.server = server_address(server)
        self._send = Transport(self.server, find_token(self.server, token), http)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._send.close()

    # --- service -----------------------------------------------------------------------------------------------

    async def health(self) -> JsonObject:
        """`GET /readyz`: the service and its database answer."""
        found: JsonObject = await self._send.json("GET", "/readyz")
        return found

    async def benchmarks(self) -> list[BenchmarkInfo]:
        """The benchmarks the service knows."""
        return (await self._send.ask(BenchmarkList, "GET", "/v1/benchmarks")).items

    async def benchmark(self, name: str) -> BenchmarkDetail:
        """One benchmark with its tasks and the JSON schema of its options."""
        return await self._send.ask(BenchmarkDetail, "GET", _named("benchmarks", name))

    async def workers(self) -> list[Worker]:
        return (await self._send.ask(WorkerList, "GET", "/v1/workers")).items

    async def drain_worker(self, worker: int) -> JsonObject:
        """Ask a worker to finish what it has and leave."""
        found: JsonObject = await self._send.json("POST", f"/v1/workers/{worker}/drain")
        return found

    # --- models ------------------------------------------------------------------------------------------------

    async def models(self) -> list[Model]:
        return (await self._send.ask(ModelList, "GET", "/v1/models")).items

    async def model(self, name: str) -> Model:
        return await self._send.ask(Model, "GET", _named("models", name))

    async def add_model(self, request: ModelRequest, *, replace: bool = False) -> Model:
        """Register a model; `replace` overwrites one of the same name."""
        body = request.model_dump(mode="json")
        if replace:
            return await self._send.ask(Model, "PUT", _named("models", request.name), json=body)
        return await self._send.ask(Model, "POST", "/v1/models", json=body)

    async def change_model(self, name: str, changes: JsonObject) -> Model:
        """Change some fields of a model."""
        path = _named("models", name)
        return await self._send.ask(Model, "PATCH", path, json=changes)

    async def remove_model(self, name: str) -> None:
        await self._send.json("DELETE", _named("models", name))

    async def probe_model(self, name: str) -> Probe:
        """Have a worker find out what the model is; waits for the answer (up to about a minute)."""
        path = _named("models", name) + "/probe"
        return await self._send.ask(Probe, "POST", path, patience=120)

    # --- assets ------------------------------------------------------------------------------------------------

    async def assets(self) -> list[Asset]:
        return (await self._send.ask(AssetList, "GET", "/v1/assets")).items

    async def asset(self, name: str) -> Asset:
        """The asset of that name or SHA-256."""
        return await self._send.ask(Asset, "GET", _named("assets", name))

    async def add_asset(self, name: str, kind: AssetKind, content: Path | bytes, *, source: str = "") -> Asset:
        """Upload a file under a name; uploading the same bytes again changes nothing."""
        body = content if isinstance(content, bytes) else _pieces(content)
        query = {"kind": kind.value, "source": source}
        path = _named("assets", name)
        return await self._send.ask(Asset, "PUT", path, params=query, content=body, patience=600)

    async def asset_content(self, name: str) -> bytes:
        return await self._send.content(_named("assets", name) + "/content")

    async def remove_asset(self, name: str) -> None:
        await self._send.json("DELETE", _named("assets", name))

    # --- jobs --------------------------------------------------------------------------------------------------

    async def submit(
        self,
        /,
        benchmark: str,
        model: str,
        options: JsonObject | None = None,
        *,
        run: Run | None = None,
        idempotency_key: str | None = None,
        **more: Any,
    ) -> Job:
        """Submit a job; `more` are the other fields of `JobRequest`.

        Sent again when the connection is cut meanwhile, which never makes two jobs. With an `idempotency_key` of your
        own you may repeat the call as well.
        """
        request = JobRequest(benchmark=benchmark, model=model, options=options or {}, run=run or Run(), **more)
        return await self.submit_request(request, idempotency_key=idempotency_key)

    async def submit_request(self, request: JobRequest, *, idempotency_key: str | None = None) -> Job:
        key = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        body = request.model_dump(mode="json", exclude_unset=True)
        return await self._send.ask(Job, "POST", "/v1/jobs", json=body, headers=key, patience=300)

    async def jobs(self, *, state: str | None = None, model: str | None = None, limit: int | None = None) -> list[Job]:
        """Jobs, newest first, of that state and model; all pages unless `limit` says how many."""
        found: list[Job] = []
        cursor: str | None = None
        while True:
            query = _given(state=state, model=model, cursor=cursor, limit=limit and min(limit, 200))
            page = await self._send.ask(JobPage, "GET", "/v1/jobs", params=query)
            found += page.items
            cursor = page.next_cursor
            if cursor is None or (limit is not None and len(found) >= limit):
                return found[:limit]

    async def job(self, job: str) -> JobDetail:
        return await self._send.ask(JobDetail, "GET", path_of(job))

    async def change_job(self, job: str, change: JobChange) -> Job:
        body = change.model_dump(mode="json", exclude_unset=True)
        return await self._send.ask(Job, "PATCH", path_of(job), json=body)

    async def pause(self, job: str) -> Job:
        return await self._verb(job, "pause")

    async def resume(self, job: str) -> Job:
        return await self._verb(job, "resume")

    async def cancel(self, job: str) -> Job:
        return await self._verb(job, "cancel")

    async def retry(self, job: str, what: Retry) -> Job:
        """Ask samples again by status or by address; every good result stays."""
        return await self._verb(job, "retry", what.model_dump(mode="json", exclude_unset=True))

    async def extend(self, job: str, extension: Extension) -> Job:
        return await self._verb(job, "extend", extension.model_dump(mode="json", exclude_none=True))

    async def clone(self, job: str, changes: Clone) -> Job:
        return await self._verb(job, "clone", changes.model_dump(mode="json", exclude_defaults=True))

    async def _verb(self, job: str, verb: str, body: JsonObject | None = None) -> Job:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        return await self._send.ask(Job, "POST", f"{path_of(job)}/{verb}", json=body, headers=key, patience=300)

    # --- results -----------------------------------------------------------------------------------------------

    async def result_page(
        self, job: str, cursor: str | None = None, limit: int = 500, filters: Mapping[str, Any] | None = None
    ) -> ResultPage:
        """A page of results; its `next_cursor` goes on from there, today or after a restart."""
        query = {**_given(cursor=cursor, limit=limit), **_given(**(filters or {}))}
        return await self._send.ask(ResultPage, "GET", f"{path_of(job)}/results", params=query)

    async def sample(self, job: str, cell: int, index: int) -> SampleDetail:
        """One sample: its result and its attempts."""
        return await self._send.ask(SampleDetail, "GET", f"{path_of(job)}/samples/{cell}/{index}")

    async def prompt(self, job: str, cell: int, index: int) -> PromptText:
        """A sample's prompt, rebuilt and checked against the stored SHA-256."""
        path = f"{path_of(job)}/samples/{cell}/{index}/prompt"
        return await self._send.ask(PromptText, "GET", path, patience=120)

    async def summary(self, job: str) -> Summary:
        """The job's scores as blocks: tables, heat maps, curves, verdicts."""
        return await self._send.ask(Summary, "GET", f"{path_of(job)}/summary")


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while piece := await asyncio.to_thread(file.read, 1024 * 1024):
            yield piece


def path_of(job: str) -> str:
    return _named("jobs", job)


def _named(kind: str, name: str) -> str:
    return f"/v1/{kind}/{quote(name, safe='')}"


def _given(**values: Any) -> dict[str, Any]:
    return {k: v for k, v in values.items() if v is not None}
