"""What `fathom up` starts it also stops, however it ends; and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil

from tests.e2e.conftest import QUICK, Machine
from tests.support.fathom_up import Home, Up, fathom_up, stop
from tests.support.model_server import ModelServer, running
from tests.support.small_tokenizer import count
from tests.support.waiting import until


def started_by(up: Up) -> list[psutil.Process]:
    """All processes below `fathom up`."""
    return psutil.Process(up.process.pid).children(recursive=True)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


async def test_ctrl_c_stops_everything_that_was_started_and_nothing_else(home: Home) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with fathom_up(home, "--workers", "2") as up:
        await until(lambda: len(up.fathom("worker", "list", "--json").json) == 2)  # type: ignore[arg-type]
        below = started_by(up)
        names = " ".join(" ".join(p.cmdline()) for p in below)
        assert "postgres" in names
        assert names.count("fathom worker") == 2
        said = stop(up.process)
        assert up.process.returncode == 0, said
        assert alive(below) == []
    assert bystander.poll() is None
    bystander.communicate(b"\n")


async def test_after_a_kill_nothing_stays_but_the_data_and_the_next_start_goes_on(home: Home, tokenizer: Path) -> None:
    with running(ModelServer(latency=0.1, count=count)) as model:
        with fathom_up(home, "--workers", "1", environment=QUICK) as up:
            await until(lambda: up.fathom("worker", "list", "--json").json)
            add = ("model", "add", "own", "--api", "openai-chat", "--base-url", model.base_url)
            assert up.fathom(*add, "--tokenizer", tokenizer).code == 0
            submit = ("submit", "ruler", "--model", "own", "--tasks", "niah_single_1", "--lengths", "512")
            job = up.fathom(*submit, "--samples", "60", "--json").json["id"]  # type: ignore[index]
            watching = home.start("watch", job, environment={"FATHOM_SERVER": up.server, "FATHOM_TOKEN": up.token})
            await until(lambda: model.answered >= 8)
            workers = [p for p in started_by(up) if "fathom worker" in " ".join(p.cmdline())]
            assert len(workers) == 1
            up.process.kill()
            up.process.wait()
            await until(lambda: not alive(workers))
        answered = model.answered
        assert answered < 60
        port = up.server.rpartition(":")[2]
        with fathom_up(home, "--workers", "1", "--port", port, environment=QUICK) as again:
            assert again.token == up.token
            out, err = watching.communicate(timeout=120)
            assert watching.returncode == 0, err
            assert "mean 1.000 over 60 measurements of 60 samples" in out
            assert "no answer from the service" in err
        below = [p for p in psutil.process_iter() if str(home.folder) in " ".join(_arguments(p))]
        assert below == []


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


async def test_what_is_in_use_is_one_line_and_leaves_the_first_one_running(home: Home, machine: Machine) -> None:
    port = machine.up.server.rpartition(":")[2]
    for arguments, says in (
        (("--port", port, "--data", home.folder / "other"), "port in use"),
        (("--port", "0", "--data", machine.up.data), "in use by process"),
        (("--port", "0", "--data", "/proc/fathom"), "/proc/fathom"),
    ):
        done = home.fathom("up", *arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("fathom: ")
        assert done.err.count("\n") == 1
        assert says in done.err
    assert machine.up.fathom("health").code == 0


def test_the_token_file_is_private_and_the_address_is_printed_once(home: Home) -> None:
    process = home.start("up", "--workers", "0", "--port", "0", "--data", home.folder / "data")
    assert process.stdout is not None
    first = [process.stdout.readline() for _ in range(6)]
    stop(process)
    assert "?token=fathom_" in first[1]
    (file,) = (home.folder / "home").rglob("tokens.json")
    assert file.stat().st_mode & 0o777 == 0o600
    again = home.start("up", "--workers", "0", "--port", "0", "--data", home.folder / "data")
    assert again.stdout is not None
    assert "token=" not in "".join(again.stdout.readline() for _ in range(6))
    stop(again)
