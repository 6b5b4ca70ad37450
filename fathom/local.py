"""Everything on one machine: database, service and workers, started together and stopped together."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.ext.asyncio import create_async_engine

from fathom.children import Children, Program
from fathom.config import save_token, write_private
from fathom.database import database_errors
from fathom.errors import Failed, FathomError
from service import auth
from service.db import migrate
from service.db.embedded import EmbeddedPostgres
from service.db.engine import parse_url
from service.db.errors import DatabaseError
from service.errors import ServiceError, StartupError
from service.serve import bind
from service.serve import server as make_server
from service.settings import Settings, from_environment

WORKER_GRACE = 5.0
"""Seconds that calls in flight may go on after Ctrl-C; what is not done by then is handed back to the queue."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to start. `concurrency` None is auto; `database_url` None starts the embedded Postgres in `data`."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 1
    concurrency: int | None = None
    database_url: str | None = None
    log_level: str = "info"


@dataclass(frozen=True, slots=True)
class Running:
    """What was started. `token_is_new` when the token was made by this start and has to be shown."""

    plan: Plan
    address: str
    token: str = field(repr=False)
    token_is_new: bool
    token_file: Path
    children: Children
    interrupted: asyncio.Event

    @property
    def dashboard(self) -> str:
        return f"{self.address}/?token={self.token}"

    def add_worker(self, number: int) -> None:
        """Start a worker process."""
        self.children.start(_worker(self.plan, self.address, self.token, number))


@contextlib.asynccontextmanager
async def running(plan: Plan) -> AsyncIterator[Running]:
    """Start what the plan says; stop all of it at the end, and nothing else.

    `interrupted` is set by the first Ctrl-C or SIGTERM; a second one does not wait for the workers. Raises Failed in
    one clear line when a part cannot start.
    """
    with _clear_errors(plan):
        plan.data.mkdir(parents=True, exist_ok=True)
        listener = bind(Settings("", host=plan.host, port=plan.port))
        children, interrupted = Children(), asyncio.Event()
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(listener.close)
            stack.enter_context(_signals(interrupted, children))
            url = await _database(plan, stack)
            with database_errors():
                await migrate.upgrade(url)
                token, new = await _token(plan, url)
            settings = _settings(plan, url, listener.getsockname()[1])
            await _service(settings, listener, stack)
            address = f"http://{_reachable(plan.host)}:{settings.port}"
            token_file = save_token(address, token)
            stack.push_async_callback(children.stop, WORKER_GRACE + 5)
            now = Running(plan, address, token, new, token_file, children, interrupted)
            for number in range(1, plan.workers + 1):
                now.add_worker(number)
            yield now


@contextlib.contextmanager
def _clear_errors(plan: Plan) -> Iterator[None]:
    """Errors of the parts as one line of ours."""
    try:
        yield
    except FathomError:
        raise
    except (ServiceError, DatabaseError) as error:
        raise Failed(" ".join(str(error).split())) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise Failed(f"no space left on the disk of {plan.data}") from error
        where = f"{error.filename}: " if error.filename else ""
        raise Failed(f"{where}{error.strerror or error}") from error


async def _database(plan: Plan, stack: contextlib.AsyncExitStack) -> str:
    """The database's address; the embedded server is stopped when the stack closes."""
    if plan.database_url:
        return plan.database_url
    postgres = EmbeddedPostgres(plan.data / "postgres")
    await asyncio.to_thread(postgres.start)
    stack.push_async_callback(asyncio.to_thread, postgres.stop)
    return postgres.url


async def _token(plan: Plan, url: str) -> tuple[str, bool]:
    """The admin token: the one kept in the data folder when it still opens the door, else a new one."""
    engine = create_async_engine(parse_url(url))
    kept = plan.data / "token"
    try:
        made = await auth.bootstrap(engine)
        if made is None and kept.exists():
            token = kept.read_text(encoding="utf-8").strip()
            if await auth.Gate(engine).principal(token):
                return token, False
        if made is None:
            made = auth.new_token()
            await auth.bootstrap(engine, made)
    finally:
        await engine.dispose()
    write_private(kept, made + "\n")
    return made, True


def _settings(plan: Plan, url: str, port: int) -> Settings:
    """The plan's settings over those of the FATHOM_* variables."""
    settings = from_environment({**os.environ, "DATABASE_URL": url})
    return dataclasses.replace(settings, data_dir=plan.data, host=plan.host, port=port, log_level=plan.log_level)


async def _service(settings: Settings, listener: socket.socket, stack: contextlib.AsyncExitStack) -> None:
    """Start the service and wait until it answers; it ends when the stack closes."""
    server = make_server(settings)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment] # we handle them ourselves
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="service")

    async def stop() -> None:
        server.should_exit = True
        await serving

    stack.push_async_callback(stop)
    while not server.started:
        if serving.done():
            serving.result()
            raise StartupError("the service could not start; the log above says why")
        await asyncio.sleep(0.02)


@contextlib.contextmanager
def _signals(interrupted: asyncio.Event, children: Children) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        if interrupted.is_set():
            children.kill()
        interrupted.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _worker(plan: Plan, address: str, token: str, number: int) -> Program:
    name = f"{socket.gethostname()}-{number}"
    concurrency = str(plan.concurrency or "auto")
    return Program(
        name=f"worker {number}",
        arguments=[
            *("-m", "fathom", "worker", "--server", address, "--name", name, "--concurrency", concurrency),
            *("--data", str(plan.data / "workers"), "--grace", str(WORKER_GRACE)),
        ],
        environment={"FATHOM_TOKEN": token, "PYTHONUNBUFFERED": "1"},
        log=plan.data / "logs" / f"worker-{number}.log",
    )


def _reachable(host: str) -> str:
    """An address at which this machine reaches the service."""
    if host in ("0.0.0.0", "", "localhost"):
        return "127.0.0.1"
    if host == "::":
        return "[::1]"
    return f"[{host}]" if ":" in host else host


def default_database_url() -> str | None:
    return os.environ.get("DATABASE_URL") or None
