"""The tables of a RULER summary that list statistics and denominators."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.base import CellScores, Table
from benchmarks.metrics import INTERVAL_NOTE, QUANTILE_NOTE, Counts, Estimate, estimate, ruler_block, size
from benchmarks.ruler.aggregates import Grid

Row = list[str | float | int | None]

_BLOCK = ("n", "avg", "95% interval", "min", "p25", "p50", "p75", "p90", "p99", "max", "perfect")
_SCORED = ("ok", "cut_answer", "empty_answer")


def percent(value: Estimate | None) -> float | None:
    """A mean in percent with two decimals, as the reference prints it."""
    return None if value is None else round(value.mean * 100, 2)


def interval_text(value: Estimate | None) -> str | None:
    """`81.4-97.9`, in percent."""
    if value is None or value.low is None or value.high is None:
        return None
    return f"{value.low * 100:.1f}-{value.high * 100:.1f}"


def statistics_row(counts: Counts) -> Row:
    """RULER's block of statistics as cells, in percent; nulls where nothing is measured."""
    block = ruler_block(counts)
    if block is None:
        return [0, *([None] * (len(_BLOCK) - 1))]
    shares = (block.min, block.p25, block.p50, block.p75, block.p90, block.p99, block.max)
    average = round(block.avg * 100, 2)
    rounded = [round(share * 100, 2) for share in shares]
    return [block.n, average, interval_text(estimate(counts)), *rounded, f"{block.perfect}/{block.n}"]


def statistics_of_cells(cells: Sequence[CellScores]) -> Table:
    """The block of each cell; with fixed depths, the depth too."""
    depths = any("depth" in c.cell.variant for c in cells)
    rows: list[Row] = []
    for c in cells:
        place: Row = [c.cell.task, c.cell.length]
        if depths:
            place.append(c.cell.variant.get("depth"))
        rows.append([*place, *statistics_row(c.scores)])
    columns = ("task", "length", *(["depth %"] if depths else []), *_BLOCK)
    return Table("statistics_cells", "Statistics by cell, %", columns, rows, [QUANTILE_NOTE, INTERVAL_NOTE])


def statistics_of_tasks(grid: Grid) -> Table:
    """The block of each task over all lengths."""
    rows: list[Row] = [[task, *statistics_row(grid.over_lengths(task))] for task in grid.tasks]
    notes = ["all lengths of the task together, each sample once", QUANTILE_NOTE, INTERVAL_NOTE]
    return Table("statistics_tasks", "Statistics by task, %", ("task", *_BLOCK), rows, notes)


def coverage(cells: Sequence[CellScores]) -> Table:
    """The denominators: what was planned, what is in the means, and what became of the rest, by status."""
    others = sorted({s for c in cells for s, count in c.statuses.items() if count and s not in _SCORED})
    depths = any("depth" in c.cell.variant for c in cells)
    columns = (
        "task", "length", *(["depth %"] if depths else []), "planned", "scored", "cut_answer", "empty_answer", *others,
        "open",
    )  # fmt: skip
    rows: list[Row] = []
    for c in cells:
        place: Row = [c.cell.task, c.cell.length]
        if depths:
            place.append(c.cell.variant.get("depth"))
        noted = [c.statuses.get(status, 0) for status in ("cut_answer", "empty_answer")]
        rest = [c.statuses.get(status, 0) for status in others]
        rows.append([*place, c.planned, size(c.scores), *noted, *rest, c.planned - sum(c.statuses.values())])
    notes = [
        "scored: samples in the means; cut_answer and empty_answer are among them",
        "the columns after empty_answer are not measurements and in no mean, unless the job counts them as zero",
    ]
    return Table("coverage", "Denominators", columns, rows, notes)
