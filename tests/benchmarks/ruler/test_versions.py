"""A version of the benchmark stands for its bytes: a job that ran last year can be extended and compared today."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from benchmarks.base import Cell, Resources
from benchmarks.ruler import BENCHMARK
from benchmarks.ruler.corpora import EXAMPLES
from benchmarks.ruler.options import parse_options
from tests.benchmarks.ruler.opening import tokenizer

FOLDER = Path(__file__).parents[3] / "benchmarks" / "ruler" / "examples"
VERSION_1 = {
    ("da", "niah_single_1"): "3492312cf331b6e0",
    ("da", "niah_single_2"): "82a405f83ed7581b",
    ("da", "niah_single_3"): "66d2af6c466e7f82",
    ("da", "niah_multikey_1"): "f85743646278766a",
    ("da", "niah_multikey_2"): "67a66aa0852692d8",
    ("da", "niah_multikey_3"): "5408179a05d28425",
    ("da", "niah_multivalue"): "e534bf81395df0ad",
    ("da", "niah_multiquery"): "ce5ebe2075c9b7fc",
    ("da", "vt"): "f895f5f746666a59",
    ("da", "cwe"): "9a190ef3aca82c87",
    ("da", "fwe"): "519f9ba0c805e4d7",
    ("da", "qa_1"): "8ac84a05c4d8025e",
    ("da", "qa_2"): "14e910d32db0b5be",
    ("en", "niah_single_1"): "f10d4eae21b91304",
    ("en", "niah_multikey_2"): "03cb10c5b5382e10",
    ("en", "niah_multikey_3"): "20d69aa9042863ca",
    ("en", "vt"): "9dbb947d99b7d7bc",
    ("en", "cwe"): "d0fc4a694b976ac0",
    ("en", "fwe"): "60b186d52a0e478c",
}


def digest(folder: Path, language: str, task: str) -> str:
    """Of the texts of two samples, the first and the last of a cell."""
    examples = EXAMPLES["ruler-example-da"] if language == "da" else ()
    named = {example.role: example.name for example in examples}
    given = {"tasks": [task], "lengths": [4096], "samples": 8, "seed": 42, "language": language, "num_fewshot": 0}
    files = {example.role: FOLDER / example.file for example in examples}
    resources = Resources(tokenizer("smollm2"), files=files, names=named, cache=folder)
    source = BENCHMARK.open(parse_options({**given, **named}), resources)
    texts = [source.sample(Cell(task, 4096, 8), index).prompt.text for index in (0, 7)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("language", "task"), VERSION_1)
def test_samples_of_version_1_keep_their_bytes(folder: Path, language: str, task: str) -> None:
    """Where this fails, results of both kinds would stand in one job: restore the bytes, or raise the version."""
    assert (BENCHMARK.version, digest(folder, language, task)) == ("1", VERSION_1[language, task])
