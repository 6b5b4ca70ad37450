"""A job's scores as its benchmark summarises them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.base import Block, Cell, CellScores
from protocol.common import JsonObject
from protocol.jobs import CLASS_OF, FINAL_STATES, JobState, Status, Summary
from service import progress
from service.jobs import JobRow, run_of
from service.progress import CountInvalid
from service.submission import benchmark_of, parse_options

_KEPT = 64
_QUERY = """
SELECT cell, status, score, sum(n) AS n FROM (
  SELECT cell, status, score, n FROM tallies WHERE job_id = :id
  UNION ALL SELECT cell, status, score, n FROM deltas WHERE job_id = :id
) t WHERE status <> 'attempt' GROUP BY cell, status, score HAVING sum(n) > 0 ORDER BY cell, status, score
"""
_GROUPS = """
SELECT cell, detail->'score'->>'group' AS name, score, count(*) AS n FROM results
WHERE job_id = :id AND score IS NOT NULL AND detail->'score'->>'group' IS NOT NULL GROUP BY 1, 2, 3
"""
_GROUPED_MOST, _GROUPED_RUNNING = 2_000_000, 50_000  # results read for groups: of an ended job, of a running one


async def distribution(connection: AsyncConnection, job: int, invalid: CountInvalid) -> list[CellScores]:
    """Of every cell: how many samples ended in each status, and how often each score occurs among the measurements.

    With `zero`, samples that ended without a measurement are in it as 0.
    """
    rows = await connection.execute(
        text("SELECT cell, task, length, variant, size FROM cells WHERE job_id = :id ORDER BY cell"), {"id": job}
    )
    cells = {row.cell: Cell(row.task, row.length, row.size, row.variant) for row in rows}
    statuses: dict[int, dict[str, int]] = {number: {} for number in cells}
    scores: dict[int, dict[float, int]] = {number: {} for number in cells}
    for row in await connection.execute(text(_QUERY), {"id": job}):
        n, of_cell = int(row.n), scores[row.cell]
        statuses[row.cell][row.status] = statuses[row.cell].get(row.status, 0) + n
        if CLASS_OF[Status(row.status)] != "not_a_measurement":
            of_cell[row.score] = of_cell.get(row.score, 0) + n
        elif invalid == "zero":
            of_cell[0.0] = of_cell.get(0.0, 0) + n
    return [CellScores(cell, cell.size, statuses[number], scores[number]) for number, cell in cells.items()]


async def with_groups(connection: AsyncConnection, job: int, cells: Sequence[CellScores]) -> list[CellScores]:
    """The same, with the scores of each group that the benchmark names in its scores' detail."""
    groups: list[dict[str, dict[float, int]]] = [{} for _ in cells]
    for row in await connection.execute(text(_GROUPS), {"id": job}):
        groups[row.cell].setdefault(row.name, {})[row.score] = int(row.n)
    return [replace(scores, groups=own) for scores, own in zip(cells, groups, strict=True)]


class Summaries:
    """Summaries, kept as long as the scores behind them stay the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, list[JsonObject]] = OrderedDict()

    async def of(self, connection: AsyncConnection, row: JobRow) -> Summary:
        """The benchmark's blocks over what is stored now, with what to know before reading them."""
        invalid = run_of(row).count_invalid
        scores = await distribution(connection, row.id, invalid)
        counts = (await progress.of_jobs(connection, [row.id]))[row.id].counts()
        final = JobState(row.data["state"]) in FINAL_STATES
        grouped = getattr(benchmark_of(row.data["benchmark"]), "grouped", False)
        if grouped and counts.scored <= (_GROUPED_MOST if final else _GROUPED_RUNNING):
            scores = await with_groups(connection, row.id, scores)
        notes = []
        if invalid == "zero":
            notes.append(
                f"What is not a measurement counts as 0 here, as this job was told to: {counts.done - counts.scored:,} of "
                f"{counts.done:,} samples."
            )
        elif counts.done > counts.scored:
            notes.append(
                f"{counts.not_a_measurement:,} samples that are no measurement and {counts.failed:,} failed ones are left "
                "out of every mean."
            )
        if counts.done < counts.planned:
            notes.append(f"{counts.done:,} of {counts.planned:,} planned samples have ended.")
        return Summary(
            job=row.public_id,
            benchmark=row.data["benchmark"],
            benchmark_version=row.data["benchmark_version"],
            final=final,
            count_invalid=invalid,
            counts=counts,
            notes=notes,
            blocks=await self._blocks(row, scores),
        )

    async def _blocks(self, row: JobRow, scores: Sequence[CellScores]) -> list[JsonObject]:
        made_of = [[s.cell.size, sorted(s.statuses.items()), _items(s.scores), _items(s.groups)] for s in scores]
        key = orjson.dumps([row.id, run_of(row).count_invalid, made_of])
        if key not in self._kept:
            benchmark = benchmark_of(row.data["benchmark"])
            options = parse_options(benchmark, row.data["options"])
            blocks = await asyncio.to_thread(benchmark.summarise, options, scores)
            self._kept[key] = [as_json(block) for block in blocks]
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


def _items(counts: Mapping[Any, Any]) -> list[Any]:
    """Nested maps as sorted lists."""
    return sorted([key, _items(value) if isinstance(value, Mapping) else value] for key, value in counts.items())


def as_json(block: Block) -> JsonObject:
    """A block as plain JSON; not-a-number becomes null."""
    plain: Any = orjson.loads(orjson.dumps(block, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY))
    return dict(plain)
