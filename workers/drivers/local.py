"""The driver `local`: calls start on the worker's own machine."""

from __future__ import annotations

import asyncio
import contextlib
import glob
import os
import signal
import tempfile
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import httpx

from protocol.models import Driver as DriverSpec
from workers.drivers.base import Driver, Exit, Process, Stream
from workers.drivers.transport import open_client
from workers.errors import DriverError

_CHUNK = 65536
_KEPT_ENVIRONMENT = ("PATH", "HOME", "LANG")
_LINGER = 0.5  # seconds of silence after which a program that has ended is taken to have no more to say
_MARK = "FATHOM_CALL"


class _LocalProcess:
    """A child whose stdin is fed by one task and whose outputs are read by two, through a bounded queue."""

    def __init__(self, child: asyncio.subprocess.Process, stdin: bytes, mark: str) -> None:
        self._child, self._mark = child, mark
        self._chunks: asyncio.Queue[tuple[Stream, bytes] | None] = asyncio.Queue(maxsize=64)
        assert child.stdout is not None
        assert child.stderr is not None
        self._tasks = [
            asyncio.create_task(self._feed(stdin)),
            asyncio.create_task(self._drain("stdout", child.stdout)),
            asyncio.create_task(self._drain("stderr", child.stderr)),
        ]

    async def _feed(self, stdin: bytes) -> None:
        pipe = self._child.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a program need not read all of its input
            for start in range(0, len(stdin), _CHUNK):
                pipe.write(stdin[start : start + _CHUNK])
                await pipe.drain()
        pipe.close()

    async def _drain(self, name: Stream, pipe: asyncio.StreamReader) -> None:
        while chunk := await pipe.read(_CHUNK):
            await self._chunks.put((name, chunk))
        await self._chunks.put(None)

    async def output(self) -> AsyncIterator[tuple[Stream, bytes]]:
        closed = 0
        while closed < 2:
            try:
                item = await asyncio.wait_for(self._chunks.get(), _LINGER)
            except TimeoutError:
                if self._child.returncode is not None:  # a child that was left behind holds the pipes open
                    return
                continue
            if item is None:
                closed += 1
            else:
                yield item

    async def wait(self) -> Exit:
        while self._child.returncode is None:  # asyncio's own wait() also waits for whoever holds the pipes
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._child.wait(), _LINGER)
        code = self._child.returncode
        return Exit(code) if code >= 0 else Exit(None, signal.Signals(-code).name)

    async def kill(self) -> None:
        """Kill the process group, also when its leader is gone, then whatever left the group but bears our mark."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        await asyncio.to_thread(_kill_marked, f"{_MARK}={self._mark}".encode())
        await self._child.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class LocalDriver:
    """This machine."""

    @contextlib.asynccontextmanager
    async def http(self) -> AsyncIterator[httpx.AsyncClient]:
        async with open_client() as client:
            yield client

    @contextlib.asynccontextmanager
    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        deadline: float | None = None,
    ) -> AsyncIterator[Process]:
        mark = uuid.uuid4().hex
        inherited = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        try:
            child = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**inherited, **(env or {}), _MARK: mark},
                cwd=cwd,
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
            raise DriverError("not_found", f"cannot run {command[0]!r}: {error}", permanent=True) from error
        process = _LocalProcess(child, stdin, mark)
        try:
            async with asyncio.timeout(deadline):
                yield process
        finally:
            await asyncio.shield(process.kill())

    @contextlib.asynccontextmanager
    async def temporary_file(self, content: bytes, name: str) -> AsyncIterator[str]:
        with tempfile.TemporaryDirectory(prefix="fathom-") as folder:
            path = Path(folder) / name
            await asyncio.to_thread(_write_private, path, content)
            yield str(path)

    async def read_files(self, patterns: Sequence[str], limit: int = 64 * 1024 * 1024) -> dict[str, bytes]:
        return await asyncio.to_thread(_read_files, patterns, limit)

    async def aclose(self) -> None:
        """Nothing is kept open."""


def _kill_marked(mark: bytes) -> None:
    """Kill every process whose environment holds the mark: those that started a session of their own (Linux).

    Looks again until it finds none, since what is killed may just have forked.
    """
    found = True
    while found:
        found = False
        for environment in glob.glob("/proc/[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in Path(environment).read_bytes().split(b"\0"):
                    os.kill(int(environment.split("/")[2]), signal.SIGKILL)
                    found = True


def _write_private(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _read_files(patterns: Sequence[str], limit: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    left = limit
    for path in sorted({path for pattern in patterns for path in glob.glob(pattern) if os.path.isfile(path)}):
        left -= os.path.getsize(path)
        if left < 0:
            raise DriverError(
                "too_large", f"the files of {list(patterns)} hold more than {limit} bytes", permanent=True
            )
        found[path] = Path(path).read_bytes()
    return found


def open_driver(spec: DriverSpec) -> Driver:
    """The driver of this machine; it takes no options."""
    if spec.host is not None or spec.options:
        raise DriverError("driver", "driver 'local' takes neither host nor options", permanent=True)
    return LocalDriver()
