"""HTTP through an SSH connection: each HTTP connection is a `direct-tcpip` channel, with no local port in between.

The channel is handed to aiohttp as an asyncio transport, so that requests pay no copy through a local socket and
nobody else on the worker's machine can use the tunnel.
"""

from __future__ import annotations

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import aiohttp
import asyncssh
from aiohttp.client_proto import ResponseHandler

from workers.drivers.ssh_link import Link, Links

AnyProtocol = asyncio.Protocol | asyncio.BufferedProtocol
WINDOW = 4 * 1024 * 1024
"""Bytes of a reply that may be under way in one channel."""


class ChannelTransport(asyncio.Transport):
    """An SSH channel as an asyncio transport."""

    def __init__(self, channel: asyncssh.SSHTCPChannel[bytes], address: tuple[str, int]) -> None:
        super().__init__({"peername": address})
        self._channel = channel
        self._protocol: asyncio.BaseProtocol | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._channel.is_closing():
            self._channel.write(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        for data in list_of_data:
            self.write(data)

    def get_write_buffer_size(self) -> int:
        return self._channel.get_write_buffer_size()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._channel.set_write_buffer_limits(high, low)

    def is_closing(self) -> bool:
        return self._channel.is_closing()

    def close(self) -> None:
        self._channel.close()

    def abort(self) -> None:
        self._channel.abort()

    def _force_close(self, exc: BaseException | None) -> None:
        """What asyncio's TLS protocol calls when a handshake fails."""
        self._channel.abort()

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._channel.write_eof()

    def pause_reading(self) -> None:
        self._channel.pause_reading()

    def resume_reading(self) -> None:
        self._channel.resume_reading()

    def get_protocol(self) -> asyncio.BaseProtocol:
        assert self._protocol is not None
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol


def _feed(protocol: asyncio.BufferedProtocol, data: memoryview) -> None:
    while data:
        room = memoryview(protocol.get_buffer(len(data)))
        count = min(len(room), len(data))
        room[:count] = data[:count]
        protocol.buffer_updated(count)
        data = data[count:]


class _Session(asyncssh.SSHTCPSession[bytes]):
    """Passes a channel's events to an asyncio protocol."""

    def __init__(self, protocol: AnyProtocol, address: tuple[str, int], ended: Callable[[], None]) -> None:
        self._protocol, self._address, self._ended = protocol, address, ended

    def connection_made(self, chan: asyncssh.SSHTCPChannel[bytes]) -> None:
        self.transport = ChannelTransport(chan, self._address)
        self.transport.set_protocol(self._protocol)

    def session_started(self) -> None:
        self._protocol.connection_made(self.transport)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        if isinstance(self._protocol, asyncio.BufferedProtocol):  # TLS
            _feed(self._protocol, memoryview(data))
        else:
            self._protocol.data_received(data)

    def eof_received(self) -> bool:
        return bool(self._protocol.eof_received())

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended()
        broken = None if exc is None else ConnectionResetError(f"the SSH connection broke: {exc}")
        self._protocol.connection_lost(broken)


class SshConnector(aiohttp.BaseConnector):
    """aiohttp's connection pool over SSH channels. Host names are resolved on the far machine."""

    def __init__(self, links: Links) -> None:
        super().__init__(limit=0, keepalive_timeout=4)
        self._links = links
        self._tls: ssl.SSLContext | None = None

    async def _create_connection(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Any],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109
    ) -> ResponseHandler:
        address = str(req.url.host), int(req.url.port or 0)
        handler = self._factory()
        link = await self._links.for_channel()  # waits for a broken link to return, with its own patience
        try:
            async with asyncio.timeout(timeout.sock_connect):
                if req.is_ssl():
                    await self._open_tls(link, handler, address)
                else:
                    await _open(link, handler, address)
        except TimeoutError as error:
            message = f"no connection to {address[0]}:{address[1]} from {self._links.host.label} in time"
            raise aiohttp.ConnectionTimeoutError(message) from error
        except asyncssh.ChannelOpenError as error:
            reason = OSError(error.code, f"{error.reason} (seen from {self._links.host.label})")
            raise aiohttp.ClientConnectorError(req.connection_key, reason) from error
        except (asyncssh.Error, OSError) as error:
            raise aiohttp.ClientConnectorError(req.connection_key, OSError(0, str(error))) from error
        return handler

    async def _open_tls(self, link: Link, protocol: asyncio.Protocol, address: tuple[str, int]) -> None:
        loop = asyncio.get_running_loop()
        if self._tls is None:
            self._tls = await asyncio.to_thread(ssl.create_default_context)
        ready = loop.create_future()
        tls = SSLProtocol(loop, protocol, self._tls, ready, server_side=False, server_hostname=address[0])
        await _open(link, tls, address)
        await ready


async def _open(link: Link, protocol: AnyProtocol, address: tuple[str, int]) -> None:
    ended = _Once(link)
    opening = asyncio.ensure_future(
        link.connection.create_connection(
            lambda: _Session(protocol, address, ended), *address, encoding=None, window=WINDOW
        )
    )
    try:
        await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(partial(_close_unwanted, ended))  # else it would stay open at the server
        raise
    except (asyncssh.Error, OSError):
        ended()
        raise


class _Once:
    """Takes a channel off its link's count, once."""

    def __init__(self, link: Link) -> None:
        self._link: Link | None = link

    def __call__(self) -> None:
        if self._link is not None:
            self._link.channels -= 1
            self._link = None


def _close_unwanted(ended: _Once, opening: asyncio.Future[tuple[asyncssh.SSHTCPChannel[bytes], Any]]) -> None:
    ended()
    if not opening.cancelled() and opening.exception() is None:
        opening.result()[0].abort()
