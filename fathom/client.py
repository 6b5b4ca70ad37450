"""The SDK for asyncio programs; `fathom.sync` has the same for others.

Every method sends one request and returns the protocol's model. Errors are `fathom.errors`: `Unreachable` when the
service does not answer, `Refused` with the fields of the problem document when it says no.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from fathom.config import find_token, server_address
from fathom.errors import Refused, Unreachable
from fathom.following import News
from fathom.transport import Transport
from protocol.assets import Asset, AssetKind, AssetList
from protocol.benchmarks import BenchmarkDetail, BenchmarkInfo, BenchmarkList
from protocol.common import JsonObject
from protocol.jobs import (
    FINAL_STATES,
    Clone,
    Event,
    Extension,
    Job,
    JobChange,
    JobDetail,
    JobPage,
    JobRequest,
    PromptText,
    Result,
    ResultPage,
    Retry,
    Run,
    SampleDetail,
    Summary,
)
from protocol.models import Model, ModelList, ModelRequest, Probe
from protocol.workers import Worker, WorkerList

OnGap = Callable[[str], None]
"""Told why the service cannot be reached each time a watcher has to wait for it."""


class Client:
    """A connection to a Fathom service.

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
        return _object(await self._send.json("GET", "/readyz"))

    async def benchmarks(self) -> list[BenchmarkInfo]:
        """The benchmarks the service knows."""
        return BenchmarkList.model_validate(await self._send.json("GET", "/v1/benchmarks")).items

    async def benchmark(self, name: str) -> BenchmarkDetail:
        """One benchmark with its tasks and the JSON schema of its options."""
        return BenchmarkDetail.model_validate(await self._send.json("GET", f"/v1/benchmarks/{quote(name, safe='')}"))

    async def workers(self) -> list[Worker]:
        return WorkerList.model_validate(await self._send.json("GET", "/v1/workers")).items

    async def drain_worker(self, worker: int) -> JsonObject:
        """Ask a worker to finish what it has and leave."""
        return _object(await self._send.json("POST", f"/v1/workers/{worker}/drain"))

    # --- models ------------------------------------------------------------------------------------------------

    async def models(self) -> list[Model]:
        return ModelList.model_validate(await self._send.json("GET", "/v1/models")).items

    async def model(self, name: str) -> Model:
        return Model.model_validate(await self._send.json("GET", f"/v1/models/{quote(name, safe='')}"))

    async def add_model(self, request: ModelRequest, *, replace: bool = False) -> Model:
        """Register a model; `replace` overwrites one of the same name."""
        body = request.model_dump(mode="json")
        if replace:
            return Model.model_validate(await self._send.json("PUT", f"/v1/models/{request.name}", json=body))
        return Model.model_validate(await self._send.json("POST", "/v1/models", json=body))

    async def change_model(self, name: str, changes: JsonObject) -> Model:
        """Change some fields of a model."""
        path = f"/v1/models/{quote(name, safe='')}"
        return Model.model_validate(await self._send.json("PATCH", path, json=changes))

    async def remove_model(self, name: str) -> None:
        await self._send.json("DELETE", f"/v1/models/{quote(name, safe='')}")

    async def probe_model(self, name: str) -> Probe:
        """Have a worker find out what the model is; waits for the answer (up to about a minute)."""
        path = f"/v1/models/{quote(name, safe='')}/probe"
        return Probe.model_validate(await self._send.json("POST", path, patience=120))

    # --- assets ------------------------------------------------------------------------------------------------

    async def assets(self) -> list[Asset]:
        return AssetList.model_validate(await self._send.json("GET", "/v1/assets")).items

    async def asset(self, name: str) -> Asset:
        """The asset of that name or SHA-256."""
        return Asset.model_validate(await self._send.json("GET", f"/v1/assets/{quote(name, safe='')}"))

    async def add_asset(self, name: str, kind: AssetKind, content: Path | bytes, *, source: str = "") -> Asset:
        """Upload a file under a name; uploading the same bytes again changes nothing."""
        body = content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
        query = {"kind": kind.value, "source": source}
        path = f"/v1/assets/{quote(name, safe='')}"
        return Asset.model_validate(await self._send.json("PUT", path, params=query, content=body, patience=600))

    async def asset_content(self, name: str) -> bytes:
        return await self._send.content(f"/v1/assets/{quote(name, safe='')}/content")

    async def remove_asset(self, name: str) -> None:
        await self._send.json("DELETE", f"/v1/assets/{quote(name, safe='')}")

    # --- jobs --------------------------------------------------------------------------------------------------

    async def submit(
        self,
        benchmark: str,
        model: str,
        options: JsonObject | None = None,
        *,
        run: Run | None = None,
        idempotency_key: str | None = None,
        **more: Any,
    ) -> Job:
        """Submit a job; `more` are the other fields of `JobRequest`. Retried safely: the key is made if none is given."""
        request = JobRequest(benchmark=benchmark, model=model, options=options or {}, run=run or Run(), **more)
        return await self.submit_request(request, idempotency_key=idempotency_key)

    async def submit_request(self, request: JobRequest, *, idempotency_key: str | None = None) -> Job:
        key = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        body = request.model_dump(mode="json", exclude_unset=True)
        return Job.model_validate(await self._send.json("POST", "/v1/jobs", json=body, headers=key, patience=300))

    async def jobs(self, *, state: str | None = None, limit: int | None = None) -> list[Job]:
        """Jobs, newest first; all pages unless `limit` says how many."""
        found: list[Job] = []
        cursor: str | None = None
        while True:
            query = _given(state=state, cursor=cursor, limit=limit and min(limit, 200))
            page = JobPage.model_validate(await self._send.json("GET", "/v1/jobs", params=query))
            found += page.items
            cursor = page.next_cursor
            if cursor is None or (limit is not None and len(found) >= limit):
                return found[:limit]

    async def job(self, job: str) -> JobDetail:
        return JobDetail.model_validate(await self._send.json("GET", _job(job)))

    async def change_job(self, job: str, change: JobChange) -> Job:
        body = change.model_dump(mode="json", exclude_unset=True)
        return Job.model_validate(await self._send.json("PATCH", _job(job), json=body))

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
        return Job.model_validate(
            await self._send.json("POST", f"{_job(job)}/{verb}", json=body, headers=key, patience=300)
        )

    # --- results -----------------------------------------------------------------------------------------------

    async def result_page(
        self, job: str, cursor: str | None = None, limit: int = 500, filters: Mapping[str, Any] | None = None
    ) -> ResultPage:
        """A page of results; its `next_cursor` goes on from there, today or after a restart."""
        query = {**_given(cursor=cursor, limit=limit), **_given(**(filters or {}))}
        return ResultPage.model_validate(await self._send.json("GET", f"{_job(job)}/results", params=query))

    async def result_pages(
        self,
        job: str,
        *,
        cursor: str | None = None,
        follow: bool = False,
        filters: Mapping[str, Any] | None = None,
        on_gap: OnGap | None = None,
    ) -> AsyncGenerator[ResultPage, None]:
        """All pages of results there are, from `cursor` on; with `follow` also those to come, until the job is finished.

        Waits through restarts of the service when it follows.
        """
        while True:
            try:
                page = await self.result_page(job, cursor, filters=filters)
            except (Unreachable, Refused) as error:
                if not follow or not _passing(error):
                    raise
                await self._wait(str(error), on_gap)
                continue
            if page.items:
                yield page
            cursor = page.next_cursor or cursor
            if page.final or (not follow and (not page.items or page.next_cursor is None)):
                return
            if not page.items:
                await asyncio.sleep(0.5)

    async def results(
        self,
        job: str,
        *,
        cursor: str | None = None,
        follow: bool = False,
        filters: Mapping[str, Any] | None = None,
        on_gap: OnGap | None = None,
    ) -> AsyncGenerator[Result, None]:
        """The same, result by result."""
        pages = self.result_pages(job, cursor=cursor, follow=follow, filters=filters, on_gap=on_gap)
        async for page in pages:
            for result in page.items:
                yield result

    async def sample(self, job: str, cell: int, index: int) -> SampleDetail:
        """One sample: its result and its attempts."""
        return SampleDetail.model_validate(await self._send.json("GET", f"{_job(job)}/samples/{cell}/{index}"))

    async def prompt(self, job: str, cell: int, index: int) -> PromptText:
        """A sample's prompt, rebuilt and checked against the stored SHA-256."""
        path = f"{_job(job)}/samples/{cell}/{index}/prompt"
        return PromptText.model_validate(await self._send.json("GET", path, patience=120))

    async def summary(self, job: str) -> Summary:
        """The job's scores as blocks: tables, heat maps, curves, verdicts."""
        return Summary.model_validate(await self._send.json("GET", f"{_job(job)}/summary"))

    async def events(self, job: str, *, after: int | None = None) -> AsyncGenerator[Event, None]:
        """The job's events from `after` on, until the stream ends or breaks (then `Unreachable`)."""
        async for event in self._send.events(f"{_job(job)}/events", after):
            yield event

    async def watch(
        self, job: str, *, interval: float = 1.0, refresh: float = 10.0, on_gap: OnGap | None = None
    ) -> AsyncGenerator[JobDetail, None]:
        """The job now and whenever it changed, until it is finished.

        At most every `interval` seconds, and at least every `refresh`. Reconnects after a drop or a restart of the
        service, and continues where the stream broke.
        """
        news = News(lambda after: self.events(job, after=after))
        try:
            while True:
                try:
                    news.clear()
                    found = await self.job(job)
                    yield found
                    if found.state in FINAL_STATES:
                        return
                    started = time.monotonic()
                    await news.wait(refresh)
                    await asyncio.sleep(started + interval - time.monotonic())
                except (Unreachable, Refused) as error:
                    if not _passing(error):
                        raise
                    await self._wait(str(error), on_gap)
        finally:
            await news.close()

    async def _wait(self, why: str, on_gap: OnGap | None) -> None:
        if on_gap is not None:
            on_gap(why)
        await asyncio.sleep(1.0)


def _passing(error: Unreachable | Refused) -> bool:
    """Whether it can get better by itself: no answer, or the service's own trouble."""
    return isinstance(error, Unreachable) or error.status >= 500 or error.status == 429


def _job(job: str) -> str:
    return f"/v1/jobs/{quote(job, safe='')}"


def _given(**values: Any) -> dict[str, Any]:
    return {k: v for k, v in values.items() if v is not None}


def _object(answer: JsonObject) -> JsonObject:
    return answer
