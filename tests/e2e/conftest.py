"""The whole path as a user has it: `fathom up`, workers as processes, a model server, commands."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.fathom_up import Home, Up, fathom_up, new_home, stop
from tests.support.small_tokenizer import write_small_tokenizer

QUICK = {"FATHOM_LEASE_SECONDS": "4", "FATHOM_HEARTBEAT_SECONDS": "1"}
"""Leases that run out soon after a worker's death, so that tests need not wait a minute for them."""


@dataclass
class Machine:
    """A running service with worker processes of its own."""

    up: Up
    stack: contextlib.ExitStack
    workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def fathom(self, *arguments: str | Path, **more: Any) -> Any:
        """A command that must succeed; returns the parsed JSON of its output."""
        done = self.up.fathom(*arguments, "--json", **more)
        assert done.code == 0, done.err
        return done.json

    def add_worker(self, concurrency: int) -> subprocess.Popen[str]:
        """Start a worker process and wait until the service knows it."""
        before = len(self.fathom("worker", "list"))
        environment = {"FATHOM_SERVER": self.up.server, "FATHOM_TOKEN": self.up.token}
        data = self.up.home.folder / "worker-data"
        command = ("worker", "--concurrency", str(concurrency), "--data", data, "--grace", "2")
        process = self.up.home.start(*command, environment=environment)
        self.stack.callback(stop, process)
        self.workers.append(process)
        while len(self.fathom("worker", "list")) == before:
            assert process.poll() is None, process.communicate()[1]
        return process

    def add_model(self, name: str, base_url: str, tokenizer: str | Path, *more: str) -> Any:
        command = ("model", "add", name, "--api", "openai-chat", "--base-url", base_url)
        return self.fathom(*command, "--tokenizer", tokenizer, *more)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A command that stays, such as `fathom watch`."""
        environment = {"FATHOM_SERVER": self.up.server, "FATHOM_TOKEN": self.up.token}
        process = self.up.home.start(*arguments, environment=environment)
        self.stack.callback(stop, process)
        return process


@pytest.fixture
def home() -> Iterator[Home]:
    with new_home() as made:
        yield made


@pytest.fixture
def machine(home: Home) -> Iterator[Machine]:
    """`fathom up` without workers of its own; tests add theirs."""
    with fathom_up(home, "--workers", "0", environment=QUICK) as up, contextlib.ExitStack() as stack:
        yield Machine(up, stack)


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    return write_small_tokenizer(tmp_path)
