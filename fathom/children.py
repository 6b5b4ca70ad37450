"""Child processes that end with us, however we end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)
LIFELINE = "FATHOM_LIFELINE"
"""Set in a child: it stops when its stdin ends, which it does when we are gone, even by SIGKILL."""


@dataclass(frozen=True, slots=True)
class Program:
    """A Python module to run as a child."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log: Path


class Children:
    """Starts programs and starts them again when they die, until `stop`."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = False

    def start(self, program: Program) -> None:
        self._tasks.append(asyncio.create_task(self._keep(program), name=program.name))

    async def _keep(self, program: Program) -> None:
        delay = 1.0
        while not self._stopping:
            started = asyncio.get_running_loop().time()
            process = self._processes[program.name] = await spawn(program)
            code = await process.wait()
            if self._stopping:
                return
            if asyncio.get_running_loop().time() - started > 60:
                delay = 1.0
            log.warning(
                "%s ended with code %s, see %s; starting it again in %.0f s", program.name, code, program.log, delay
            )
            await asyncio.sleep(delay)
            delay = min(delay * 2, 60)

    async def stop(self, seconds: float) -> None:
        """SIGTERM to all, SIGKILL to those that are still there after `seconds`."""
        self._stopping = True
        await asyncio.gather(*(end(p, seconds) for p in self._processes.values()))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def kill(self) -> None:
        """SIGKILL to all: the user does not want to wait."""
        for process in self._processes.values():
            if process.returncode is None:
                process.kill()


async def spawn(program: Program) -> asyncio.subprocess.Process:
    """Start a program in a session of its own, so that Ctrl-C reaches us alone, with our end as its lifeline."""
    program.log.parent.mkdir(parents=True, exist_ok=True)
    with program.log.open("ab") as output:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *program.arguments,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env={**os.environ, **program.environment, LIFELINE: "1"},
            start_new_session=True,
        )


async def end(process: asyncio.subprocess.Process, seconds: float) -> None:
    """End a process: SIGTERM, then SIGKILL after `seconds`."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def hold_lifeline() -> None:
    """In a child: send SIGTERM to ourselves when the parent is gone."""
    if os.environ.pop(LIFELINE, None) is None:
        return
    import threading

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()
