"""Jobs as a worker holds them: the benchmark opened with its options and assets, ready to build any sample."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from benchmarks import registry
from benchmarks.base import Benchmark, Cell, Resources, Source
from benchmarks.errors import BenchmarkError
from protocol.workers import CellSpec, JobSpec
from workers.assets import AssetCache
from workers.counters import open_counter
from workers.errors import AssetError, CallError
from workers.targets import Targets

KEPT_SOURCES, KEPT_JOBS = 8, 64


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A job whose samples can be built and scored."""

    spec: JobSpec
    benchmark: Benchmark
    options: Any
    source: Source

    def cell(self, spec: CellSpec) -> Cell:
        return Cell(spec.task, spec.length, spec.size, dict(spec.variant))


class JobShelf:
    """Job specs by id, and sources by what they are built from, so that clones and reruns share them.

    `in_use` names the jobs whose samples the worker holds: their specs are never given up.
    """

    def __init__(
        self,
        assets: AssetCache,
        targets: Targets,
        cache: Path,
        in_use: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._assets, self._targets, self._cache, self._in_use = assets, targets, cache, in_use
        self._specs: OrderedDict[str, JobSpec] = OrderedDict()
        self._jobs: dict[str, asyncio.Task[OpenJob]] = {}
        self._sources: OrderedDict[bytes, asyncio.Task[tuple[Benchmark, Any, Source]]] = OrderedDict()

    def __contains__(self, job: str) -> bool:
        return job in self._specs

    def known(self) -> list[str]:
        """The jobs held, as claims name them: what is held of a job may be out of date."""
        return [f"{job}@{spec.stamp}" for job, spec in self._specs.items()]

    def put(self, spec: JobSpec) -> None:
        """Keep a job's spec; those that were not used for longest and are not needed make room."""
        if self._specs.get(spec.id) != spec:
            self._jobs.pop(spec.id, None)
        self._specs[spec.id] = spec
        self._specs.move_to_end(spec.id)
        if len(self._specs) <= KEPT_JOBS:
            return
        needed = {spec.id, *self._in_use()}
        for gone in [job for job in self._specs if job not in needed][: len(self._specs) - KEPT_JOBS]:
            del self._specs[gone]
            self._jobs.pop(gone, None)

    def spec(self, job: str) -> JobSpec:
        self._specs.move_to_end(job)
        return self._specs[job]

    async def open(self, job: str) -> OpenJob:
        """The job, opened in a thread at first need. Raises CallError that says why its samples cannot be built here."""
        task = self._jobs.get(job)
        if task is None or (task.done() and task.exception() is not None):
            task = self._jobs[job] = asyncio.ensure_future(self._open(self.spec(job)))
        return await asyncio.shield(task)

    async def _open(self, spec: JobSpec) -> OpenJob:
        key = orjson.dumps(
            [spec.benchmark, spec.options, spec.assets, spec.asset_names, _overhead(spec), _counted_by(spec)],
            option=orjson.OPT_SORT_KEYS,
        )
        task = self._sources.get(key)
        if task is None or (task.done() and task.exception() is not None):
            task = self._sources[key] = asyncio.ensure_future(self._source(spec))
        self._sources.move_to_end(key)
        while len(self._sources) > KEPT_SOURCES:
            self._sources.popitem(last=False)
        benchmark, options, source = await task
        return OpenJob(spec, benchmark, options, source)

    async def _source(self, spec: JobSpec) -> tuple[Benchmark, Any, Source]:
        try:
            benchmark = await asyncio.to_thread(registry.get, spec.benchmark)  # a first import takes a while
            if benchmark.version != spec.benchmark_version:
                raise _misfit(
                    f"this worker has {spec.benchmark} {benchmark.version}, the job wants {spec.benchmark_version}: "
                    "install the same version of fathom-eval on workers and service"
                )
            options = benchmark.options_model.model_validate(spec.options)
            files = {role: await self._assets.path(sha256) for role, sha256 in spec.assets.items()}
            counter = await open_counter(spec, files.pop("tokenizer", None), self._targets)
            resources = Resources(
                counter, files, spec.assets, spec.asset_names, self._cache / spec.benchmark, _overhead(spec)
            )
            return benchmark, options, await asyncio.to_thread(benchmark.open, options, resources)
        except (BenchmarkError, ValidationError, ImportError) as error:
            raise CallError("benchmark", f"the job cannot be opened: {error}", permanent=True) from error
        except AssetError as error:
            raise _misfit(str(error)) from error


def _counted_by(spec: JobSpec) -> str:
    """The model whose server counts, for jobs without a tokenizer asset."""
    return "" if "tokenizer" in spec.assets else spec.model.model_dump_json()


def _overhead(spec: JobSpec) -> int:
    found = spec.model_facts.get("overhead_tokens")
    return found if isinstance(found, int) else 0


def _misfit(message: str) -> CallError:
    """Another worker, or this one later, may do better: no attempt is spent."""
    return CallError("worker", message, counts=False, retry_after=30.0)
