"""Around every request: an id, a log line, a limit on the body."""

from __future__ import annotations

import logging
import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import TooLarge
from service.problems import of_error, respond
from service.settings import Settings

log = logging.getLogger("service.access")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = ("/healthz", "/readyz")


class RequestLog:
    """Gives each request an id (the caller's `X-Request-ID` if it has one) and logs how it ended."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = time.perf_counter(), 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            if log.isEnabledFor(logging.DEBUG) or (status >= 400 and scope["path"] not in _QUIET):
                took = (time.perf_counter() - started) * 1000
                level = logging.INFO if status >= 400 else logging.DEBUG
                path = ascii(scope["path"])  # decoded, so it may hold line breaks
                log.log(level, "%s %s %d %.1f ms [%s]", scope["method"], path, status, took, request_id)


class BodyLimit:
    """Refuses bodies over the limit with 413, by their announced length or while they arrive."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    def limit(self, method: str, path: str) -> int:
        if method == "PUT" and path.startswith("/v1/assets/"):
            return self.settings.max_asset
        if path.endswith("/outcomes"):
            return self.settings.max_outcomes_body
        return self.settings.max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        limit = self.limit(scope["method"], scope["path"])
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdigit() and int(announced) > limit:
            await respond(of_error(_too_large(limit)))(scope, receive, send)
            return
        seen, refused = 0, False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(limit)
            return message

        async def replaced(message: Message) -> None:
            # FastAPI answers 400 to whatever is raised while it reads a body: the reason is put right here.
            nonlocal refused
            if seen <= limit:
                await send(message)
            elif not refused:
                refused = True
                await respond(of_error(_too_large(limit)))(scope, receive, send)

        await self.app(scope, counted, replaced)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"the body is larger than {limit:,} bytes, the limit for this address")
