"""Benchmarks by name: those of this package, and plug-ins of the entry point group `fathom.benchmarks`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from benchmarks.base import Benchmark
from benchmarks.errors import UnknownBenchmark

_BUILT_IN = {"ruler": "benchmarks.ruler:BENCHMARK"}


def names() -> list[str]:
    """The names of all benchmarks, sorted."""
    return sorted({*_BUILT_IN, *(e.name for e in entry_points(group="fathom.benchmarks"))})


@cache
def get(name: str) -> Benchmark:
    """The benchmark of that name; raises UnknownBenchmark."""
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        benchmark: Benchmark = getattr(import_module(module), attribute)
        return benchmark
    for entry in entry_points(group="fathom.benchmarks"):
        if entry.name == name:
            loaded: Benchmark = entry.load()
            return loaded
    raise UnknownBenchmark(f"unknown benchmark {name!r}; there are: {', '.join(names())}")
