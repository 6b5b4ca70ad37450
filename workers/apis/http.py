"""What all HTTP kinds share: one POST with four timeouts, and failures sorted by what should happen next."""

from __future__ import annotations

import asyncio
import email.utils
import math
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import httpx
import orjson

from protocol.models import Timeouts
from workers.apis.base import Target
from workers.errors import CallError, ContextOverflow

LONGEST_RETRY_AFTER = 24 * 3600.0
"""Seconds; a server that asks for more is answered with this much."""

_OVERFLOW = re.compile(
    r"exceed_context_size|context_length_exceeded|request_too_large|"
    r"maximum context length|context length is only|longer than the (model's )?context|longer than the maximum|"
    r"exceeds? the (available|model'?s?|maximum)( allowed)? (context|length|input|number of tokens)|"
    r"requested token count exceeds|prompt is too long|exceed context limit|context (window|size|length) (is )?exceeded|"
    r"exceeds? (the )?(maximum )?context|inputs`? tokens \+ `?max_new_tokens|inputs`? must have less than|"
    r"too (long|many tokens).*(context|maximum)|decoder prompt .* is longer",
    re.IGNORECASE,
)
_CAUSES = {401: "auth", 402: "payment", 403: "auth", 404: "not_found", 408: "timeout", 413: "too_large"}
_OVERLOADED = (503, 529)
_TRANSIENT = (408, 409, 425, 429)

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


class _Exchange:
    """One request under way, as a context: (response, clock). Leaving it closes the reply."""

    def __init__(
        self, target: Target, url: str, body: Mapping[str, Any], headers: Mapping[str, str], prompt_tokens: int
    ) -> None:
        timeouts = target.model.timeouts
        self._url, self._http = url, target.http
        self._clock = _Clock(timeouts, prompt_tokens)
        self._request = httpx.Request(
            "POST",
            _url(url),
            headers=_headers(tuple(target.model.headers.items()), tuple(headers.items())),
            content=orjson.dumps(body),
            extensions={"timeout": {"connect": timeouts.connect}},
        )
        self._response: httpx.Response | None = None

    async def __aenter__(self) -> tuple[httpx.Response, _Clock]:
        await self._clock.__aenter__()
        try:
            self._response = await self._http.send(self._request, stream=True)
        except BaseException as error:
            await self._leave(error)
            raise
        self._clock.byte_came()
        return self._response, self._clock

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._response is not None:
            await self._response.aclose()
        await self._leave(error)

    async def _leave(self, error: BaseException | None) -> None:
        await self._clock.__aexit__(type(error) if error else None, error, None)
        if isinstance(error, httpx.HTTPError):
            raise from_transport(error, self._url) from error


@lru_cache(maxsize=1024)
def _headers(model: tuple[tuple[str, str], ...], call: tuple[tuple[str, str], ...]) -> httpx.Headers:
    ours = {"content-type": "application/json", "accept-encoding": "identity", "user-agent": "fathom"}
    return httpx.Headers({**ours, **dict(model), **dict(call)}, encoding="utf-8")


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
    async with _Exchange(target, url, body, headers or {}, prompt_tokens) as (response, clock):
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
    async with _Exchange(target, url, body, headers or {}, prompt_tokens) as (response, clock):
        if response.status_code != 200:
            raise from_response(response.status_code, response.headers, await _read(response, clock), url)
        async for line in _lines(response, clock):
            data = line[5:].strip() if line.startswith(b"data:") else line.strip()
            if data == b"[DONE]":
                return
            if data.startswith(b"{") or (data and line.startswith(b"data:")):
                yield parse(data, url), clock.seconds


async def _lines(response: httpx.Response, clock: _Clock) -> AsyncIterator[bytes]:
    pending = b""
    async for chunk in response.aiter_raw():
        clock.byte_came()
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield line
    yield pending


