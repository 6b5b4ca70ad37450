"""The contract of a driver: how a worker reaches the machine on which a model runs.

A driver module holds `open_driver(spec) -> Driver`. It must not know any API kind, and no API kind knows a driver's
insides. One driver object serves all models that name the same machine; it is used from one event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, cast

import httpx

from protocol.models import Driver as DriverSpec
from workers.errors import DriverError

Stream = Literal["stdout", "stderr"]


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended. `status` is None when a signal ended it, or when the link broke before it was known."""

    status: int | None
    signal: str | None = None

    @property
    def ok(self) -> bool:
        return self.status == 0


class Process(Protocol):
    """A running program. Its stdin is fed and both outputs are drained in the background, by chunk, never by line."""

    def output(self) -> AsyncIterator[tuple[Stream, bytes]]:
        """Chunks of stdout and stderr in the order in which they come, until both are closed."""

    async def wait(self) -> Exit:
        """The exit, once the program has ended. Raises DriverError when the link to it broke."""


class Driver(Protocol):
    """Opens a machine. Failures to reach it are DriverErrors."""

    def http(self) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        """A client whose connections start on that machine; `trust_env` off, no timeouts of its own, no limit on
        connections. Its errors are httpx's (`httpx.ConnectError`, `httpx.ReadError`, …)."""

    def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        deadline: float | None = None,
    ) -> AbstractAsyncContextManager[Process]:
        """Run a program there in a process group of its own. `env` is all of its environment but PATH, HOME and LANG;
        nothing else is inherited. After `deadline` seconds, and whenever the block is left, its whole process tree is
        killed. Raises TimeoutError inside the block when the deadline is over."""

    def temporary_file(self, content: bytes, name: str) -> AbstractAsyncContextManager[str]:
        """The path of a file there that holds `content` and only its owner may read; it is removed afterwards."""

    async def read_files(self, patterns: Sequence[str], limit: int = 64 * 1024 * 1024) -> dict[str, bytes]:
        """Files there by path, for glob patterns; DriverError when together they are larger than `limit` bytes."""

    async def aclose(self) -> None:
        """Close connections; clients and processes still in use break."""


@dataclass(frozen=True, slots=True)
class Completed:
    """What a program left behind; `truncated` when its stdout was longer than the limit."""

    exit: Exit
    stdout: bytes
    stderr: bytes
    truncated: bool = False


async def complete(
    driver: Driver,
    command: Sequence[str],
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    deadline: float | None = None,
    limit: int = 16 * 1024 * 1024,
) -> Completed:
    """Run a program to its end and gather its output: `limit` bytes of stdout, the last 64 KiB of stderr."""
    stdout, stderr, truncated = bytearray(), bytearray(), False
    async with driver.run(command, stdin=stdin, env=env, cwd=cwd, deadline=deadline) as process:
        async for stream, chunk in process.output():
            if stream == "stderr":
                stderr += chunk
                del stderr[:-65536]
            elif len(stdout) + len(chunk) > limit:
                stdout += chunk[: limit - len(stdout)]
                truncated = True
            else:
                stdout += chunk
        ended = await process.wait()
    return Completed(ended, bytes(stdout), bytes(stderr), truncated)


class OpenDriver(Protocol):
    """What a driver module offers under the name `open_driver`. It connects lazily: no I/O here."""

    def __call__(self, spec: DriverSpec) -> Driver: ...


_BUILT_IN = {"local": "workers.drivers.local", "ssh": "workers.drivers.ssh"}


def open_driver(spec: DriverSpec) -> Driver:
    """The driver a model names. Raises DriverError (permanent) when there is none of that kind."""
    module = _BUILT_IN.get(spec.kind, "workers.drivers.plugin")
    try:
        found = cast(OpenDriver, import_module(module).open_driver)
    except ImportError as error:
        raise DriverError("driver", f"driver {spec.kind!r} cannot be loaded here: {error}", permanent=True) from error
    return found(spec)
