"""The embedded server: started, shared out, killed in every way, and brought back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import psutil
import pytest

from service.db import account, binaries, folder
from service.db.embedded import EmbeddedPostgres
from service.db.engine import check_server, raw_dsn
from service.db.errors import AlreadyOwned, DiskFull, EmbeddedError, UnreachableFolder, VersionMismatch

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who alone runs Postgres under another account")

OWNER = """
import sys, time
from pathlib import Path
from service.db.embedded import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1])).start()
print(server.pid, flush=True)
sys.stdin.read()
server.stop()
"""


spawn = subprocess.Popen


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the awaited condition never came"
        time.sleep(0.02)


@pytest.fixture
def owner(server_folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts processes that own the server of `server_folder / "data"` until their standard input is closed."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", OWNER, str(server_folder / "data")]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


async def rows(server: EmbeddedPostgres) -> int:
    connection = await asyncpg.connect(raw_dsn(server.url))
    try:
        return int(await connection.fetchval("select count(*) from kept"))
    finally:
        await connection.close()


async def write(server: EmbeddedPostgres, count: int) -> None:
    connection = await asyncpg.connect(raw_dsn(server.url))
    await connection.execute("create table if not exists kept(i int)")
    for number in range(count):
        await connection.execute("insert into kept values ($1)", number)
    await connection.close()


async def test_starts_stops_and_keeps_its_data(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder / "data") as server:
        assert await check_server(server.url) >= 14
        await write(server, 10)
        pid = server.pid
        assert pid is not None
        assert not any(c.laddr for c in psutil.Process(pid).net_connections("inet")), "it must not listen on TCP"
    assert not psutil.pid_exists(pid)
    with EmbeddedPostgres(server_folder / "data") as server:
        assert await rows(server) == 10


async def test_a_socket_path_too_long_is_replaced_by_a_private_short_one(server_folder: Path) -> None:
    long = server_folder / ("d" * 100) / "data"
    with EmbeddedPostgres(long) as server:
        await write(server, 1)
        place = folder.socket_folder(long, account.server_account())
        assert len(str(place)) < 100
        assert place.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(place)


async def test_of_two_starts_at_once_one_wins_and_the_other_names_it(
    owner: Callable[[], subprocess.Popen[str]], server_folder: Path
) -> None:
    first, second = owner(), owner()
    until(lambda: first.poll() is not None or second.poll() is not None)
    loser, winner = (first, second) if first.poll() is not None else (second, first)
    assert f"is in use by process {winner.pid}" in loser.communicate()[1]
    assert winner.stdout is not None
    assert int(winner.stdout.readline())
    with pytest.raises(AlreadyOwned) as caught:
        EmbeddedPostgres(server_folder / "data").start()
    assert caught.value.pid == winner.pid
    winner.communicate()
    assert winner.returncode == 0


def orphaned(owner: subprocess.Popen[str]) -> int:
    """The server's process number, once its owner has been killed."""
    assert owner.stdout is not None
    orphan = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    return orphan


async def test_a_server_left_by_a_killed_owner_is_adopted_and_stopped(
    owner: Callable[[], subprocess.Popen[str]], server_folder: Path
) -> None:
    orphan = orphaned(owner())
    assert psutil.pid_exists(orphan)
    with EmbeddedPostgres(server_folder / "data") as server:
        assert server.pid == orphan
        await write(server, 3)
        assert await rows(server) == 3
    until(lambda: not psutil.pid_exists(orphan) or psutil.Process(orphan).status() == psutil.STATUS_ZOMBIE)


async def test_a_killed_server_is_started_again_with_all_that_was_committed(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder / "data") as server:
        await write(server, 200)
        for round_number in (1, 2):
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            until(lambda: server.restarts == round_number)  # noqa: B023 - called at once
            assert server.problem is None
            assert await rows(server) == 200


