"""RULER's figures over a grid of cells: means per length and category, weighted averages, effective context length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.base import CellScores
from benchmarks.metrics import Counts, Estimate, combine, estimate, merge
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.tasks import CATEGORIES, TASKS


@dataclass(frozen=True, slots=True)
class Grid:
    """A job's scores by (task, length), depths taken together; tasks in the job's order, lengths rising."""

    tasks: tuple[str, ...]
    lengths: tuple[int, ...]
    counts: Mapping[tuple[str, int], Counts]
    estimates: Mapping[tuple[str, int], Estimate | None]

    def over_lengths(self, task: str) -> Counts:
        """All scores of a task."""
        return merge(self.counts[task, length] for length in self.lengths)

    def mean_at(self, length: int, tasks: Sequence[str] | None = None) -> Estimate | None:
        """The plain mean of the tasks' means at a length; None until each of them has a measurement there."""
        wanted = self.tasks if tasks is None else tasks
        found = [e for task in wanted if (e := self.estimates[task, length]) is not None]
        return combine(found) if found and len(found) == len(wanted) else None

    def categories(self) -> dict[str, list[str]]:
        """The job's tasks by category: retrieval, tracing, aggregation, qa."""
        groups = {name: [task for task in self.tasks if TASKS[task].category == name] for name in CATEGORIES}
        return {name: tasks for name, tasks in groups.items() if tasks}


def make_grid(options: RulerOptions, cells: Sequence[CellScores]) -> Grid:
    """Cells of one task and length (depths) become one entry; an extended job has more of them than its options."""
    lengths = tuple(sorted({scores.cell.length for scores in cells} | set(options.lengths)))
    tasks = tuple(dict.fromkeys([*options.tasks, *(scores.cell.task for scores in cells)]))
    parts: dict[tuple[str, int], list[Counts]] = {(task, length): [] for task in tasks for length in lengths}
    for scores in cells:
        parts[scores.cell.task, scores.cell.length].append(scores.scores)
    counts = {key: merge(part) for key, part in parts.items()}
    return Grid(tasks, lengths, counts, {key: estimate(part) for key, part in counts.items()})


def weights(number: int, direction: Literal["increasing", "decreasing"]) -> list[float]:
    """RULER's weights for `number` lengths, shortest first: 1..n (inc) or n..1 (dec) over n(n+1)/2.

    For the reference's six lengths these are 1/21 ... 6/21 (issue 82 of NVIDIA/RULER).
    """
    ranks = range(1, number + 1) if direction == "increasing" else range(number, 0, -1)
    return [rank / (number * (number + 1) / 2) for rank in ranks]


def effective_length(
    means: Sequence[tuple[int, float]], threshold: float, rule: Literal["every", "largest"]
) -> int | None:
    """The effective context length in tokens, from (length, mean 0..1) by rising length; threshold in percent.

    `every`: the largest length up to which all reach the threshold. `largest`: the largest that reaches it, whatever
    shorter ones do (README of the reference). None when the shortest, or none at all, reaches it.
    """
    best = None
    for length, value in means:
        if value * 100 >= threshold - 1e-9:
            best = length
        elif rule == "every":
            break
    return best
