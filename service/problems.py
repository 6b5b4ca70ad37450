"""Every 4xx and 5xx answer is a problem document (RFC 9457, `application/problem+json`)."""

from __future__ import annotations

import errno
import logging
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from http import HTTPStatus
from typing import Any

import asyncpg
import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy import exc as sa
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from protocol.common import FieldProblem, Problem
from protocol.wording import blamed, worded
from service.db.engine import LOST
from service.errors import RequestError

log = logging.getLogger("service.problems")
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "2"
_SHOWN, _LONG = 200, 1000


Render = Callable[[Request, Problem], Response]


def answer(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as a document, or as a page for a browser that asked for a page."""
    render: Render | None = getattr(request.app.state, "problem_page", None)
    path, accepts = request.url.path, request.headers.get("accept", "")
    if render is None or path.startswith("/v1") or "text/html" not in accepts:
        return respond(problem, headers)
    response = render(request, problem)
    response.headers.update(headers or {})
    return response


def respond(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as a response."""
    body = orjson.dumps(presentable(problem).model_dump(mode="json"))
    return Response(body, problem.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def presentable(problem: Problem) -> Problem:
    """The problem in texts of bounded length and valid Unicode: they may quote anything that was sent."""
    errors = [
        FieldProblem(field=clean(e.field, _LONG), value=shown(e.value), message=clean(e.message, _LONG))
        for e in problem.errors[:100]
    ]
    return problem.model_copy(update={"detail": clean(problem.detail, 2 * _LONG), "errors": errors})


def clean(text: str, limit: int) -> str:
    """The text, cut at the limit, with `?` for lone surrogates."""
    short = text if len(text) <= limit else text[:limit] + "…"
    return short.encode("utf-8", "replace").decode()


def of_error(error: RequestError) -> Problem:
    return Problem(
        type=error.kind, title=error.title, status=error.status, detail=error.detail, errors=list(error.errors)
    )


def database_away(error: BaseException) -> str | None:
    """Why the database can't serve now, or None when the error is about something else."""
    if isinstance(error, sa.TimeoutError):
        return "no free database connection"
    if isinstance(error, sa.DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        if error.connection_invalidated or isinstance(error, sa.InterfaceError | sa.OperationalError):
            return "the database does not answer"
        return _by_state(state)
    if isinstance(error, asyncpg.PostgresError):
        return _by_state(error.sqlstate or "")
    if isinstance(
        error, asyncpg.InterfaceError | asyncpg.InternalClientError | ConnectionError | TimeoutError | FileNotFoundError
    ):
        return "the database does not answer"
    return None


def unfit(error: BaseException) -> str | None:
    """Why a value of the request can't be put into a query, or None when the error is about something else."""
    if isinstance(error, UnicodeEncodeError):
        return "it is not valid Unicode"
    if isinstance(error, sa.StatementError) and isinstance(error.orig, TypeError | ValueError | OverflowError):
        return str(error.orig)
    if isinstance(error, asyncpg.DataError) or str(getattr(error, "sqlstate", None) or "").startswith("22"):
        return str(error).splitlines()[0][:_SHOWN]
    for inner in (getattr(error, "orig", None), error.__cause__):
        if inner is not None and (why := unfit(inner)) is not None:
            return why
    return None


def _by_state(state: str) -> str | None:
    if state.startswith(("08", "57P")):
        return "the database does not answer"
    if state.startswith("53"):
        return "the database is out of disk, memory or connections"
    if state in ("40001", "40P01", "55P03", "57014"):
        return "the database is busy"
    return None


def unavailable(request: Request, detail: str) -> Response:
    problem = Problem(type="urn:fathom:unavailable", title="Unavailable", status=503, detail=f"{detail}; try again")
    return answer(request, problem, {"Retry-After": RETRY_AFTER})


def field_path(location: tuple[int | str, ...]) -> str:
    """`("body", "options", "lengths", 0)` as `options.lengths.0`."""
    parts = [str(p) for p in location]
    return ".".join(parts[1:] if len(parts) > 1 and parts[0] in ("body", "query", "path", "header") else parts)


def fields_of(
    errors: Iterable[Mapping[str, Any]], within: tuple[str, ...] = (), known: Collection[str] = ()
) -> list[FieldProblem]:
    """The entries of `ValidationError.errors()` in words, with their places below `within`; `known` are the fields there
    are, to guess at the one that was meant."""
    return [
        FieldProblem(field=field_path((*within, *e["loc"])), value=shown(blamed(e)), message=worded(e, known))
        for e in errors
    ]


def shown(value: Any) -> Any:
    """A value fit for an error message: short, JSON."""
    if isinstance(value, str | bytes):
        return clean(value if isinstance(value, str) else value.decode("utf-8", "replace"), _SHOWN)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return clean(str(value), _SHOWN)
    if isinstance(value, bool | int | float) or value is None:
        return value
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, RecursionError):
        return clean(reprlib.repr(value), _SHOWN)
    return value if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(e["loc"] == ("body",) and isinstance(e.get("input"), bytes | str) for e in found):
        detail = "the body must be JSON, with the header `Content-Type: application/json`"
        return answer(request, Problem(title="Unsupported media type", status=415, detail=detail))
    if any(e["type"] == "json_invalid" for e in found):
        reason = found[0].get("ctx", {}).get("error", "")
        detail = f"the body is not valid JSON: {reason}"
        return answer(request, Problem(type="urn:fathom:bad-json", title="Bad JSON", status=400, detail=detail))
    fields = fields_of(found)
    detail = "; ".join(f"{f.field}: {f.message}" for f in fields[:5])
    return answer(
        request, Problem(type="urn:fathom:invalid", title="Invalid request", status=422, detail=detail, errors=fields)
    )


def _request_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    headers = dict(error.headers)
    if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.setdefault("Retry-After", RETRY_AFTER)
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers.setdefault("WWW-Authenticate", 'Bearer realm="fathom"')
    return answer(request, of_error(error), headers)


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    detail = error.detail if error.detail != title else f"{request.method} {request.url.path}"
    return answer(request, Problem(title=title, status=error.status_code, detail=str(detail)), error.headers)


def of_exception(request: Request, error: Exception) -> Response:
    """Tell a database that is away, a full disk and values that can't be stored from faults of the service."""
    if (why := unfit(error)) is not None:
        detail = f"a value in the request is nothing that can be stored or found: {why}"
        return answer(request, Problem(type="urn:fathom:invalid", title="Invalid request", status=422, detail=detail))
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        detail = "the disk of the service is full; free some space, or point FATHOM_DATA to another"
        return answer(request, Problem(type="urn:fathom:disk-full", title="Disk full", status=507, detail=detail))
    if (why := database_away(error)) is not None:
        log.warning("%s %s: %s (%s)", request.method, ascii(request.url.path), why, type(error).__name__)
        return unavailable(request, why)
    return _fault(request, error)


def _gone(request: Request, error: Exception) -> Response:
    log.info("%s %s: the client went away before it had sent everything", request.method, ascii(request.url.path))
    return Response(status_code=HTTPStatus.BAD_REQUEST)  # for the log alone: nobody reads it


def _fault(request: Request, error: Exception) -> Response:
    request_id = getattr(request.state, "request_id", "-")
    log.error("%s %s failed, request %s", request.method, ascii(request.url.path), request_id, exc_info=error)
    detail = f"the service failed on this request; its log has the reason under request id {request_id}"
    return answer(request, Problem(title="Internal server error", status=500, detail=detail))


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(RequestError, _request_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _gone)
    for kind in (
        sa.SQLAlchemyError,
        asyncpg.PostgresError,
        *LOST,
        UnicodeEncodeError,
    ):
        app.add_exception_handler(kind, of_exception)
    app.add_exception_handler(Exception, _fault)
