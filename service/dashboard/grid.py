"""The grid of a job, task by length, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from protocol.jobs import CellProgress, Counts

MOST_ROWS = 60
_SUMMED = ("planned", "scored", "noted", "not_a_measurement", "failed", "in_flight", "waiting", "pending")


@dataclass(frozen=True, slots=True)
class Square:
    """One square of the grid: a cell, or all variants of a task at one length. `query` finds its samples."""

    length: int
    counts: Counts
    mean: float | None
    query: str


@dataclass(frozen=True, slots=True)
class Row:
    """One task (and variant) over all lengths; None where the job has no such cell."""

    label: str
    cells: list[Square | None]


@dataclass(frozen=True, slots=True)
class Grid:
    lengths: list[int]
    tasks: list[str]
    rows: list[Row]
    merged: bool


def grid(cells: Sequence[CellProgress]) -> Grid:
    """Rows in the order of the job, columns by length; one row a task when one a variant would be too many."""
    labels = {label(cell) for cell in cells}
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    merged = len(labels) > max(MOST_ROWS, len(tasks))
    lengths = sorted({cell.length for cell in cells})
    by_row: dict[str, dict[int, list[CellProgress]]] = {}
    for cell in cells:
        name = cell.task if merged else label(cell)
        by_row.setdefault(name, {}).setdefault(cell.length, []).append(cell)
    rows = [
        Row(name, [_square(found[length]) if length in found else None for length in lengths])
        for name, found in by_row.items()
    ]
    return Grid(lengths, tasks, rows, merged)


def _square(cells: list[CellProgress]) -> Square:
    first = cells[0]
    if len(cells) == 1:
        return Square(first.length, first.counts, first.mean, urlencode({"cell": first.cell}))
    counts = Counts(**{name: sum(getattr(cell.counts, name) for cell in cells) for name in _SUMMED})
    weighted = [(cell.mean, cell.counts.scored) for cell in cells if cell.mean is not None]
    over = sum(n for _, n in weighted)
    mean = sum(value * n for value, n in weighted) / over if over else None
    return Square(first.length, counts, mean, urlencode({"task": first.task, "length": first.length}))


def label(cell: CellProgress) -> str:
    """`niah_single_1, depth 50`."""
    return ", ".join([cell.task, *(f"{key} {value}" for key, value in cell.variant.items())])
