"""The reference's published results, for comparison: data with its source, never used to compute anything."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A model's means over the 13 tasks in percent, by length as in `Published.lengths`."""

    model: str
    claimed: str
    effective: str
    means: tuple[float, ...]
    average: float
    weighted_increasing: float | None = None
    weighted_decreasing: float | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """The model whose mean at a length is the threshold of effective lengths."""

    model: str
    length: int
    mean: float


@dataclass(frozen=True, slots=True)
class Published:
    """The table, its lengths in tokens, and where it is from."""

    source: str
    url: str
    note: str
    baseline: Baseline
    lengths: tuple[int, ...]
    rows: tuple[PublishedRow, ...]


@cache
def published() -> Published:
    """Load `published.toml`."""
    data = tomllib.loads((files("benchmarks.ruler") / "published.toml").read_text(encoding="utf-8"))
    rows = tuple(PublishedRow(**{**row, "means": tuple(row["means"])}) for row in data["rows"])
    baseline = Baseline(**data["baseline"])
    return Published(data["source"], data["url"], data["note"], baseline, tuple(data["lengths"]), rows)
