"""The grid of a job, task by length, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.jobs import CellProgress


@dataclass(frozen=True, slots=True)
class Row:
    """One task (and variant) over all lengths; None where the job has no such cell."""

    label: str
    cells: list[CellProgress | None]


@dataclass(frozen=True, slots=True)
class Grid:
    lengths: list[int]
    tasks: list[str]
    rows: list[Row]


def grid(cells: Sequence[CellProgress]) -> Grid:
    """Rows in the order of the job, columns by length."""
    lengths = sorted({cell.length for cell in cells})
    by_row: dict[str, dict[int, CellProgress]] = {}
    for cell in cells:
        by_row.setdefault(label(cell), {})[cell.length] = cell
    rows = [Row(name, [found.get(length) for length in lengths]) for name, found in by_row.items()]
    return Grid(lengths, list(dict.fromkeys(cell.task for cell in cells)), rows)


def label(cell: CellProgress) -> str:
    """`niah_single_1, depth 50`."""
    return ", ".join([cell.task, *(f"{key} {value}" for key, value in cell.variant.items())])
