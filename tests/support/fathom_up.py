"""`fathom up` and other commands as processes of their own, with a data folder and a home of their own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)

    @property
    def lines(self) -> list[object]:
        """The JSON of each line."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Home:
    """A folder with what one user would have: configuration, data. `environment` is what commands run in."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FATHOM_", "XDG_", "DATABASE_URL"))}
        return {**kept, "HOME": str(self.folder / "home"), "PYTHONUNBUFFERED": "1", "COLUMNS": "120"}

    def fathom(
        self, *arguments: str | Path, environment: Mapping[str, str] | None = None, seconds: float = 120
    ) -> Done:
        """Run a command to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "fathom", *map(str, arguments)],
            env={**self.environment, **(environment or {})},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a command that stays; the caller ends it."""
        return subprocess.Popen(
            [sys.executable, "-m", "fathom", *map(str, arguments)],
            env={**self.environment, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )


@dataclass
class Up:
    """A running `fathom up`."""

    home: Home
    process: subprocess.Popen[str]
    server: str
    token: str
    data: Path

    def fathom(self, *arguments: str | Path, **more: object) -> Done:
        """A command that speaks to this service."""
        environment = {"FATHOM_SERVER": self.server, "FATHOM_TOKEN": self.token}
        return self.home.fathom(*arguments, environment=environment, **more)  # type: ignore[arg-type]


@contextmanager
def new_home() -> Iterator[Home]:
    """An empty home that the account of Postgres can enter, which pytest's own folders are not when root runs them."""
    folder = Path(tempfile.mkdtemp(prefix="fathom-"))
    folder.chmod(0o755)
    (folder / "home").mkdir()
    try:
        yield Home(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fathom_up(home: Home, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[Up]:
    """Start `fathom up` on a free port and wait until it says that it is up; Ctrl-C at the end."""
    data = home.folder / "data"
    command = ("up", "--json", "--show-token", "--port", "0", "--data", data, *arguments)
    process = home.start(*command, environment=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            _, said = process.communicate(timeout=60)
            raise AssertionError(f"fathom up ended with code {process.returncode}: {said}")
        told = json.loads(line)
        yield Up(home, process, told["server"], told["dashboard"].partition("token=")[2], data)
    finally:
        stop(process)


def stop(process: subprocess.Popen[str], seconds: float = 60) -> str:
    """Ctrl-C, and wait; returns what the process still said on stderr."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return said
