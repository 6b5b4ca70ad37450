"""A whole Fathom in processes that can be killed one by one: database, service, workers."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.client import Client
from fathom.errors import Refused, Unreachable
from protocol.assets import AssetKind
from protocol.jobs import FINAL_STATES, Job, JobDetail
from protocol.models import ApiKind, ModelRequest, TokenizerRef
from tests.support.fathom_up import Home
from tests.support.model_server import find_needles
from tests.support.processes import FathomProcess, alive, quietly
from tests.support.small_tokenizer import small_tokenizer

LEASE_SECONDS, HEARTBEAT_SECONDS = 5.0, 0.5
QUICK = {"FATHOM_LEASE_SECONDS": str(LEASE_SECONDS), "FATHOM_HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS)}
"""Leases that run out soon, so that tests need not wait for them."""
TASKS, LENGTHS = ("niah_single_1",), (640, 896)
PATIENCE = 150.0
"""Seconds after which a test gives up; nothing is measured against it."""


def half_blind(prompt: str) -> str:
    """Find the needle in about two of three prompts, the same ones every time, so that scores differ."""
    found = find_needles(prompt)
    return found if hashlib.sha256(prompt.encode()).digest()[0] % 3 else "I do not know."


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Service:
    """A service process, at the same address each time it is started.

    With `database_url` it is `fathom serve`, else `fathom up --workers 0` with a Postgres of its own.
    """

    home: Home
    name: str = "service"
    database_url: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    token: str = "token-of-the-fault-tests"
    wrapper: Sequence[str] = ()
    host: str = "127.0.0.1"
    data: Path = field(default=Path())

    def __post_init__(self) -> None:
        self.port = free_port()
        if self.data == Path():
            self.data = self.home.folder / self.name
        address = ("--json", "--host", self.host, "--port", str(self.port))
        environment = {**self.home.environment, **QUICK, "FATHOM_DATA": str(self.data), **self.environment}
        if self.database_url is None:
            command: tuple[str | Path, ...] = ("up", "--workers", "0", "--show-token", "--data", self.data, *address)
        else:
            environment |= {"DATABASE_URL": self.database_url, "FATHOM_TOKEN": self.token}
            command = ("serve", *address)
        log = self.home.folder / "logs" / f"{self.name}.log"
        self.process = FathomProcess(command, environment, log, self.wrapper)

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}"

    def start(self) -> Service:
        """Start it and wait until it says that it is up. Blocks."""
        self.process.start()
        told = self.process.first_line()
        if self.database_url is None:
            self.token = told["dashboard"].partition("token=")[2]
        return self

    async def restart(self) -> None:
        await asyncio.to_thread(self.start)

    async def kill(self) -> None:
        await quietly(self.process)

    @property
    def postmaster(self) -> int:
        """Pid of its own Postgres; 0 while there is none."""
        try:
            pid = int((self.data / "postgres" / "pgdata" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return 0
        return pid if alive(pid) else 0

    def kill_postgres(self) -> bool:
        """SIGKILL to the first process of its own Postgres; False when there is none just now."""
        pid = self.postmaster
        if pid:
            os.kill(pid, signal.SIGKILL)
        return bool(pid)

    def stop(self) -> None:
        """End it for good, with its Postgres. Blocks."""
        self.process.send(signal.SIGTERM)
        if self.process.process is not None:
            try:
                self.process.process.wait(timeout=60)
            finally:
                self.process.kill()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        async with Client(self.address, self.token) as client:
            yield client


@dataclass
class Workers:
    """Worker processes, each with a data folder of its own, so that none inherits another's spool unasked."""

    home: Home
    service: Service
    started: list[FathomProcess] = field(default_factory=list)

    def start(
        self,
        count: int = 1,
        *,
        concurrency: int = 4,
        server: str | None = None,
        environment: Mapping[str, str] | None = None,
        wrapper: Sequence[str] = (),
        more: Sequence[str] = (),
    ) -> list[FathomProcess]:
        """Start so many; `environment` and `wrapper` are what else they run in and under."""
        made = []
        for _ in range(count):
            number = len(self.started)
            folder = self.home.folder / "workers" / f"{self.service.name}-{number}-{os.getpid()}"
            found = {"FATHOM_SERVER": server or self.service.address, "FATHOM_TOKEN": self.service.token}
            process = FathomProcess(
                ("worker", "--concurrency", str(concurrency), "--data", folder, "--grace", "5", *more),
                {**self.home.environment, **found, **(environment or {})},
                folder / "log",
                wrapper,
            )
            process.start()
            self.started.append(process)
            made.append(process)
        return made

    def stop(self) -> None:
        """SIGKILL to all."""
        for process in self.started:
            process.send(signal.SIGCONT)
            process.kill()
            shutil.rmtree(process.log.parent, ignore_errors=True)


async def eventually(ask: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What `ask` returns, once it neither fails to reach the service nor returns something false."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                if found := await ask():
                    return found
            except Unreachable:
                pass
            except Refused as error:
                if error.status < 500 and error.status not in (409, 429):
                    raise
            await asyncio.sleep(0.1)


async def add_model(client: Client, name: str, base_url: str, **changes: Any) -> str:
    """Register a model with the small tokenizer, and have a worker probe it."""
    content = small_tokenizer().to_str().encode()
    asset = "small-tokenizer"
    await client.add_asset(asset, AssetKind.TOKENIZER, content)
    request = ModelRequest(
        name=name, api=ApiKind.OPENAI_CHAT, base_url=base_url, tokenizer=TokenizerRef(asset=asset), context_window=2048
    )
    await client.add_model(ModelRequest.model_validate({**request.model_dump(), **changes}), replace=True)
    probe = await eventually(lambda: client.probe_model(name))
    assert probe.ok, probe.problem
    return name


async def submit(client: Client, model: str, samples: int, **more: Any) -> Job:
    """A RULER job of so many samples at each length. Tries are quick to follow each other."""
    options: dict[str, Any] = {"tasks": list(TASKS), "lengths": list(LENGTHS), "samples": samples}
    retry = {"max_attempts": 8, "base_seconds": 0.2, "max_seconds": 2.0, **more.pop("retry", {})}
    return await client.submit("ruler", model, options, retry=retry, **more)


async def finished(service: Service, job: str) -> JobDetail:
    """The job once it has ended; the service may be away meanwhile."""

    async def look() -> JobDetail | None:
        async with service.client() as client:
            found = await client.job(job)
            return found if found.state in FINAL_STATES else None

    found: JobDetail = await eventually(look)
    return found
