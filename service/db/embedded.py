"""An embedded Postgres server that lives and dies with the service, and survives both of them being killed.

One process owns a data folder. A server that a killed owner left running is adopted; a pid file that names some
foreign process neither hinders the start nor gets that process a signal; a server that crashes is started again.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO
from urllib.parse import quote

import psutil

from service.db.account import server_account
from service.db.binaries import Binaries, find_binaries, reachable
from service.db.errors import DiskFull, EmbeddedError, VersionMismatch
from service.db.folder import PORT, SUPERUSER, environment, initialise, lock, make_folder, postmaster, socket_folder

log = logging.getLogger(__name__)

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "2GB",
    "checkpoint_completion_target": "0.9",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "jit": "off",
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "postgresql-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "idle_in_transaction_session_timeout": "60s",
    "autovacuum_naptime": "15s",
}
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


class EmbeddedPostgres:
    """The server of one data folder. Use `start` and `stop`, or as a context manager.

    `url` is its DATABASE_URL once started. Not for Windows: unix sockets and flock.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.folder = folder.expanduser().absolute()
        self.pgdata = self.folder / "pgdata"
        self.settings = {**SETTINGS, **(settings or {})}
        self.restarts = 0
        self.problem: str | None = None
        """Why the server is down just now; None while it runs."""
        self._binaries: Binaries | None = None
        self._socket: Path | None = None
        self._owner: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None
        self._stopping = threading.Event()
        self._supervisor: threading.Thread | None = None

    @property
    def url(self) -> str:
        if self._socket is None:
            raise EmbeddedError("the embedded server has not been started")
        return f"postgresql://{SUPERUSER}@/postgres?host={quote(str(self._socket), safe='/')}&port={PORT}"

    @property
    def pid(self) -> int | None:
        """Pid of the running server's first process."""
        return self._pid

    def start(self, timeout: float = 300) -> EmbeddedPostgres:
        """Start or adopt the server and wait until it takes connections (a crash recovery may take minutes).

        Raises AlreadyOwned, UnreachableFolder, VersionMismatch, DiskFull, and EmbeddedError with what Postgres said.
        """
        self._account = server_account()
        make_folder(self.folder, self._account)
        self._owner = lock(self.folder)
        with ExitStack() as undo:
            undo.callback(self._owner.close)
            undo.callback(self._halt, timeout=10)
            self._binaries = reachable(self._matching_binaries(), self._account, self.folder)
            self._socket = socket_folder(self.folder, self._account)
            initialise(self.pgdata, self._binaries, self._account)
            self._launch(timeout)
            undo.pop_all()
        self._stopping.clear()
        self._supervisor = threading.Thread(target=self._supervise, name="postgres-supervisor", daemon=True)
        self._supervisor.start()
        return self

    def stop(self, timeout: float = 60) -> None:
        """Stop the server (fast shutdown, then an immediate one) and give the folder free. May be called twice."""
        self._stopping.set()
        if self._supervisor is not None:
            self._supervisor.join()
            self._supervisor = None
        self._halt(timeout)
        if self._owner is not None:
            self._owner.close()
            self._owner = None

    def __enter__(self) -> EmbeddedPostgres:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _matching_binaries(self) -> Binaries:
        version = self.pgdata / "PG_VERSION"
        if not version.exists():
            return find_binaries()
        made_by = int(version.read_text().strip())
        try:
            return find_binaries(made_by)
        except EmbeddedError as error:
            raise VersionMismatch(
                f"{self.pgdata} was made by PostgreSQL {made_by}: {error}. Dump it with that version and restore it"
            ) from error

    def _launch(self, timeout: float) -> None:
        """Adopt the server that runs here, or start one; return when it is ready."""
        running = postmaster(self.pgdata)
        if running is not None and running.ours:
            log.info("adopting the Postgres server %d of %s", running.pid, self.folder)
            self._process, self._pid = None, running.pid
        else:
            self._spawn(stale=running.pid if running is not None else None)
        deadline = time.monotonic() + timeout
        while not ((now := postmaster(self.pgdata)) and now.pid == self._pid and now.ours and now.ready):
            if not self._alive():
                raise self._failure()
            if time.monotonic() > deadline:
                raise EmbeddedError(f"Postgres in {self.folder} was not ready after {timeout:.0f} s")
            time.sleep(0.02)

    def _spawn(self, stale: int | None) -> None:
        assert self._binaries is not None
        # A pid file left by a crash may name a process that lives but has nothing to do with us (pids repeat after a
        # reboot or in a container). Postgres takes no notice of a pid that is its grandparent's.
        extra = {"PG_GRANDPARENT_PID": str(stale)} if stale is not None else {}
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._binaries.program("postgres")), "-D", str(self.pgdata), "-k", str(self._socket)]
        with (self.folder / "start.log").open("wb") as output:
            self._process = subprocess.Popen(
                [*command, "-p", str(PORT), *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env=environment(**extra),
                start_new_session=True,  # Ctrl-C is for us; we stop the server ourselves
                **self._account.spawn_options(),
            )
        self._pid = self._process.pid

    def _failure(self) -> EmbeddedError:
        said = (self.folder / "start.log").read_text(errors="replace")
        logs = sorted((self.pgdata / "log").glob("*.log"), key=lambda p: p.stat().st_mtime)
        if logs:
            said += logs[-1].read_text(errors="replace")[-3000:]
        if "No space left on device" in said[-3000:]:
            return DiskFull(f"no space left on the disk of {self.folder}; Postgres starts again when there is")
        fatal = [line for line in said.splitlines() if "FATAL" in line or "PANIC" in line]
        return EmbeddedError(f"Postgres in {self.folder} did not start: {(fatal or [said.strip()[-600:]])[-1]}")

    def _alive(self) -> bool:
        if self._process is not None:
            return self._process.poll() is None
        running = postmaster(self.pgdata)
        return running is not None and running.ours and running.pid == self._pid

    def _supervise(self) -> None:
        """Start the server again when it has died, pausing longer each time that fails."""
        pause = _FIRST_PAUSE
        while not self._stopping.wait(0.1):
            if self._alive():
                continue
            self.problem = self.problem or "Postgres has stopped unexpectedly"
            log.warning("%s; starting it again", self.problem)
            try:
                self._launch(timeout=300)
            except (EmbeddedError, OSError) as error:
                self.problem = str(error)
                log.error("%s; next try in %.1f s", error, pause)
                self._stopping.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            self.restarts += 1
            self.problem, pause = None, _FIRST_PAUSE
            log.warning("Postgres runs again")

    def _halt(self, timeout: float) -> None:
        for number, patience in ((signal.SIGINT, timeout), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0)):
            if self._pid is None or not self._alive():
                break
            with suppress(ProcessLookupError, psutil.Error):
                os.kill(self._pid, number)
            deadline = time.monotonic() + patience
            while self._alive() and time.monotonic() < deadline:
                time.sleep(0.02)
        self._pid = self._process = None
