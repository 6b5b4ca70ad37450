"""One HTTP request to the service: its token, its errors, its event streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeVar

import httpx
import orjson
from pydantic import BaseModel, ValidationError

from fathom.errors import Refused, Unreachable
from protocol.common import Problem
from protocol.jobs import Event

M = TypeVar("M", bound=BaseModel)
EVENT_SILENCE = 60.0
"""Seconds without a line (the service sends heartbeats) after which an event stream counts as broken."""
_CUT = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)


class Transport:
    """Sends requests and turns what comes back into values or `fathom.errors`."""

    def __init__(self, server: str, token: str | None, http: httpx.AsyncClient | None = None) -> None:
        self.server = server
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = http or httpx.AsyncClient(base_url=server, timeout=httpx.Timeout(60, connect=10))

    async def close(self) -> None:
        await self._http.aclose()

    async def json(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        content: bytes | AsyncIterator[bytes] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        patience: float = 60,
    ) -> Any:
        """Send one request; returns the parsed JSON body, an empty dict when there is none.

        `patience` is how many seconds the service may take to answer. What may be repeated is sent again, once, when
        the connection is cut before the answer has come.
        """
        sent = {**self._headers, **(headers or {})}
        if json is not None:
            content, sent["Content-Type"] = orjson.dumps(json), "application/json"
        timeout = httpx.Timeout(patience, connect=10)
        request = self._http.build_request(method, path, content=content, params=params, headers=sent, timeout=timeout)
        try:
            try:
                answer = await self._http.send(request)
            except _CUT:
                if not isinstance(content, bytes | None) or (
                    method not in ("GET", "PUT") and "Idempotency-Key" not in sent
                ):
                    raise
                answer = await self._http.send(request)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        if answer.is_error:
            raise refusal(answer)
        return orjson.loads(answer.content) if answer.content else {}

    async def ask(self, kind: type[M], method: str, path: str, **more: Any) -> M:
        """The same, as a model of the protocol."""
        return kind.model_validate(await self.json(method, path, **more))

    async def content(self, path: str) -> bytes:
        """The body of a GET as it is."""
        try:
            answer = await self._http.get(path, headers=self._headers, timeout=httpx.Timeout(600, connect=10))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        if answer.is_error:
            raise refusal(answer)
        return answer.content

    async def events(self, path: str, after: int | None) -> AsyncIterator[Event]:
        """The events of a server-sent stream (WHATWG HTML, 9.2), from the one after `after` on."""
        headers = {**self._headers, "Accept": "text/event-stream"}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        timeout = httpx.Timeout(EVENT_SILENCE, connect=10)
        try:
            async with self._http.stream("GET", path, headers=headers, timeout=timeout) as answer:
                if answer.is_error:
                    await answer.aread()
                    raise refusal(answer)
                data: list[str] = []
                async for line in answer.aiter_lines():
                    if line.startswith("data:"):
                        data.append(line[5:].removeprefix(" "))
                    elif not line and data:
                        yield Event.model_validate_json("\n".join(data))
                        data = []
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: httpx.HTTPError) -> Unreachable:
        why = " ".join(str(error).split()) or type(error).__name__
        return Unreachable(
            f"no answer from the service at {self.server} ({why}); is it running? `fathom up` starts one"
        )


def refusal(answer: httpx.Response) -> Refused:
    """The error of an answer with status 4xx or 5xx, problem document or not."""
    try:
        problem = Problem.model_validate_json(answer.content)
    except ValidationError:
        text = " ".join(answer.text.split())[:200]
        return Refused(answer.status_code, answer.reason_phrase, text or f"HTTP {answer.status_code}")
    if answer.status_code == 401:
        given = "Authorization" in answer.request.headers
        why = "the service does not know this token" if given else "the service wants a token"
        return Refused(401, problem.title, f"{why}: give --token or FATHOM_TOKEN, or save it once with `fathom login`")
    return Refused(answer.status_code, problem.title, problem.detail, problem.errors)
