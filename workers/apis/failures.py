"""Failures of HTTP calls, sorted by what should happen next."""

from __future__ import annotations

import email.utils
import re
from datetime import UTC, datetime

import httpx
import orjson

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
        return excerpt(content)
    if isinstance(data, dict):
        error = data.get("error")
        nested = error.get("message") if isinstance(error, dict) else error
        for found in (nested, data.get("message"), data.get("detail")):
            if isinstance(found, str) and found:
                return found[:2000]
    return excerpt(content)


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


def excerpt(content: bytes) -> str:
    """The beginning of a body, for messages."""
    text = content[:600].decode(errors="replace").strip()
    return text + (" …" if len(content) > 600 else "") if text else "(no body)"
