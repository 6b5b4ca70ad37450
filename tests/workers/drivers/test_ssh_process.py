"""Programs on the far machine, with a real sshd: none outlives its call."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.ssh_driving import driving, here, processes_with, sh
from tests.support.sshd import Sshd, running_sshd
from tests.support.waiting import until
from workers.drivers.base import complete
from workers.errors import DriverError


async def test_a_program_gets_its_stdin_whole_and_its_end_is_told(box: Sshd) -> None:
    async with driving(box.driver()) as driver:
        done = await complete(
            driver, ["sh", "-c", "sha256sum; echo problem >&2; exit 7"], stdin=b"needle\n" * 1_000_000
        )
    expected = await here("sha256sum", stdin=b"needle\n" * 1_000_000)
    assert (done.exit.status, done.stdout.decode(), done.stderr) == (7, expected, b"problem\n")


async def test_large_output_comes_whole_though_the_program_reads_nothing(box: Sshd) -> None:
    async with driving(box.driver()) as driver:
        done = await complete(driver, ["head", "-c", "5000000", "/dev/zero"], stdin=b"x" * 4_000_000)
        assert (done.exit.status, len(done.stdout)) == (0, 5_000_000)


async def test_a_program_ended_by_a_signal_says_which(box: Sshd) -> None:
    async with driving(box.driver()) as driver:
        done = await complete(driver, ["sh", "-c", "kill -9 $$"])
        assert (done.exit.status, done.exit.signal) == (None, "SIGKILL")


async def test_the_environment_is_built_not_inherited(box: Sshd) -> None:
    tricky = 'it\'s "$HOME"\n`x`'
    async with driving(box.driver()) as driver:
        lines = await sh(driver, "env -0", env={"SECRET": tricky})
    names = {line.partition("=")[0] for line in lines.split("\0") if line}
    assert f"SECRET={tricky}" in lines.split("\0")
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"SECRET", "PATH", "HOME", "LANG", "FATHOM_CALL"}


async def test_no_process_list_shows_the_environment(box: Sshd) -> None:
    async with driving(box.driver()) as driver:
        found = await sh(driver, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", env={"TOKEN": "s3cr3t-" + "7" * 8})
    assert "s3cr3t-77777777" not in found


async def test_it_runs_in_the_folder_asked_for(box: Sshd, tmp_path: Path) -> None:
    async with driving(box.driver()) as driver:
        assert await sh(driver, "pwd", cwd=str(tmp_path)) == f"{tmp_path}\n"
        with pytest.raises(DriverError, match="cannot enter /nowhere"):
            await complete(driver, ["true"], cwd="/nowhere")


async def test_a_program_that_is_not_there_is_refused_for_good(box: Sshd) -> None:
    async with driving(box.driver()) as driver:
        with pytest.raises(DriverError, match="no such program") as caught:
            await complete(driver, ["no-such-program"])
        assert caught.value.permanent


_TREE = (
    "setsid sh -c 'sleep {n} & sleep {n}' & sleep {n} & nohup sleep {n} >/dev/null & trap '' TERM; echo up; sleep {n}"
)


@pytest.mark.parametrize("how", ["deadline", "cancel", "link killed", "driver closed"])
async def test_the_whole_remote_tree_ends_with_the_call(own_box: Sshd, how: str) -> None:
    mark = str(600_000_000 + os.getpid() * 10 + len(how))
    async with driving(own_box.driver(patience_seconds=0)) as driver:

        async def call() -> None:
            deadline = 2.0 if how == "deadline" else None
            await complete(driver, ["sh", "-c", _TREE.format(n=mark)], deadline=deadline)

        running = asyncio.create_task(call())
        await until(lambda: len(processes_with(mark)) >= 6)
        expected: type[BaseException] = DriverError
        if how == "cancel":
            running.cancel()
            expected = asyncio.CancelledError
        elif how == "deadline":
            expected = TimeoutError
        elif how == "link killed":
            for pid in own_box.connections():
                os.kill(pid, signal.SIGKILL)
        else:
            await driver.aclose()
        with pytest.raises(expected):
            await running
        await until(lambda: not processes_with(mark))


async def test_a_dead_worker_leaves_no_remote_process(box: Sshd, tmp_path: Path) -> None:
    mark = str(700_000_000 + os.getpid())
    spec = tmp_path / "driver.json"
    spec.write_text(box.driver().model_dump_json())
    program = (
        "import asyncio, pathlib, sys\n"
        "from protocol.models import Driver\n"
        "from workers.drivers.base import complete, open_driver\n"
        "driver = open_driver(Driver.model_validate_json(pathlib.Path(sys.argv[1]).read_text()))\n"
        "asyncio.run(complete(driver, ['sh', '-c', sys.argv[2]]))\n"
    )
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(spec), _TREE.format(n=mark))
    await until(lambda: len(processes_with(mark)) >= 7)
    client.kill()
    await client.wait()
    await until(lambda: not processes_with(mark))


async def test_more_programs_than_sessions_open_further_connections(tmp_path: Path) -> None:
    with running_sshd(tmp_path / "small", extra="MaxSessions 2") as small:
        async with driving(small.driver(max_connections=2)) as driver:
            outputs = await asyncio.gather(*[sh(driver, f"sleep 0.2; echo {n}") for n in range(9)])
            assert outputs == [f"{n}\n" for n in range(9)]
            assert driver.links.open_connections == 2


async def test_files_are_put_there_for_the_owner_alone_and_taken_back(box: Sshd, tmp_path: Path) -> None:
    (tmp_path / "with space").mkdir()
    (tmp_path / "with space" / "a.txt").write_bytes(b"\0alpha")
    async with driving(box.driver()) as driver:
        async with driver.temporary_file(b"context", "input.txt") as path:
            assert os.stat(path).st_mode & 0o077 == 0
            assert await driver.read_files([path, f"{tmp_path}/with space/*.txt", "/nowhere/*"]) == {
                path: b"context",
                f"{tmp_path}/with space/a.txt": b"\0alpha",
            }
            with pytest.raises(DriverError, match="more than 3 bytes"):
                await driver.read_files([path], limit=3)
        assert not os.path.exists(os.path.dirname(path))
