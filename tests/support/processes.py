"""Programs as processes that tests kill, freeze and start again; what they say goes to a file."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.waiting import until


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie of the process table does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@dataclass
class FathomProcess:
    """A `fathom` command. `wrapper` are words before it, such as `ip netns exec name`."""

    arguments: Sequence[str | Path]
    environment: Mapping[str, str]
    log: Path
    wrapper: Sequence[str] = ()
    process: subprocess.Popen[str] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it (again)."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        command = [*self.wrapper, sys.executable, "-m", "fathom", *map(str, self.arguments)]
        with self.log.open("a") as said:
            self.process = subprocess.Popen(
                command,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if "--json" in self.arguments else said,
                stderr=said,
                text=True,
                start_new_session=True,
            )

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def first_line(self) -> dict[str, Any]:
        """The JSON that a command with `--json` prints once it is up."""
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.kill()
            raise AssertionError(f"ended with code {self.process.returncode}: {self.said[-3000:]}")
        return dict(json.loads(line))

    def send(self, number: int) -> None:
        if self.running:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.send(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()

    async def ended(self, seconds: float = 60) -> int:
        """The exit code, once it has ended."""
        await until(lambda: not self.running, seconds)
        assert self.process is not None
        return self.process.returncode

    async def terminate(self) -> int:
        """SIGTERM; the exit code."""
        self.send(signal.SIGTERM)
        return await self.ended()


async def quietly(process: FathomProcess) -> None:
    """Kill without holding up the event loop."""
    await asyncio.to_thread(process.kill)
