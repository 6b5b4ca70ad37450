"""The 13 tasks of RULER (Hsieh et al. 2024, arXiv:2404.06654; the reference's scripts/synthetic.yaml)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Family = Literal["niah", "vt", "cwe", "fwe", "qa"]
Haystack = Literal["noise", "essay", "needle"]
Kind = Literal["words", "numbers", "uuids"]
Metric = Literal["all", "part"]
Category = Literal["retrieval", "tracing", "aggregation", "qa"]


@dataclass(frozen=True, slots=True)
class Task:
    """One row of the task table: what the task is when no option overrides it."""

    name: str
    family: Family
    category: Category
    output_tokens: int
    metric: Metric = "all"
    haystack: Haystack | None = None
    key_kind: Kind = "words"
    value_kind: Kind = "numbers"
    num_needle_k: int = 1
    num_needle_v: int = 1
    num_needle_q: int = 1
    dataset: Literal["squad", "hotpotqa"] | None = None


def _niah(
    name: str, haystack: Haystack, key: Kind = "words", value: Kind = "numbers", k: int = 1, v: int = 1, q: int = 1
) -> Task:
    return Task(name, "niah", "retrieval", 128, "all", haystack, key, value, k, v, q)


_TABLE = (
    _niah("niah_single_1", "noise"),
    _niah("niah_single_2", "essay"),
    _niah("niah_single_3", "essay", value="uuids"),
    _niah("niah_multikey_1", "essay", k=4),
    _niah("niah_multikey_2", "needle"),
    _niah("niah_multikey_3", "needle", key="uuids", value="uuids"),
    _niah("niah_multivalue", "essay", v=4),
    _niah("niah_multiquery", "essay", q=4),
    Task("vt", "vt", "tracing", 30, haystack="noise"),
    Task("cwe", "cwe", "aggregation", 120),
    Task("fwe", "fwe", "aggregation", 50),
    Task("qa_1", "qa", "qa", 32, metric="part", dataset="squad"),
    Task("qa_2", "qa", "qa", 32, metric="part", dataset="hotpotqa"),
)

TASKS: dict[str, Task] = {task.name: task for task in _TABLE}
"""All tasks by name, in the reference's order."""

CATEGORIES: tuple[Category, ...] = ("retrieval", "tracing", "aggregation", "qa")

ALIASES: dict[str, tuple[str, ...]] = {
    "all": tuple(TASKS),
    "niah": tuple(name for name, task in TASKS.items() if task.family == "niah"),
    "niah_single": ("niah_single_1", "niah_single_2", "niah_single_3"),
    "niah_multikey": ("niah_multikey_1", "niah_multikey_2", "niah_multikey_3"),
    "variable_tracking": ("vt",),
    "common_words_extraction": ("cwe",),
    "freq_words_extraction": ("fwe",),
    "qa": ("qa_1", "qa_2"),
}
"""Names that stand for several tasks, or for one under its long name."""

DEPTHS: tuple[int, ...] = (
    0, 3, 5, 8, 10, 13, 15, 18, 21, 23, 26, 28, 31, 33, 36, 38, 41, 44, 46, 49,
    51, 54, 56, 59, 62, 64, 67, 69, 72, 74, 77, 79, 82, 85, 87, 90, 92, 95, 97, 100,
)  # fmt: skip
"""The 40 needle depths in percent, `round(linspace(0, 100, 40))`, from which the reference draws without repetition."""


@cache
def model_templates() -> dict[str, str]:
    """Chat templates by name; each holds `{task_template}` once."""
    text = (files("benchmarks.ruler") / "model_templates.toml").read_text(encoding="utf-8")
    return {name: str(template) for name, template in tomllib.loads(text).items()}
