"""Accuracy by needle depth: with depths that the job fixed, and with those that were drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.base import Block, CellScores, HeatMap
from benchmarks.metrics import Counts, mean, merge, size
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.scoring import BINS
from benchmarks.ruler.tasks import TASKS

_ENDS = "depth 0 is the start of the context, 100 its end"


def depth_maps(options: RulerOptions, cells: Sequence[CellScores]) -> list[Block]:
    """Depth against length, one heat map a NIAH task."""
    by_task: dict[str, list[CellScores]] = {}
    for scores in cells:
        if TASKS[scores.cell.task].family == "niah":
            by_task.setdefault(scores.cell.task, []).append(scores)
    if options.depths is not None:
        return [_fixed(task, own) for task, own in by_task.items()]
    return [_drawn(task, own) for task, own in by_task.items() if any(scores.groups for scores in own)]


def _fixed(task: str, cells: Sequence[CellScores]) -> HeatMap:
    depths = sorted({float(scores.cell.variant["depth"]) for scores in cells})
    table = {(float(s.cell.variant["depth"]), s.cell.length): s.scores for s in cells}
    return _map(task, "needle depth, %", {f"{depth:g}": depth for depth in depths}, table, [_ENDS])


def _drawn(task: str, cells: Sequence[CellScores]) -> HeatMap:
    starts = {f"{start}-{start + 100 // BINS}": float(start) for start in range(0, 100, 100 // BINS)}
    table: dict[tuple[float, int], Counts] = {}
    for scores in cells:
        for group, counts in scores.groups.items():
            key = (float(group), scores.cell.length)
            table[key] = merge([table.get(key, {}), counts])
    notes = [f"samples by the {100 // BINS} % of the prompt's tokens in which the first expected answer stands", _ENDS]
    return _map(task, "depth of the answer, %", starts, table, notes)


def _map(
    task: str, label: str, rows: Mapping[str, float], table: Mapping[tuple[float, int], Counts], notes: Sequence[str]
) -> HeatMap:
    lengths = sorted({length for _, length in table})
    grid = [[table.get((depth, length), {}) for length in lengths] for depth in rows.values()]
    return HeatMap(
        f"depth_length_{task}",
        f"{task}: mean score by depth and context length",
        "context length, tokens",
        label,
        [str(length) for length in lengths],
        list(rows),
        [[mean(counts) for counts in row] for row in grid],
        [[size(counts) for counts in row] for row in grid],
        notes,
    )
