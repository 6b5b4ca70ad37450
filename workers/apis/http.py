"""What all HTTP kinds share: one POST with four timeouts, its reply whole or streamed."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx
import orjson

from protocol.models import Timeouts
from workers.apis.base import Target
from workers.apis.failures import excerpt, from_response, from_transport
from workers.errors import CallError

_url = lru_cache(maxsize=1024)(httpx.URL)


@dataclass(frozen=True, slots=True)
class Answer:
    """A 200 with a JSON object; `seconds` from sending to the last byte."""

    data: dict[str, Any]
    seconds: float


class _Clock:
    """One timer for the three waits after sending: first byte, idle, total. Knows which one ran out."""

    def __init__(self, timeouts: Timeouts, prompt_tokens: int) -> None:
        grown = timeouts.per_1k_tokens * prompt_tokens / 1000
        self._first, self._idle, self._total = timeouts.first_byte + grown, timeouts.idle, timeouts.total + grown
        self._loop = asyncio.get_running_loop()
        self.start = self._loop.time()
        self._name, self._seconds = "", 0.0
        self._timeout = asyncio.timeout_at(self._next("first byte", self._first))
        self._set_at = -math.inf

    def _next(self, name: str, seconds: float) -> float:
        now = self._loop.time()
        end = self.start + self._total
        self._name, self._seconds = (name, seconds) if now + seconds < end else ("total", self._total)
        return min(now + seconds, end)

    def byte_came(self) -> None:
        now = self._loop.time()
        if now - self._set_at > self._idle / 20:  # moving a timer costs more than most chunks
            self._set_at = now
            self._timeout.reschedule(self._next("idle", self._idle))

    @property
    def seconds(self) -> float:
        return self._loop.time() - self.start

    async def __aenter__(self) -> _Clock:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        try:
            await self._timeout.__aexit__(*exc)
        except TimeoutError as error:
            raise CallError("timeout", f"{self._name} timeout: nothing after {self._seconds:.0f} s") from error


@asynccontextmanager
async def _exchange(
    target: Target, url: str, body: Mapping[str, Any], headers: Mapping[str, str], prompt_tokens: int
) -> AsyncIterator[tuple[httpx.Response, _Clock]]:
    """One request under way: (response, clock). Leaving it closes the reply."""
    timeouts, content = target.model.timeouts, orjson.dumps(body)
    length = (b"content-length", b"%d" % len(content))
    request = httpx.Request(  # with `content=` it would work out headers that are the same every time
        "POST",
        _url(url),
        headers=[*_headers(url, tuple(target.model.headers.items()), tuple(headers.items())), length],
        stream=httpx.ByteStream(content),
        extensions={"timeout": {"connect": timeouts.connect}},
    )
    request.read()
    try:
        async with _Clock(timeouts, prompt_tokens) as clock:
            response = await target.http.send(request, stream=True)
            try:
                clock.byte_came()
                yield response, clock
            finally:
                await response.aclose()
    except httpx.HTTPError as error:
        raise from_transport(error, url) from error


@lru_cache(maxsize=1024)
def _headers(
    url: str, model: tuple[tuple[str, str], ...], call: tuple[tuple[str, str], ...]
) -> list[tuple[bytes, bytes]]:
    ours = {"content-type": "application/json", "accept-encoding": "identity", "user-agent": "fathom"}
    found = httpx.Headers({**ours, **dict(model), **dict(call)}, encoding="utf-8")
    return found.raw if "host" in found else [(b"host", _url(url).netloc), *found.raw]


async def post(
    target: Target,
    url: str,
    body: Mapping[str, Any],
    *,
    headers: Mapping[str, str] | None = None,
    prompt_tokens: int = 0,
) -> Answer:
    """POST `body` as JSON and read a JSON object. Raises CallError or ContextOverflow, never anything of httpx.

    Leaving it early (cancel, timeout) closes the connection, so that the server stops working on the request.
    """
    async with _exchange(target, url, body, headers or {}, prompt_tokens) as (response, clock):
        content = await _read(response, clock)
        seconds = clock.seconds
    if response.status_code != 200:
        raise from_response(response.status_code, response.headers, content, url)
    return Answer(parse(content, url), seconds)


async def stream(
    target: Target,
    url: str,
    body: Mapping[str, Any],
    *,
    headers: Mapping[str, str] | None = None,
    prompt_tokens: int = 0,
) -> AsyncGenerator[tuple[dict[str, Any], float], None]:
    """POST `body` and read server-sent events: (the JSON of each `data:`, seconds since sending).

    Lines that are JSON objects without `data:` count too: Ollama streams those, and some servers answer with one
    object although a stream was asked for. Ends at `data: [DONE]` or with the body; iterate it inside
    `contextlib.aclosing`. Raises as `post` does, also for an event with an `error` object.
    """
    async with _exchange(target, url, body, headers or {}, prompt_tokens) as (response, clock):
        if response.status_code != 200:
            raise from_response(response.status_code, response.headers, await _read(response, clock), url)
        async for line in _lines(response, clock):
            data = line[5:].strip() if line.startswith(b"data:") else line.strip()
            if data == b"[DONE]":
                return
            if data.startswith(b"{") or (data and line.startswith(b"data:")):
                yield parse(data, url), clock.seconds


def _chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes; `aiter_raw` would count and translate what the driver's client has translated already."""
    assert isinstance(response.stream, httpx.AsyncByteStream)
    return response.stream.__aiter__()


async def _lines(response: httpx.Response, clock: _Clock) -> AsyncIterator[bytes]:
    pending = b""
    async for chunk in _chunks(response):
        clock.byte_came()
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield line
    yield pending


async def _read(response: httpx.Response, clock: _Clock) -> bytes:
    chunks = []
    async for chunk in _chunks(response):
        clock.byte_came()
        chunks.append(chunk)
    return b"".join(chunks)


def parse(content: bytes, url: str) -> dict[str, Any]:
    """The JSON object of a 200; raises CallError when it is none, or holds an `error`."""
    if not content.strip():
        raise CallError("empty_reply", f"{url} answered 200 with an empty body")
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise CallError("bad_reply", f"{url} answered 200 with what is no JSON: {excerpt(content)}") from error
    if not isinstance(data, dict):
        raise CallError("bad_reply", f"{url} answered 200 with no JSON object: {excerpt(content)}")
    if data.get("error"):  # routers answer 200 and put the upstream's failure into the body
        code = data["error"].get("code") if isinstance(data["error"], dict) else None
        raise from_response(code if isinstance(code, int) and code >= 400 else 502, httpx.Headers(), content, url)
    return data


def now_ms(seconds: float) -> int:
    """Seconds as whole milliseconds."""
    return round(seconds * 1000)


def bearer(target: Target) -> dict[str, str]:
    """The Authorization header with the model's key, if it has one."""
    return {"authorization": f"Bearer {target.api_key}"} if target.api_key else {}
