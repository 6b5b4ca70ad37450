"""The httpx transport that many concurrent calls go through: aiohttp's connector under httpx's interface.

httpx's own pool walks all connections at every request, which costs ten times the CPU at a hundred connections; and it
loses an early error reply (413, 429) to a large body. `httpx-aiohttp` has neither fault, but reports a broken
connection as a connect timeout and lets aiohttp's protocol errors through; here both come out as what they are.
"""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

import aiohttp
import httpx
from httpx_aiohttp.transport import AiohttpTransport
from yarl import URL

_LARGE = 1 << 20  # bytes

_MEANINGS: tuple[tuple[type[BaseException], type[httpx.TransportError]], ...] = (
    (aiohttp.ConnectionTimeoutError, httpx.ConnectTimeout),
    (aiohttp.ServerTimeoutError, httpx.ReadTimeout),
    (aiohttp.ServerDisconnectedError, httpx.RemoteProtocolError),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (aiohttp.InvalidURL, httpx.UnsupportedProtocol),
    (aiohttp.ClientPayloadError, httpx.RemoteProtocolError),
    (aiohttp.ClientResponseError, httpx.RemoteProtocolError),
    (aiohttp.ClientConnectionError, httpx.ReadError),
    (aiohttp.ClientError, httpx.TransportError),
    (OSError, httpx.ConnectError),
)


def _as_httpx(error: BaseException, request: httpx.Request) -> httpx.TransportError:
    meaning = next(meaning for kind, meaning in _MEANINGS if isinstance(error, kind))
    return meaning(str(error) or type(error).__name__, request=request)


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: aiohttp.ClientResponse, request: httpx.Request) -> None:
        self._response, self._request = response, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = self._response.content.readany
        try:
            while chunk := await read():
                yield chunk
        except (aiohttp.ClientError, OSError) as error:
            raise _as_httpx(error, self._request) from error

    async def aclose(self) -> None:
        if self._response.content.at_eof():
            self._response.release()
        else:  # closing the connection is what tells a server to stop generating
            self._response.close()


@lru_cache(maxsize=256)
def _timeout(connect: float | None, read: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(sock_connect=connect, sock_read=read)


@lru_cache(maxsize=1024)
def _yarl(url: str) -> URL:
    return URL(url, encoded=True)


def _payload(content: bytes) -> bytes | io.BytesIO | None:
    """Large bodies go as a file, which aiohttp writes by chunk between other work."""
    return io.BytesIO(content) if len(content) > _LARGE else content or None


class Transport(AiohttpTransport):
    """`httpx-aiohttp`'s transport with faithful errors, no cookies and no limit on connections."""

    def __init__(self, connector: aiohttp.BaseConnector | None = None) -> None:
        super().__init__(trust_env=False)
        self._connector = connector

    def get_client(self) -> aiohttp.ClientSession:
        connector = self._connector or aiohttp.TCPConnector(limit=0, keepalive_timeout=4, ssl=self.ssl_context)
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not isinstance(self.client, aiohttp.ClientSession):
            self.client = self.get_client()
        limits = request.extensions.get("timeout", {})
        try:
            content: object = _payload(request.content)
        except httpx.RequestNotRead:
            content = request.stream
            request.headers.pop("transfer-encoding", None)
        try:
            response = await self.client.request(
                request.method,
                _yarl(str(request.url)),
                headers=[(name.decode("ascii"), value.decode("latin-1")) for name, value in request.headers.raw],
                data=content,
                allow_redirects=False,
                timeout=_timeout(limits.get("connect"), limits.get("read")),
            )
        except (aiohttp.ClientError, OSError) as error:
            raise _as_httpx(error, request) from error
        return httpx.Response(
            response.status,
            headers=response.raw_headers,
            stream=_Body(response, request),
            request=request,
            extensions={"http_version": b"HTTP/1.1", "reason_phrase": (response.reason or "").encode()},
        )


class Client(httpx.AsyncClient):
    """An AsyncClient that sends a ready request as it is: no cookies, no redirects, no authentication flows."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport=transport, trust_env=False, timeout=None)
        self._sender = transport

    async def send(self, request: httpx.Request, *, stream: bool = False, **_: Any) -> httpx.Response:
        response = await self._sender.handle_async_request(request)
        response.request = request
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response


def open_client(connector: aiohttp.BaseConnector | None = None) -> httpx.AsyncClient:
    """A client for many concurrent calls: nothing from the environment, no timeouts (each call brings its own)."""
    return Client(Transport(connector))