async def _read(response: httpx.Response, clock: _Clock) -> bytes:
    chunks = []
    async for chunk in response.aiter_raw():
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
        raise CallError("bad_reply", f"{url} answered 200 with what is no JSON: {_excerpt(content)}") from error
    if not isinstance(data, dict):
        raise CallError("bad_reply", f"{url} answered 200 with no JSON object: {_excerpt(content)}")
    if data.get("error"):  # routers answer 200 and put the upstream's failure into the body
        code = data["error"].get("code") if isinstance(data["error"], dict) else None
        raise from_response(code if isinstance(code, int) and code >= 400 else 502, httpx.Headers(), content, url)
    return data


def from_transport(error: httpx.HTTPError, url: str) -> CallError:
    """Sort a failure without a reply: nobody there (the model is down, no attempt spent), or a broken connection."""
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return CallError("bad_request", f"{url} cannot be called: {error}", permanent=True)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        plain = re.sub(r" ssl:\S+", "", str(error)) or what  # aiohttp's note on TLS, also where there is none
        return CallError("connection", f"{url} does not answer: {plain}", counts=False, model_down=True)
    if isinstance(error, httpx.TimeoutException):
        return CallError("timeout", f"{url}: {what}")
    return CallError("connection", f"{url}: the connection broke: {what}")


def from_response(status: int, headers: httpx.Headers, content: bytes, url: str) -> CallError | ContextOverflow:
    """Sort a reply that is not a success, by status code and body, with the server's own message."""
    message = f"{url} answered {status}: {message_of(content)}"
    if status in (400, 413, 422, 500) and _OVERFLOW.search(content.decode(errors="replace")):
        return overflow(content, message)
    after = retry_after(headers)
    if status == 503 and b"loading model" in content.lower():
        return CallError("loading", message, counts=False, model_down=True, retry_after=after)
    if status == 429:
        if b"insufficient_quota" in content:
            return CallError("quota", message, permanent=True)
        return CallError("rate_limited", message, retry_after=after)
    if status in _OVERLOADED:
        return CallError("overloaded", message, retry_after=after)
    if status in _TRANSIENT:
        return CallError(_CAUSES.get(status, "server_error"), message, retry_after=after)
    if status >= 500:
        return CallError("server_error", message, retry_after=after)
    return CallError(_CAUSES.get(status, "bad_request"), message, permanent=True)


def overflow(content: bytes, message: str) -> ContextOverflow:
    """The server's refusal of a prompt as too long, with its figures where it gives them (llama.cpp does)."""
    try:
        error = orjson.loads(content)["error"]
        return ContextOverflow(message, prompt_tokens=error.get("n_prompt_tokens"), window=error.get("n_ctx"))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return ContextOverflow(message)


def message_of(content: bytes) -> str:
    """The human part of an error body: `error.message`, `error`, `message`, `detail`, else its beginning."""
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError:
        return _excerpt(content)
    if isinstance(data, dict):
        error = data.get("error")
        nested = error.get("message") if isinstance(error, dict) else error
        for found in (nested, data.get("message"), data.get("detail")):
            if isinstance(found, str) and found:
                return found[:2000]
    return _excerpt(content)


def retry_after(headers: httpx.Headers) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (seconds or a date, read against the server's own `Date`)."""
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return _bounded(float(milliseconds) / 1000)
        return None if value is None else _bounded(float(value))
    except ValueError:
        pass
    try:
        at = email.utils.parsedate_to_datetime(value or "")
        now = email.utils.parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return _bounded((at - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _bounded(seconds: float) -> float | None:
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER) if seconds == seconds else None


def _excerpt(content: bytes) -> str:
    text = content[:600].decode(errors="replace").strip()
    return text + (" …" if len(content) > 600 else "") if text else "(no body)"


def now_ms(seconds: float) -> int:
    """Seconds as whole milliseconds."""
    return round(seconds * 1000)


def bearer(target: Target) -> dict[str, str]:
    """The Authorization header with the model's key, if it has one."""
    return {"authorization": f"Bearer {target.api_key}"} if target.api_key else {}
