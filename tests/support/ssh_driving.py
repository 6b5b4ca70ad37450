"""Short ways to use the ssh driver in tests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from protocol.models import Driver as DriverSpec
from workers.drivers.base import complete, open_driver
from workers.drivers.ssh import SshDriver
from workers.errors import DriverError


@asynccontextmanager
async def driving(spec: DriverSpec) -> AsyncIterator[SshDriver]:
    driver = open_driver(spec)
    assert isinstance(driver, SshDriver)
    try:
        yield driver
    finally:
        await driver.aclose()


async def sh(driver: SshDriver, script: str, **more: Any) -> str:
    """What a shell script prints on the far machine."""
    done = await complete(driver, ["sh", "-c", script], **more)
    assert done.exit.ok, done
    return done.stdout.decode()


async def refusal(spec: DriverSpec) -> DriverError:
    """The error with which the driver cannot be used."""
    async with driving(spec) as driver:
        with pytest.raises(DriverError) as caught:
            await complete(driver, ["true"])
    return caught.value


async def here(*command: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> str:
    """What a program prints on this machine."""
    child = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={**os.environ, **(env or {})}
    )
    output, _ = await child.communicate(stdin)
    assert child.returncode == 0, command
    return output.decode()


def processes_with(mark: str) -> list[int]:
    """Processes of this machine whose command line holds a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and mark.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]
