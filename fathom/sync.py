"""The SDK for programs without asyncio: the same methods as `fathom.client.Client`, blocking.

Works in notebooks too: the requests run on an event loop in a thread of their own.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal

from fathom.client import Client

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(method: Callable[Concatenate[Client, P], Awaitable[T]]) -> Callable[Concatenate[SyncClient, P], T]:
    """A method of `Client` that waits for its answer."""

    def call(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        async def asked() -> T:
            return await method(self._client, *args, **kwargs)

        return self._portal.call(asked)

    functools.update_wrapper(call, method)
    return call


def _iterating(
    method: Callable[Concatenate[Client, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[SyncClient, P], Iterator[T]]:
    """A method of `Client` that yields, as a plain iterator."""

    def call(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return _items(self._portal, method(self._client, *args, **kwargs))

    functools.update_wrapper(call, method)
    return call


def _items(portal: BlockingPortal, items: AsyncGenerator[T, None]) -> Iterator[T]:
    """What a generator yields on the portal's loop; leaving early ends what runs behind it."""

    async def following() -> T | None:
        return await anext(items, None)

    try:
        while (item := portal.call(following)) is not None:
            yield item
    finally:
        portal.call(items.aclose)


class SyncClient:
    """A blocking connection to a Fathom service; see `Client`, whose methods these are."""

    def __init__(
        self, server: str | None = None, token: str | None = None, *, http: httpx.AsyncClient | None = None
    ) -> None:
        with contextlib.ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            self._client = self._portal.call(lambda: Client(server, token, http=http))
            self._stack = stack.pop_all()
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

    health = _blocking(Client.health)
    benchmarks = _blocking(Client.benchmarks)
    benchmark = _blocking(Client.benchmark)
    workers = _blocking(Client.workers)
    drain_worker = _blocking(Client.drain_worker)

    models = _blocking(Client.models)
    model = _blocking(Client.model)
    add_model = _blocking(Client.add_model)
    change_model = _blocking(Client.change_model)
    remove_model = _blocking(Client.remove_model)
    probe_model = _blocking(Client.probe_model)

    assets = _blocking(Client.assets)
    asset = _blocking(Client.asset)
    add_asset = _blocking(Client.add_asset)
    asset_content = _blocking(Client.asset_content)
    remove_asset = _blocking(Client.remove_asset)

    submit = _blocking(Client.submit)
    submit_request = _blocking(Client.submit_request)
    jobs = _blocking(Client.jobs)
    job = _blocking(Client.job)
    change_job = _blocking(Client.change_job)
    pause = _blocking(Client.pause)
    resume = _blocking(Client.resume)
    cancel = _blocking(Client.cancel)
    retry = _blocking(Client.retry)
    extend = _blocking(Client.extend)
    clone = _blocking(Client.clone)

    result_page = _blocking(Client.result_page)
    result_pages = _iterating(Client.result_pages)
    results = _iterating(Client.results)
    sample = _blocking(Client.sample)
    prompt = _blocking(Client.prompt)
    summary = _blocking(Client.summary)
    events = _iterating(Client.events)
    watch = _iterating(Client.watch)
