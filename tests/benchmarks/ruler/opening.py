"""Opens RULER sources for tests, with tokenizers of packages and the tiny data files of the conformance tests."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.base import Cell, Resources, Sample, Source, TokenCounter
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.sources import open_source
from benchmarks.tokenizers import TokenizerFile, load_tokenizer
from tests.conformance.packages import CL100K, DEEPSEEK, LLAMA2, fetched, smollm2

DATA = Path(__file__).parents[2] / "conformance" / "data"
FILES = {"squad": DATA / "tiny_squad.json", "hotpotqa": DATA / "tiny_hotpotqa.json"}
TASKS = [
    "niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1", "niah_multikey_2", "niah_multikey_3",
    "niah_multivalue", "niah_multiquery", "vt", "cwe", "fwe", "qa_1", "qa_2",
]  # fmt: skip


@cache
def tokenizer(name: str) -> TokenizerFile:
    """`cl100k`, `deepseek`, `smollm2` or `llama2`; skips the test when it can't be fetched."""
    if name == "smollm2":
        return load_tokenizer(smollm2())
    return load_tokenizer(fetched({"cl100k": CL100K, "deepseek": DEEPSEEK, "llama2": LLAMA2}[name]))


@cache
def essay_file(folder: Path) -> Path:
    """An essay corpus of our own: the paragraphs of the tiny SQuAD file, about 17,000 words."""
    data = json.loads(FILES["squad"].read_text())["data"]
    path = folder / "essays.txt"
    path.write_text("\n\n".join(p["context"] for article in data for p in article["paragraphs"]))
    return path


def opened(folder: Path, task: str, length: int, counter: TokenCounter | None = None, **options: Any) -> Source:
    """A source for one task and length."""
    resources = Resources(
        counter=counter or tokenizer("deepseek"), files={**FILES, "essays": essay_file(folder)}, cache=folder
    )
    return open_source(RulerOptions.model_validate({"tasks": [task], "lengths": [length], **options}), resources)


def samples(source: Source, task: str, length: int, count: int, **variant: Any) -> list[Sample]:
    cell = Cell(task, length, count, variant)
    return [source.sample(cell, index) for index in range(count)]