async def test_an_adopted_server_is_supervised_too(
    owner: Callable[[], subprocess.Popen[str]], server_folder: Path
) -> None:
    orphan = orphaned(owner())
    with EmbeddedPostgres(server_folder / "data") as server:
        os.kill(orphan, signal.SIGKILL)
        until(lambda: server.restarts == 1)
        assert server.pid != orphan
        await write(server, 1)


async def test_a_pid_file_that_names_a_foreign_process_neither_stops_us_nor_hurts_it(server_folder: Path) -> None:
    with EmbeddedPostgres(server_folder / "data") as server:
        await write(server, 5)
        text = (server.pgdata / "postmaster.pid").read_text()
    mine = account.server_account()
    stranger = spawn(["sleep", "600"], **mine.spawn_options())
    try:
        stale = server.pgdata / "postmaster.pid"
        stale.write_text("\n".join([str(stranger.pid), *text.splitlines()[1:]]) + "\n")
        if mine.drop:
            os.chown(stale, mine.uid, mine.gid)
        with EmbeddedPostgres(server_folder / "data") as server:
            assert server.pid != stranger.pid
            assert await rows(server) == 5
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


async def test_a_killed_initdb_is_repeated(server_folder: Path) -> None:
    data = server_folder / "data"
    first = spawn([sys.executable, "-c", OWNER, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    until(lambda: (data / "pgdata.new" / "base").exists())
    family = psutil.Process(first.pid).children(recursive=True)
    for process in [psutil.Process(first.pid), *family]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    first.communicate()
    assert not (data / "pgdata").exists()
    with EmbeddedPostgres(data) as server:
        await write(server, 1)


@as_root
def test_root_is_told_when_the_server_account_cannot_enter_the_folder(server_folder: Path) -> None:
    private = server_folder / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(UnreachableFolder, match=r"cannot enter .*private/data"):
        EmbeddedPostgres(private / "data").start()


@as_root
def test_binaries_out_of_reach_are_copied_below_the_data_folder(server_folder: Path) -> None:
    found = binaries.find_binaries()
    install = found.folder.parent
    hidden = server_folder / "hidden"
    hidden.mkdir(mode=0o700)
    shutil.copytree(install, hidden / install.parent.name / install.name, symlinks=True)
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, hidden / libraries.name)
    mine = account.server_account()
    moved = binaries.Binaries(hidden / install.parent.name / install.name / "bin", found.major)
    assert not mine.reaches(moved.program("postgres"))
    data = server_folder / "data"
    folder.make_folder(data, mine)
    copied = binaries.reachable(moved, mine, data)
    assert data in copied.folder.parents
    answer = subprocess.run([copied.program("postgres"), "--version"], capture_output=True, **mine.spawn_options())
    assert b"PostgreSQL" in answer.stdout
    assert binaries.reachable(moved, mine, data) == copied, "a second start uses the same copy"


def test_a_folder_of_another_major_version_is_refused(server_folder: Path) -> None:
    pgdata = server_folder / "data" / "pgdata"
    pgdata.mkdir(parents=True)
    (pgdata / "PG_VERSION").write_text("9\n")
    with pytest.raises(VersionMismatch, match="made by PostgreSQL 9: no binaries of PostgreSQL 9; there are: 1"):
        EmbeddedPostgres(server_folder / "data").start()


def test_a_full_disk_is_named_before_anything_is_written(server_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_ROOM_TO_START", 1 << 62)
    with pytest.raises(DiskFull, match="MB free; a new database needs"):
        EmbeddedPostgres(server_folder / "data").start()
    assert not (server_folder / "data" / "pgdata.new").exists()


def test_a_server_that_cannot_start_says_why(server_folder: Path) -> None:
    with pytest.raises(EmbeddedError, match=r"shared_buffers.*|invalid value"):
        EmbeddedPostgres(server_folder / "data", {"shared_buffers": "nonsense"}).start()
    with EmbeddedPostgres(server_folder / "data") as server:
        assert server.pid is not None, "the failed start has not kept the folder"
