"""A TCP proxy that misbehaves as networks do: slow, silent, half open, broken off, or with a reply that gets lost.

async with FaultProxy(("127.0.0.1", port)) as proxy: … connect to proxy.port …
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

_CHUNK = 65536


@dataclass(eq=False)
class _Link:
    """One connection through the proxy, as the writers of its two ends."""

    ends: list[asyncio.StreamWriter]
    silent: bool = False
    doomed: bool = False
    replied: int = 0


@dataclass
class FaultProxy:
    """Forwards connections to `target`, a TCP address or the path of a unix socket.

    `latency` is added to every chunk, in seconds. `cut_after` breaks a connection off once that many bytes of replies
    have passed through it. What is said to one end of a silent connection never arrives, and nobody closes it.
    """

    target: tuple[str, int] | Path
    listen: str = "127.0.0.1"
    latency: float = 0.0
    cut_after: int | None = None
    mode: Literal["pass", "silent", "refuse"] = "pass"
    lost_replies: int = field(default=0, init=False)
    broken: int = field(default=0, init=False)
    port: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._links: set[_Link] = set()
        self._lose: bytes | None = None
        self._lose_count = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        return f"http://{self.listen}:{self.port}"

    async def __aenter__(self) -> FaultProxy:
        self._server = await asyncio.start_server(self._accept, self.listen, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        self.break_all()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def connections(self) -> int:
        """Connections that still carry what is said on them."""
        return sum(not link.silent for link in self._links)

    def break_all(self) -> None:
        """Reset every connection (RST, as a router does that forgot them)."""
        for link in list(self._links):
            self._reset(link)

    def half_open(self) -> None:
        """Make all present connections silent for ever, as when a cable is pulled; new ones work."""
        for link in self._links:
            link.silent = True

    def lose_replies(self, marker: bytes, count: int = 1) -> None:
        """Let the next `count` requests that hold `marker` through, and break off when their replies come."""
        self._lose, self._lose_count = marker, count

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        link = _Link([writer])
        self._links.add(link)
        try:
            if self.mode == "refuse":
                return self._reset(link)
            link.silent = self.mode == "silent"
            there_reader, there_writer = await self._connect()
            link.ends.append(there_writer)
            await asyncio.gather(
                self._pump(link, reader, there_writer, asking=True),
                self._pump(link, there_reader, writer, asking=False),
            )
        except (OSError, asyncio.CancelledError):  # cancelled only by __aexit__, and streams complain of tasks that are
            self._reset(link)
        finally:
            self._links.discard(link)
            self._tasks.discard(task)
            for end in link.ends:
                with contextlib.suppress(OSError):
                    end.close()
        return None

    def _connect(self) -> Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        if isinstance(self.target, Path):
            return asyncio.open_unix_connection(self.target)
        return asyncio.open_connection(*self.target)

    async def _pump(
        self, link: _Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, asking: bool
    ) -> None:
        while chunk := await reader.read(_CHUNK):
            if self.mode == "silent":
                link.silent = True
            if self.latency:
                await asyncio.sleep(self.latency)
            if link.silent:
                continue
            if asking:
                self._look_for_doom(link, chunk)
            elif self._breaks_off(link, chunk):
                return self._reset(link)
            writer.write(chunk)
            await writer.drain()
        if not link.silent and writer.can_write_eof():
            with contextlib.suppress(OSError):
                writer.write_eof()
        return None

    def _look_for_doom(self, link: _Link, chunk: bytes) -> None:
        if self._lose is not None and self._lose_count and self._lose in chunk:
            self._lose_count -= 1
            link.doomed = True

    def _breaks_off(self, link: _Link, chunk: bytes) -> bool:
        link.replied += len(chunk)
        if link.doomed:
            self.lost_replies += 1
            return True
        return self.cut_after is not None and link.replied > self.cut_after

    def _reset(self, link: _Link) -> None:
        self.broken += 1
        for end in link.ends:
            raw = end.get_extra_info("socket")
            if raw is not None and raw.family != socket.AF_UNIX:
                with contextlib.suppress(OSError):
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.transport.abort()
