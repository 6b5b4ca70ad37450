"""The SSH connections to one host: opened when first needed, kept alive, opened again when they break.

One connection carries everything until there is a reason for more: a server's `MaxSessions` (10 by default; forwarded
channels are not counted), or many channels at once.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

import asyncssh

from workers.drivers.ssh_hosts import Host, connect, jumps_of, refused
from workers.errors import DriverError

CHANNELS_PER_LINK = 64
FIRST_PATIENCE_SECONDS = 3.0
"""For a host that was never reached: long enough for a server that drops connections under load (MaxStartups), short
enough that a wrong host name is told at once."""
_LONGEST_PAUSE = 15.0
_MANY = 1_000_000


@dataclass(eq=False)
class Link:
    """One SSH connection, and what goes through it now."""

    connection: asyncssh.SSHClientConnection
    sessions: int = 0
    session_limit: int = _MANY
    channels: int = 0
    _hops: list[asyncssh.SSHClientConnection] = field(default_factory=list)

    @property
    def up(self) -> bool:
        return not self.connection.is_closed()

    def close(self) -> None:
        self.connection.abort()
        for hop in reversed(self._hops):
            hop.abort()


class Links:
    """All connections to one host. Used from one event loop."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._links: list[Link] = []
        self._opening: asyncio.Task[Link] | None = None
        self._room = asyncio.Event()
        self._reached = False
        self._closed = False

    @property
    def open_connections(self) -> int:
        return sum(link.up for link in self._links)

    async def for_channel(self) -> Link:
        """A connection on which to open a forwarded channel. It is counted: take 1 from `channels` when it ends."""
        while True:
            links = self._alive()
            roomy = [link for link in links if link.channels < CHANNELS_PER_LINK]
            if roomy or len(links) >= self.host.options.max_connections:
                link = min(roomy or links, key=lambda link: link.channels)
                link.channels += 1
                return link
            await self._one_more()

    @asynccontextmanager
    async def session(self, command: str) -> AsyncIterator[asyncssh.SSHClientProcess[bytes]]:
        """A session that runs `command` on any connection with room for one; waits when none has."""
        link, process = await self._open_session(command)
        try:
            yield process
        finally:
            self._release(link)

    async def _open_session(self, command: str) -> tuple[Link, asyncssh.SSHClientProcess[bytes]]:
        while True:
            link = await self._for_session()
            with ExitStack() as undo:
                undo.callback(self._release, link)
                try:
                    process = await link.connection.create_process(command, encoding=None)
                except asyncssh.ChannelOpenError as error:
                    undo.close()
                    link.session_limit = link.sessions  # finds out the host's MaxSessions, one refusal at a time
                    if link.up and not link.sessions:
                        message = f"{self.host.label} opens no session: {error.reason}"
                        raise DriverError("connection", message, counts=False) from error
                except (asyncssh.Error, OSError) as error:
                    message = f"cannot run a program on {self.host.label}: {error}"
                    raise DriverError("connection", message, counts=False) from error
                else:
                    undo.pop_all()
                    return link, process

    async def _for_session(self) -> Link:
        while True:
            links = self._alive()
            roomy = [link for link in links if link.sessions < link.session_limit]
            if roomy:
                link = min(roomy, key=lambda link: link.sessions)
                link.sessions += 1
                return link
            if len(links) >= self.host.options.max_connections:
                self._room.clear()
                await self._room.wait()
            else:
                await self._one_more()

    def _release(self, link: Link) -> None:
        link.sessions -= 1
        self._room.set()

    def _alive(self) -> list[Link]:
        self._links = [link for link in self._links if link.up]
        return self._links

    async def aclose(self) -> None:
        self._closed = True
        if self._opening:
            self._opening.cancel()
            with suppress(asyncio.CancelledError, DriverError):
                await self._opening
        links, self._links = self._links, []
        for link in links:
            link.close()
        for link in links:
            await link.connection.wait_closed()

    async def _one_more(self) -> None:
        """Open one connection; all who wait for one share the attempt (servers drop bursts of connections)."""
        if self._closed:
            raise DriverError("driver", f"the driver for {self.host.label} is closed", counts=False)
        if self._opening is None:
            self._opening = asyncio.create_task(self._open_patiently())
            self._opening.add_done_callback(self._opened)
        await asyncio.shield(self._opening)

    def _opened(self, task: asyncio.Task[Link]) -> None:
        self._opening = None
        if not task.cancelled() and task.exception() is None:
            self._links.append(task.result())
            self._reached = True

    async def _open_patiently(self) -> Link:
        loop = asyncio.get_running_loop()
        patience = self.host.options.patience_seconds if self._reached else FIRST_PATIENCE_SECONDS
        started, pause, tries = loop.time(), 0.25, 0
        while True:
            tries += 1
            try:
                return await _open(self.host)
            except DriverError as error:
                if error.permanent:
                    raise
                wait = random.uniform(pause / 2, pause)
                if loop.time() + wait - started > patience:
                    message = f"{error.message} ({tries} tries in {loop.time() - started:.0f} s)"
                    raise DriverError("connection", message, counts=False, model_down=True) from error
            await asyncio.sleep(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)


async def _open(host: Host, depth: int = 0) -> Link:
    """Connect through the host's jump hosts, each of which may have its own."""
    if depth > 8:
        raise refused(f"driver ssh: more than 8 jump hosts before {host.label}; does ProxyJump go in a circle?")
    hops: list[asyncssh.SSHClientConnection] = []
    with ExitStack() as undo:
        for number, jump in enumerate(await asyncio.to_thread(jumps_of, host)):
            if number == 0:
                first = await _open(jump, depth + 1)
                reached = [*first._hops, first.connection]
            else:
                reached = [await connect(jump, hops[-1])]
            for hop in reached:
                undo.callback(hop.abort)
            hops += reached
        connection = await connect(host, hops[-1] if hops else None)
        undo.pop_all()
    return Link(connection, _hops=hops)
