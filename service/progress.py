"""Counts, means and usage of jobs and cells: one statement, so that every denominator adds up.

Tallies and deltas together say how samples ended; ranges and retries say where the others are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.jobs import CLASS_OF, Counts, Status, Usage
from protocol.models import Price

CountInvalid = Literal["exclude", "zero"]
_TOKENS = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "thinking_tokens")
_SUMS = ", ".join(f"sum({name}) AS {name}" for name in _TOKENS)
_ZEROS = ", ".join(f"0::numeric AS {name}" for name in _TOKENS)
_ENDED = f"job_id, cell, status, score, n, {', '.join(_TOKENS)}"
_QUERY = f"""
WITH ended AS (
  SELECT {_ENDED} FROM tallies WHERE job_id = ANY(:ids) UNION ALL SELECT {_ENDED} FROM deltas WHERE job_id = ANY(:ids)
), place AS (
  SELECT job_id, cell, 'planned' AS kind, size::bigint AS n FROM cells WHERE job_id = ANY(:ids)
  UNION ALL SELECT job_id, cell, 'pending', stop - next FROM ranges WHERE job_id = ANY(:ids)
  UNION ALL SELECT job_id, cell, 'waiting', 1 FROM retries WHERE job_id = ANY(:ids) AND lease_id IS NULL
)
SELECT job_id, {{cell}} AS cell, true AS ended, status AS kind, sum(n) AS n,
  sum(score * n) FILTER (WHERE score >= 0) AS total, {_SUMS}
FROM ended GROUP BY 1, 2, 4
UNION ALL
SELECT job_id, {{cell}}, false, kind, sum(n), NULL, {_ZEROS} FROM place GROUP BY 1, 2, 4
"""


@dataclass(slots=True)
class Progress:
    """What the rows of one job or one cell add up to; `total` is the sum of all scores."""

    places: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    total: float = 0.0
    used: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TOKENS, 0))

    def add(self, row: Any) -> None:
        if not row.ended:
            self.places[row.kind] = self.places.get(row.kind, 0) + int(row.n)
            return
        for name in _TOKENS:
            self.used[name] += int(getattr(row, name) or 0)
        if row.kind in CLASS_OF and row.n:  # `attempt` rows hold usage alone
            self.statuses[row.kind] = self.statuses.get(row.kind, 0) + int(row.n)
            self.total += float(row.total or 0)

    def counts(self, cancelled: bool = False) -> Counts:
        """Where the samples are. Of a cancelled job none waits for another try: those are as pending as the others."""
        by_class = {"scored": 0, "noted": 0, "not_a_measurement": 0}
        for name, n in self.statuses.items():
            by_class[CLASS_OF[Status(name)]] += n
        failed = self.statuses.get(Status.ERROR, 0)
        planned, ended = self.places.get("planned", 0), sum(self.statuses.values())
        waiting, pending = self.places.get("waiting", 0), self.places.get("pending", 0)
        if cancelled:
            waiting, pending = 0, pending + waiting
        return Counts(
            planned=planned,
            scored=by_class["scored"] + by_class["noted"],
            noted=by_class["noted"],
            not_a_measurement=by_class["not_a_measurement"] - failed,
            failed=failed,
            # Not the calls in flight: two workers may hold one sample after a lost lease, or hold one that has ended.
            in_flight=max(0, planned - ended - waiting - pending),
            waiting=waiting,
            pending=pending,
            by_status={s.value: self.statuses[s.value] for s in Status if self.statuses.get(s.value)},
        )

    def mean(self, invalid: CountInvalid) -> float | None:
        """Mean score of the measurements; with `zero`, what ended without one counts as 0."""
        counts = self.counts()
        over = counts.done if invalid == "zero" else counts.scored
        return self.total / over if over else None

    def usage(self, price: Price | None) -> Usage:
        cost = None if price is None else cost_of(price, self.used)
        return Usage(**self.used, cost=cost, currency=None if price is None else price.currency)


def cost_of(price: Price, used: Mapping[str, int]) -> float:
    """What the tokens cost; cached prompt tokens at their own price where there is one."""
    cached = used["cached_tokens"]
    cached_price = price.input if price.cached_input is None else price.cached_input
    prompt = (used["prompt_tokens"] - cached) * price.input + cached * cached_price
    return (prompt + used["completion_tokens"] * price.output) / 1e6


async def of_jobs(connection: AsyncConnection, ids: Sequence[int]) -> dict[int, Progress]:
    """Progress of each job by its internal id."""
    if not ids:
        return {}
    rows = await connection.execute(text(_QUERY.format(cell="NULL::integer")), {"ids": list(ids)})
    found = {job: Progress() for job in ids}
    for row in rows:
        found[row.job_id].add(row)
    return found


async def of_cells(connection: AsyncConnection, job: int) -> dict[int, Progress]:
    """Progress of each cell of a job by its number."""
    found: dict[int, Progress] = {}
    for row in await connection.execute(text(_QUERY.format(cell="cell")), {"ids": [job]}):
        found.setdefault(row.cell, Progress()).add(row)
    return found


def total(parts: Iterable[Progress]) -> Progress:
    """The sum of several cells."""
    result = Progress()
    for part in parts:
        for kind, n in part.places.items():
            result.places[kind] = result.places.get(kind, 0) + n
        for status, n in part.statuses.items():
            result.statuses[status] = result.statuses.get(status, 0) + n
        for name, n in part.used.items():
            result.used[name] += n
        result.total += part.total
    return result
