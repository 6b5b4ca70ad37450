"""The worker's side of the service's HTTP API. Every call is idempotent, so all but claims are simply tried again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from protocol.common import Problem
from protocol.workers import (
    ClaimReply,
    ClaimRequest,
    Departure,
    Heartbeat,
    HeartbeatReply,
    News,
    NewsReply,
    OutcomesReply,
    ProbeReport,
    WorkerRegistered,
    WorkerRegistration,
)
from workers.drivers.transport import open_client
from workers.errors import ServiceAway, ServiceRefused

R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")
FIRST_WAIT, LONGEST_WAIT = 0.2, 10.0  # seconds between tries while the service is away
_ANSWER = 20.0  # seconds for an ordinary reply
_SLOWEST = 100_000.0  # bytes a second at which outcomes must at least go out


@dataclass(eq=False)
class _Line:
    """Connections to the service, and how many calls use them."""

    http: httpx.AsyncClient
    users: int = 0


class ServiceClient:
    """Speaks to the service. Raises ServiceAway (try again) and ServiceRefused (4xx, with the problem's words)."""

    def __init__(self, server: str, token: str | None) -> None:
        self._server = server.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._line = _Line(open_client())
        self.answer_seconds = _ANSWER
        """How long an ordinary reply may take; beyond the time of a lease it is not worth waiting for."""

    async def aclose(self) -> None:
        await self._line.http.aclose()

    async def register(self, registration: WorkerRegistration) -> WorkerRegistered:
        return await self._call(WorkerRegistered, "POST", "/v1/workers", registration)

    async def claim(self, worker: int, request: ClaimRequest) -> ClaimReply:
        path = f"/v1/workers/{worker}/claims"
        return await self._call(ClaimReply, "POST", path, request, seconds=request.wait_seconds + self.answer_seconds)

    async def report(self, worker: int, outcomes: list[bytes]) -> OutcomesReply:
        """Report outcomes that are JSON already, as the spool holds them."""
        content = b'{"outcomes":[' + b",".join(outcomes) + b"]}"
        seconds = self.answer_seconds + len(content) / _SLOWEST
        return await self._call(OutcomesReply, "POST", f"/v1/workers/{worker}/outcomes", content, seconds=seconds)

    async def heartbeat(self, worker: int, heartbeat: Heartbeat, seconds: float) -> HeartbeatReply:
        return await self._call(HeartbeatReply, "POST", f"/v1/workers/{worker}/heartbeat", heartbeat, seconds=seconds)

    async def news(self, worker: int, news: News) -> NewsReply:
        path = f"/v1/workers/{worker}/news"
        return await self._call(NewsReply, "POST", path, news, seconds=news.wait_seconds + self.answer_seconds)

    async def answer_probe(self, worker: int, probe: int, report: ProbeReport) -> None:
        await self._send("POST", f"/v1/workers/{worker}/probes/{probe}", report, _ANSWER)

    async def depart(self, worker: int, departure: Departure) -> None:
        await self._send("DELETE", f"/v1/workers/{worker}", departure, _ANSWER)

    @asynccontextmanager
    async def asset(self, sha256: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """The bytes of an asset, by chunk."""
        request = self._request("GET", f"/v1/assets/{sha256}/content", b"")
        try:
            async with self._connections() as http:
                response = await http.send(request, stream=True)
                try:
                    _check(response.status_code, b"" if response.status_code == 200 else await response.aread())
                    yield response.aiter_raw()
                finally:
                    await response.aclose()
        except httpx.HTTPError as error:
            raise ServiceAway(f"{self._server} broke off: {error}") from error

    async def _call(
        self, reply: type[R], method: str, path: str, body: BaseModel | bytes, seconds: float = _ANSWER
    ) -> R:
        content = await self._send(method, path, body, seconds)
        try:
            return reply.model_validate_json(content)
        except ValidationError as error:
            raise ServiceAway(f"{self._server}{path} answered what is no {reply.__name__}: {error}") from error

    async def _send(self, method: str, path: str, body: BaseModel | bytes, seconds: float) -> bytes:
        content = body if isinstance(body, bytes) else body.model_dump_json().encode()
        try:
            async with self._connections() as http, asyncio.timeout(seconds):
                response = await http.send(self._request(method, path, content))
        except httpx.HTTPError as error:
            raise ServiceAway(f"{self._server} does not answer: {type(error).__name__}: {error}") from error
        except TimeoutError as error:
            raise ServiceAway(f"{self._server}{path}: no answer within {seconds:.0f} s") from error
        _check(response.status_code, response.content)
        return response.content

    @asynccontextmanager
    async def _connections(self) -> AsyncIterator[httpx.AsyncClient]:
        """The connections for one call. When it gets no answer in time the next calls make new ones: those that are idle
        may be as dead, and each would cost a call as much time again."""
        line = self._line
        line.users += 1
        try:
            yield line.http
        except TimeoutError:
            if line is self._line:
                self._line = _Line(open_client())
            raise
        finally:
            line.users -= 1
            if line is not self._line and not line.users:
                await line.http.aclose()

    def _request(self, method: str, path: str, content: bytes) -> httpx.Request:
        headers = {"content-type": "application/json", "accept-encoding": "identity", **self._headers}
        extensions = {"timeout": {"connect": 10.0}}
        return httpx.Request(method, f"{self._server}{path}", headers=headers, content=content, extensions=extensions)


def _check(status: int, content: bytes) -> None:
    if status < 400:
        return
    try:
        problem = Problem.model_validate_json(content)
        words = problem.detail or problem.title
        words += "".join(f"; {error.field}: {error.message}" for error in problem.errors)
    except ValidationError:
        words = content[:300].decode(errors="replace")
    if status >= 500 or status in (408, 429):
        raise ServiceAway(f"the service answered {status}: {words}")
    raise ServiceRefused(status, words)


class GivenUp(Exception):
    """A call was under way when the service was found to be back on another connection: its own may be dead."""


async def unless(event: asyncio.Event, operation: Coroutine[Any, Any, T]) -> T:
    """The operation's result; stops it and raises GivenUp when the event comes first."""
    call, other = asyncio.ensure_future(operation), asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait((call, other), return_when=asyncio.FIRST_COMPLETED)
        if call.done():
            return call.result()
        raise GivenUp
    finally:
        call.cancel()
        other.cancel()
        await asyncio.gather(call, other, return_exceptions=True)


async def persist(
    operation: Callable[[], Awaitable[T]],
    on_wait: Callable[[str], None] = lambda why: None,
    sooner: asyncio.Event | None = None,
) -> T:
    """Repeat an idempotent call until the service answers it: exponential backoff with full jitter, without end.

    `sooner` ends a pause at once: another call has found that the service is back.
    """
    wait = FIRST_WAIT
    while True:
        if sooner is not None:
            sooner.clear()
        try:
            return await operation()
        except ServiceAway as error:
            on_wait(str(error))
            await _pause(random.uniform(0, wait), sooner)
            wait = min(wait * 2, LONGEST_WAIT)


async def _pause(seconds: float, sooner: asyncio.Event | None) -> None:
    if sooner is None:
        await asyncio.sleep(seconds)
        return
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(sooner.wait(), seconds)
