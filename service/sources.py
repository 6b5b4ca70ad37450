"""Open benchmarks, kept between requests: the second submit of a kind costs nothing, and prompts are rebuilt at once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncEngine

from benchmarks.base import Benchmark, Cell, Resources, Sample, Source
from benchmarks.errors import OptionsError
from benchmarks.tokenizers import load_tokenizer
from protocol.common import JsonObject
from service.assets import AssetFiles
from service.settings import Settings

TOKENIZER = "tokenizer"
_KEPT = 8


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """What a source is made of. `assets` and `names` go by role; role `tokenizer` counts the tokens."""

    benchmark: Benchmark
    options: BaseModel
    assets: dict[str, str]
    names: dict[str, str]
    overhead_tokens: int = 0

    @property
    def key(self) -> bytes:
        made_of = [
            self.benchmark.name,
            self.benchmark.version,
            self.options.model_dump(mode="json"),
            self.assets,
            self.names,
            self.overhead_tokens,
        ]
        return orjson.dumps(made_of, option=orjson.OPT_SORT_KEYS)


@dataclass(slots=True)
class _Kept:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    source: Source | None = None
    checked: dict[str, OptionsError | None] = field(default_factory=dict)


class Sources:
    """The last few sources that were opened, by what they are made of."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        self._files = AssetFiles(engine, settings.cache_dir / "assets")
        self._cache = settings.cache_dir / "benchmarks"
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()

    async def check(self, spec: SourceSpec, cells: Sequence[Cell]) -> list[OptionsError]:
        """What makes cells impossible to build. Raises BenchmarkError when the source can't be opened at all."""
        kept = self._entry(spec)
        async with kept.lock:
            source = await self._open(spec, kept)
            wanted = {_name(cell): cell for cell in cells}
            for name, cell in wanted.items():
                if name not in kept.checked:
                    kept.checked[name] = await asyncio.to_thread(_check, source, cell)
            found = [kept.checked[name] for name in wanted]
        return [error for error in found if error is not None]

    async def sample(self, spec: SourceSpec, cell: Cell, index: int) -> Sample:
        """Build one sample. Raises BenchmarkError."""
        kept = self._entry(spec)
        async with kept.lock:
            source = await self._open(spec, kept)
        return await asyncio.to_thread(source.sample, cell, index)

    def _entry(self, spec: SourceSpec) -> _Kept:
        kept = self._kept.setdefault(spec.key, _Kept())
        self._kept.move_to_end(spec.key)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept

    async def _open(self, spec: SourceSpec, kept: _Kept) -> Source:
        if kept.source is None:
            files = {role: await self._files.path(sha256) for role, sha256 in spec.assets.items()}
            counter = await asyncio.to_thread(load_tokenizer, files.pop(TOKENIZER))
            sha256 = {role: spec.assets[role] for role in files}
            names = {role: spec.names.get(role, "") for role in files}
            await asyncio.to_thread(self._cache.mkdir, parents=True, exist_ok=True)
            resources = Resources(
                counter=counter,
                files=files,
                sha256=sha256,
                names=names,
                cache=self._cache,
                overhead_tokens=spec.overhead_tokens,
            )
            kept.source = await asyncio.to_thread(spec.benchmark.open, spec.options, resources)
        return kept.source


def _check(source: Source, cell: Cell) -> OptionsError | None:
    try:
        source.check(cell)
    except OptionsError as error:
        return error
    return None


def _name(cell: Cell) -> str:
    variant: JsonObject = cell.variant
    return orjson.dumps([cell.task, cell.length, variant], option=orjson.OPT_SORT_KEYS).decode()
