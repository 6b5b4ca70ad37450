"""The driver `ssh`: calls start on a machine that the worker reaches over SSH.

HTTP goes through channels of one kept-alive connection (`ssh_http`), programs run under a wrapper that ends with the
connection (`ssh_process`); `ssh_link` opens and reopens connections, `ssh_hosts` secures them.
"""

from __future__ import annotations

import asyncio
import io
import tarfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx

from protocol.models import Driver as DriverSpec
from workers.drivers.base import Driver, Process, complete
from workers.drivers.ssh_hosts import Host, host_of
from workers.drivers.ssh_http import SshConnector
from workers.drivers.ssh_link import Links
from workers.drivers.ssh_process import running
from workers.drivers.transport import open_client
from workers.errors import DriverError

_WRITE_FILE = 'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/fathom.XXXXXX") && cat >"$d/$1" && printf %s "$d/$1"'
_REMOVE_FILE = 'rm -f "$1"; rmdir "${1%/*}"'
_SIZES = 'IFS=; for p in "$@"; do for f in $p; do [ -f "$f" ] && wc -c <"$f"; done; done; true'
_ARCHIVE = (
    'IFS=; n=$#; for p in "$@"; do for f in $p; do [ -f "$f" ] && set -- "$@" "$f"; done; done; '
    'shift $n; [ $# = 0 ] || exec tar -chPf - "$@"'
)


class SshDriver:
    """A machine behind SSH."""

    def __init__(self, host: Host) -> None:
        self.links = Links(host)

    @asynccontextmanager
    async def http(self) -> AsyncIterator[httpx.AsyncClient]:
        async with open_client(SshConnector(self.links)) as client:
            yield client

    @asynccontextmanager
    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        deadline: float | None = None,
    ) -> AsyncIterator[Process]:
        async with running(self.links, command, stdin=stdin, env=env or {}, cwd=cwd, deadline=deadline) as process:
            yield process

    @asynccontextmanager
    async def temporary_file(self, content: bytes, name: str) -> AsyncIterator[str]:
        if "/" in name or name in ("", ".", ".."):
            raise DriverError("driver", f"{name!r} is no file name", permanent=True)
        path = (await self._shell(_WRITE_FILE, name, stdin=content)).decode()
        try:
            yield path
        finally:
            await asyncio.shield(self._shell(_REMOVE_FILE, path))

    async def read_files(self, patterns: Sequence[str], limit: int = 64 * 1024 * 1024) -> dict[str, bytes]:
        sizes = await self._shell(_SIZES, *patterns)
        if sum(map(int, sizes.split())) > limit:
            message = f"the files of {list(patterns)} hold more than {limit} bytes"
            raise DriverError("too_large", message, permanent=True)
        packed = await self._shell(_ARCHIVE, *patterns, limit=2 * limit + 16 * 1024 * 1024)
        return await asyncio.to_thread(_unpack, packed)

    async def aclose(self) -> None:
        await self.links.aclose()

    async def _shell(self, script: str, *arguments: str, stdin: bytes = b"", limit: int = 16 * 1024 * 1024) -> bytes:
        done = await complete(self, ["sh", "-c", script, "sh", *arguments], stdin=stdin, limit=limit)
        if not done.exit.ok or done.truncated:
            reason = done.stderr.decode(errors="replace").strip() or str(done.exit)
            raise DriverError("driver", f"{self.links.host.label}: {reason}", permanent=True)
        return done.stdout


def _unpack(packed: bytes) -> dict[str, bytes]:
    if not packed:
        return {}
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                found[member.name] = content.read()
    return found


def open_driver(spec: DriverSpec) -> Driver:
    """The driver of the machine `spec.host`. Raises DriverError (permanent) for options that make no sense."""
    return SshDriver(host_of(spec))
