"""A worker killed in mid-call costs the calls in flight and nothing else."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

from tests.e2e.conftest import Machine
from tests.support.model_server import ModelServer, running
from tests.support.small_tokenizer import count
from tests.support.waiting import until

SAMPLES, CONCURRENCY = 60, 4


async def test_a_worker_killed_in_mid_call_costs_only_its_calls_in_flight(machine: Machine, tokenizer: Path) -> None:
    with running(ModelServer(latency=0.2, count=count)) as model:
        first, second = machine.add_worker(CONCURRENCY), machine.add_worker(CONCURRENCY)
        machine.add_model("own", model.base_url, tokenizer)
        probed = model.started
        job = machine.fathom(
            "submit", "ruler", "--model", "own", "--tasks", "niah_single_1", "--lengths", "512",
            "--samples", str(SAMPLES),
        )  # fmt: skip
        await until(lambda: model.started - probed >= 20 and model.in_flight > CONCURRENCY)
        first.send_signal(signal.SIGKILL)
        first.wait()

        watched = machine.up.fathom("watch", job["id"])
        assert watched.code == 0, watched.err
        assert second.poll() is None
        results = machine.up.fathom("results", job["id"], "--format", "jsonl").lines
        assert Counter((r["cell"], r["index"]) for r in results) == Counter({(0, i): 1 for i in range(SAMPLES)})  # type: ignore[index]
        assert {(r["status"], r["score"]) for r in results} == {("ok", 1.0)}  # type: ignore[index]
        # A place asks anew only when its answer is on disk, and the other worker brings that before the lease runs out.
        assert SAMPLES <= model.started - probed <= SAMPLES + CONCURRENCY


async def test_a_model_server_that_is_down_is_waited_for_and_never_becomes_a_zero(
    machine: Machine, tokenizer: Path
) -> None:
    model = ModelServer(latency=0.5, count=count)
    machine.add_worker(CONCURRENCY)
    with running(model):
        machine.add_model("own", model.base_url, tokenizer)
        submit = ("submit", "ruler", "--model", "own", "--tasks", "niah_single_1", "--lengths", "512")
        job = machine.fathom(*submit, "--samples", "40")["id"]
        await until(lambda: model.answered >= 10)

    def shown() -> dict[str, object]:
        found: dict[str, object] = machine.fathom("show", job)
        return found

    assert model.answered < 40
    await until(lambda: shown()["waiting"], seconds=90)
    waiting = shown()
    assert waiting["state"] == "running"
    assert waiting["mean"] == 1.0
    assert waiting["counts"]["failed"] == 0  # type: ignore[index]
    said = " ".join(reason["reason"] for reason in waiting["waiting"])  # type: ignore[index,attr-defined]
    assert "connect" in said.lower()

    with running(ModelServer(latency=0.05, count=count, port=model.port)):
        watched = machine.up.fathom("watch", job)
        assert watched.code == 0, watched.err
    counts = shown()["counts"]
    assert (counts["scored"], counts["failed"]) == (40, 0)  # type: ignore[index]
