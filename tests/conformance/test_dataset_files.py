"""`fathom samples ruler --stream reference` writes the reference's own files, to the byte."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fathom.cli import main
from tests.conformance.test_goldens import CL100K, DEEPSEEK, MANIFEST, fetched, name, resources

pytestmark = pytest.mark.conformance

SETS = ("head-ww220-cl100k-4k", "head-ww220-cl100k-4k-llama3tmpl", "paper-ww220-cl100k-4k")
TASKS = ("niah_single_1", "niah_single_2", "vt", "cwe", "fwe", "qa_1")
# A task of each kind; what the files hold is compared in full in test_goldens.
RUNS = [r for r in MANIFEST["runs"] if r["set"] in SETS and r["task"] in TASKS and r["seed"] == 42 and r["file"]]


@pytest.mark.parametrize("run", RUNS, ids=name)
def test_the_file_has_the_sha256_of_the_references(
    run: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    files = resources(run, tmp_path).files
    target = tmp_path / "validation.jsonl"
    arguments = ["samples", "ruler", "--task", run["task"], "--length", str(run["max_seq_length"])]
    arguments += ["--tokenizer", str(fetched({"cl100k": CL100K, "deepseek": DEEPSEEK}[run["tokenizer"]]))]
    arguments += ["--count", str(run["num_samples"]), "--seed", str(run["seed"]), "--profile", run["profile"]]
    arguments += ["--stream", "reference", "--model-template", run["chat_template"], "--output", str(target)]
    for role, path in files.items():
        arguments += ["--asset", f"{role.replace('_', '-')}={path}"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert hashlib.sha256(target.read_bytes()).hexdigest() == run["file_sha256"]
