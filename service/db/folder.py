"""The data folder of the embedded server: who owns it, where its socket is, how it is initialised.

<folder>/owner.lock   flock held for life by the process that runs the server; holds its pid
<folder>/pgdata/      the cluster; made as pgdata.new and renamed, so that a killed initdb leaves nothing behind
<folder>/socket/      the unix socket, mode 0700 (or a short path elsewhere when this one is too long)
<folder>/start.log    what the server said before it opened its own log
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from service.db.account import Account
from service.db.binaries import Binaries
from service.db.errors import AlreadyOwned, DiskFull, EmbeddedError, UnreachableFolder

SUPERUSER = "fathom"
PORT = 5432
_LONGEST_SOCKET_PATH = 100
_ROOM_TO_START = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What postmaster.pid says. `ours`: that process lives and is the server of this very folder."""

    pid: int
    ours: bool
    ready: bool


def environment(**extra: str) -> dict[str, str]:
    """Our environment without what would lead Postgres astray."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PG") and k != "LD_LIBRARY_PATH"}
    return {**kept, "LC_ALL": "C", **extra}


def make_folder(folder: Path, account: Account) -> None:
    """Create the data folder. Raises UnreachableFolder when the server's account cannot enter it."""
    try:
        folder.mkdir(parents=True)
        if account.drop:
            folder.chmod(0o755)
    except OSError as error:
        if not folder.is_dir():
            raise EmbeddedError(f"cannot create the data folder {folder}: {error.strerror}") from error
    if not account.reaches(folder):
        raise UnreachableFolder(
            f"account {account.name}, which runs Postgres, cannot enter {folder}; "
            "choose a data folder outside of private folders with FATHOM_DATA, e.g. /var/lib/fathom"
        )


def lock(folder: Path) -> IO[str]:
    """Become the owner; the lock goes with the process, however it ends. Raises AlreadyOwned."""
    handle = (folder / "owner.lock").open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with handle:
            raise AlreadyOwned(folder, _written_pid(handle)) from None
    handle.truncate(0)
    handle.write(str(os.getpid()))
    handle.flush()
    return handle


def _written_pid(handle: IO[str]) -> int | None:
    """What the owner wrote; it does so right after it has the lock, so a moment's patience is enough."""
    for _ in range(50):
        handle.seek(0)
        if (written := handle.read().strip()).isdigit():
            return int(written)
        time.sleep(0.02)
    return None


def socket_folder(folder: Path, account: Account) -> Path:
    """Where the socket goes: a folder of mode 0700 that belongs to the server's account."""
    path = folder / "socket"
    if len(str(path / f".s.PGSQL.{PORT}").encode()) > _LONGEST_SOCKET_PATH:
        runtime = None if account.drop else os.environ.get("XDG_RUNTIME_DIR")
        name = "fathom-" + hashlib.sha256(str(folder).encode()).hexdigest()[:12]
        path = Path(runtime if runtime and Path(runtime).is_dir() else tempfile.gettempdir()) / name
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
            if account.drop:
                os.chown(path, account.uid, account.gid)
        state = path.lstat()
        if not stat.S_ISDIR(state.st_mode) or state.st_uid != account.uid or state.st_mode & 0o077:
            raise EmbeddedError(f"{path} is not a private folder of account {account.name}; remove it")
        return path
    account.own(path, 0o700)
    return path


def postmaster(pgdata: Path) -> Postmaster | None:
    """Who postmaster.pid names. A number that some other process has by now is not ours."""
    try:
        lines = (pgdata / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    ready = len(lines) >= 8 and lines[7].strip() == "ready"
    try:
        process = psutil.Process(pid)
        ours = (
            process.status() != psutil.STATUS_ZOMBIE
            and process.name().startswith("postgres")
            and Path(process.cwd()).resolve() == pgdata.resolve()
        )
    except (psutil.Error, OSError):
        ours = False
    return Postmaster(pid, ours, ready)


def initialise(pgdata: Path, binaries: Binaries, account: Account) -> None:
    """Make the cluster unless there is one. Raises DiskFull and EmbeddedError with what initdb said."""
    if (pgdata / "PG_VERSION").exists():
        return
    free = shutil.disk_usage(pgdata.parent).free
    if free < _ROOM_TO_START:
        raise DiskFull(f"{pgdata.parent} has {free >> 20} MB free; a new database needs {_ROOM_TO_START >> 20} MB")
    new = pgdata.with_name("pgdata.new")
    shutil.rmtree(new, ignore_errors=True)
    account.own(new, 0o700)
    command = [str(binaries.program("initdb")), "-D", str(new), "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"]
    done = subprocess.run(
        [*command, "--locale=C", "--data-checksums"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        env=environment(),
        check=False,
        **account.spawn_options(),
    )
    if done.returncode:
        kind = DiskFull if "No space left" in done.stdout else EmbeddedError
        raise kind(f"the database in {pgdata.parent} could not be made: {done.stdout.strip()[-600:]}")
    if pgdata.exists():
        pgdata.rmdir()
    new.rename(pgdata)
    descriptor = os.open(pgdata.parent, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
