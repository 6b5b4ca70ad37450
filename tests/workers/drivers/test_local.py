from __future__ import annotations

import sys
from pathlib import Path

import pytest

from protocol.models import Driver as DriverSpec
from workers.drivers.base import complete, open_driver
from workers.drivers.local import LocalDriver
from workers.errors import DriverError


async def test_a_program_gets_its_stdin_whole_and_its_end_is_told() -> None:
    program = (
        "import sys; data = sys.stdin.buffer.read(); print(len(data)); print('done', file=sys.stderr); sys.exit(7)"
    )
    done = await complete(LocalDriver(), [sys.executable, "-c", program], stdin=b"x" * 5_000_000)
    assert (done.exit.status, done.stdout, done.stderr) == (7, b"5000000\n", b"done\n")


async def test_a_program_ended_by_a_signal_says_which() -> None:
    done = await complete(LocalDriver(), [sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"])
    assert (done.exit.status, done.exit.signal, done.exit.ok) == (None, "SIGTERM", False)


async def test_output_beyond_the_limit_is_cut_and_said() -> None:
    done = await complete(LocalDriver(), [sys.executable, "-c", "print('x' * 1000, end='')"], limit=100)
    assert (done.stdout, done.truncated) == (b"x" * 100, True)


async def test_the_environment_is_built_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    program = "import os; print(os.environ.get('RANK'), os.environ['MINE'], 'PATH' in os.environ)"
    done = await complete(LocalDriver(), [sys.executable, "-c", program], env={"MINE": "1"})
    assert done.stdout == b"None 1 True\n"


async def test_it_runs_in_the_folder_asked_for(tmp_path: Path) -> None:
    done = await complete(LocalDriver(), [sys.executable, "-c", "import os; print(os.getcwd())"], cwd=str(tmp_path))
    assert done.stdout.decode().strip() == str(tmp_path)


async def test_a_temporary_file_is_its_owners_alone_and_goes_away() -> None:
    async with LocalDriver().temporary_file(b"secret", "context.txt") as path:
        there = Path(path)
        assert there.read_bytes() == b"secret"
        assert there.stat().st_mode & 0o777 == 0o600
    assert not there.exists()


async def test_files_are_found_by_pattern_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"aa")
    (tmp_path / "b.log").write_bytes(b"bbb")
    (tmp_path / "c.txt").write_bytes(b"c")
    pattern = str(tmp_path / "*.log")
    found = await LocalDriver().read_files([pattern])
    assert found == {str(tmp_path / "a.log"): b"aa", str(tmp_path / "b.log"): b"bbb"}
    with pytest.raises(DriverError, match="more than 4 bytes"):
        await LocalDriver().read_files([pattern], limit=4)


def test_options_that_the_local_driver_does_not_take_are_refused() -> None:
    with pytest.raises(DriverError, match="host"):
        open_driver(DriverSpec(kind="local", host="gpu1"))
