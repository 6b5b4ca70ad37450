"""Open benchmarks are kept between requests."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from benchmarks.base import Cell, Prompt, Resources, Sample
from benchmarks.errors import OptionsError
from service import assets
from service.db.engine import Database
from service.settings import Settings
from service.sources import TOKENIZER, Sources, SourceSpec
from tests.support.small_tokenizer import write_small_tokenizer


class Options(BaseModel):
    text: str = "a"


class Repeat:
    """A benchmark that repeats a text, and counts how often it is opened and checked."""

    name, version, title, options_model = "repeat", "1", "Repeat", Options

    def __init__(self) -> None:
        self.opened = self.checked = 0

    def open(self, options: Any, resources: Resources) -> Repeat:
        self.opened += 1
        self.options, self.resources = options, resources
        return self

    def check(self, cell: Cell) -> None:
        self.checked += 1
        if cell.length < 10:
            raise OptionsError("lengths", cell.length, "at least 10")

    def sample(self, cell: Cell, index: int) -> Sample:
        text = self.options.text * cell.length
        return Sample(Prompt(text), ("x",), 1, self.resources.counter.count(text), {"corpus": self.resources.names})


async def _spec(database: Database, tmp_path: Path, benchmark: Any, text: str = "a") -> SourceSpec:
    stored = {}
    for role, kind, content in (
        (TOKENIZER, assets.AssetKind.TOKENIZER, write_small_tokenizer(tmp_path).read_bytes()),
        ("book", assets.AssetKind.CORPUS, b"a book"),
    ):

        async def once(content: bytes = content) -> Any:
            yield content

        async with (
            assets.received(once(), kind, tmp_path / "incoming") as upload,
            database.begin() as connection,
        ):
            stored[role] = (await assets.store(connection, role, kind, "", upload)).sha256
    return SourceSpec(benchmark, Options(text=text), stored, {"book": "book", TOKENIZER: TOKENIZER})


async def test_what_was_opened_and_checked_once_is_not_again(database: Database, tmp_path: Path) -> None:
    benchmark = Repeat()
    sources = Sources(database.engine, Settings(database_url=database.url, data_dir=tmp_path))
    spec = await _spec(database, tmp_path, benchmark)
    cells = [Cell("t", 5, 1), Cell("t", 20, 1)]
    found = await asyncio.gather(*(sources.check(spec, cells) for _ in range(5)))
    assert [[error.value for error in errors] for errors in found] == [[5]] * 5
    sample = await sources.sample(spec, cells[1], 0)
    assert sample.prompt.text == "a" * 20
    assert (benchmark.opened, benchmark.checked) == (1, 2)
    assert benchmark.resources.files["book"].read_bytes() == b"a book"
    assert TOKENIZER not in benchmark.resources.files
    assert benchmark.resources.counter.identity == spec.assets[TOKENIZER]


async def test_other_options_are_another_source_and_the_oldest_is_let_go(database: Database, tmp_path: Path) -> None:
    benchmark = Repeat()
    sources = Sources(database.engine, Settings(database_url=database.url, data_dir=tmp_path))
    first = await _spec(database, tmp_path, benchmark)
    for number in range(9):
        spec = SourceSpec(benchmark, Options(text="abcdefghi"[number]), first.assets, first.names)
        sample = await sources.sample(spec, Cell("t", 3, 1), 0)
        assert sample.prompt.text == "abcdefghi"[number] * 3
    assert benchmark.opened == 9
    await sources.sample(first, Cell("t", 3, 1), 0)
    assert benchmark.opened == 10
