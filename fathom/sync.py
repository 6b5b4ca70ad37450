"""The SDK for programs without asyncio: the same methods as `fathom.client.Client`, blocking.

Works in notebooks too: the requests run on an event loop in a thread of their own.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

import httpx
from anyio.from_thread import start_blocking_portal

from fathom.client import Client, OnGap
from protocol.assets import Asset, AssetKind
from protocol.benchmarks import BenchmarkDetail, BenchmarkInfo
from protocol.common import JsonObject
from protocol.jobs import (
    Clone,
    Event,
    Extension,
    Job,
    JobChange,
    JobDetail,
    JobRequest,
    PromptText,
    Result,
    ResultPage,
    Retry,
    Run,
    SampleDetail,
    Summary,
)
from protocol.models import Model, ModelRequest, Probe
from protocol.workers import Worker

P = ParamSpec("P")
T = TypeVar("T")


class SyncClient:
    """A blocking connection to a Fathom service; see `Client`."""

    def __init__(
        self, server: str | None = None, token: str | None = None, *, http: httpx.AsyncClient | None = None
    ) -> None:
        self._stack = contextlib.ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        try:
            self._client = self._portal.call(lambda: Client(server, token, http=http))
        except BaseException:
            self._stack.close()
            raise
        self.server = self._client.server

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with self._stack:
            self._portal.call(self._client.close)

    def _call(self, method: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        async def call() -> T:
            return await method(*args, **kwargs)

        return self._portal.call(call)

    def _iterate(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        async def following() -> T | None:
            return await anext(items, None)

        try:
            while (item := self._portal.call(following)) is not None:
                yield item
        finally:
            self._portal.call(items.aclose)

    def health(self) -> JsonObject:
        return self._call(self._client.health)

    def benchmarks(self) -> list[BenchmarkInfo]:
        return self._call(self._client.benchmarks)

    def benchmark(self, name: str) -> BenchmarkDetail:
        return self._call(self._client.benchmark, name)

    def workers(self) -> list[Worker]:
        return self._call(self._client.workers)

    def drain_worker(self, worker: int) -> JsonObject:
        return self._call(self._client.drain_worker, worker)

    def models(self) -> list[Model]:
        return self._call(self._client.models)

    def model(self, name: str) -> Model:
        return self._call(self._client.model, name)

    def add_model(self, request: ModelRequest, *, replace: bool = False) -> Model:
        return self._call(self._client.add_model, request, replace=replace)

    def change_model(self, name: str, changes: JsonObject) -> Model:
        return self._call(self._client.change_model, name, changes)

    def remove_model(self, name: str) -> None:
        self._call(self._client.remove_model, name)

    def probe_model(self, name: str) -> Probe:
        return self._call(self._client.probe_model, name)

    def assets(self) -> list[Asset]:
        return self._call(self._client.assets)

    def asset(self, name: str) -> Asset:
        return self._call(self._client.asset, name)

    def add_asset(self, name: str, kind: AssetKind, content: Path | bytes, *, source: str = "") -> Asset:
        return self._call(self._client.add_asset, name, kind, content, source=source)

    def asset_content(self, name: str) -> bytes:
        return self._call(self._client.asset_content, name)

    def remove_asset(self, name: str) -> None:
        self._call(self._client.remove_asset, name)

    def submit(
        self,
        benchmark: str,
        model: str,
        options: JsonObject | None = None,
        *,
        run: Run | None = None,
        idempotency_key: str | None = None,
        **more: Any,
    ) -> Job:
        return self._call(
            self._client.submit, benchmark, model, options, run=run, idempotency_key=idempotency_key, **more
        )

    def submit_request(self, request: JobRequest, *, idempotency_key: str | None = None) -> Job:
        return self._call(self._client.submit_request, request, idempotency_key=idempotency_key)

    def jobs(self, *, state: str | None = None, limit: int | None = None) -> list[Job]:
        return self._call(self._client.jobs, state=state, limit=limit)

    def job(self, job: str) -> JobDetail:
        return self._call(self._client.job, job)

    def change_job(self, job: str, change: JobChange) -> Job:
        return self._call(self._client.change_job, job, change)

    def pause(self, job: str) -> Job:
        return self._call(self._client.pause, job)

    def resume(self, job: str) -> Job:
        return self._call(self._client.resume, job)

    def cancel(self, job: str) -> Job:
        return self._call(self._client.cancel, job)

    def retry(self, job: str, what: Retry) -> Job:
        return self._call(self._client.retry, job, what)

    def extend(self, job: str, extension: Extension) -> Job:
        return self._call(self._client.extend, job, extension)

    def clone(self, job: str, changes: Clone) -> Job:
        return self._call(self._client.clone, job, changes)

    def result_page(
        self, job: str, cursor: str | None = None, limit: int = 500, filters: Mapping[str, Any] | None = None
    ) -> ResultPage:
        return self._call(self._client.result_page, job, cursor, limit, filters)

    def result_pages(
        self,
        job: str,
        *,
        cursor: str | None = None,
        follow: bool = False,
        filters: Mapping[str, Any] | None = None,
        on_gap: OnGap | None = None,
    ) -> Iterator[ResultPage]:
        pages = self._client.result_pages(job, cursor=cursor, follow=follow, filters=filters, on_gap=on_gap)
        return self._iterate(pages)

    def results(
        self,
        job: str,
        *,
        cursor: str | None = None,
        follow: bool = False,
        filters: Mapping[str, Any] | None = None,
        on_gap: OnGap | None = None,
    ) -> Iterator[Result]:
        return self._iterate(self._client.results(job, cursor=cursor, follow=follow, filters=filters, on_gap=on_gap))

    def sample(self, job: str, cell: int, index: int) -> SampleDetail:
        return self._call(self._client.sample, job, cell, index)

    def prompt(self, job: str, cell: int, index: int) -> PromptText:
        return self._call(self._client.prompt, job, cell, index)

    def summary(self, job: str) -> Summary:
        return self._call(self._client.summary, job)

    def events(self, job: str, *, after: int | None = None) -> Iterator[Event]:
        return self._iterate(self._client.events(job, after=after))

    def watch(
        self, job: str, *, interval: float = 1.0, refresh: float = 10.0, on_gap: OnGap | None = None
    ) -> Iterator[JobDetail]:
        return self._iterate(self._client.watch(job, interval=interval, refresh=refresh, on_gap=on_gap))
