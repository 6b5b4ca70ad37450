"""What workers must be told of jobs, loaded once and kept while it is true."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from protocol.jobs import RetryPolicy
from protocol.models import ModelRequest
from protocol.workers import CellSpec, JobSpec
from service.db.engine import Database

_KEPT = 500
_NAMES = 50_000
_JOB = """
select j.public_id, j.benchmark, j.benchmark_version, j.options, j.run, j.max_attempts, j.base_seconds, j.max_seconds,
       j.model_facts, j.assets, j.asset_names, m.name as model_name, m.spec as model
  from jobs j join models m on m.id = j.model_id where j.id = $1
"""
_CELLS = "select cell, task, length, variant, size from cells where job_id = $1"


@dataclass(frozen=True, slots=True)
class Known:
    """A job as workers know it, with its cells by number."""

    stamp: str
    public_id: str
    spec: JobSpec
    cells: dict[int, CellSpec]

    @property
    def name(self) -> str:
        """As workers name what they hold: the service remembers of nobody what it sent, for a reply may have been lost."""
        return f"{self.public_id}@{self.stamp}"


class Specs:
    """Jobs by id, newest use last."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._jobs: OrderedDict[int, Known] = OrderedDict()
        self._ids: OrderedDict[str, int] = OrderedDict()
        self._workers: OrderedDict[int, None] = OrderedDict()

    async def get(self, job: int, stamp: str) -> Known:
        """The job as it is under this stamp (`Grant.stamp`)."""
        known = self._jobs.get(job)
        if known is None or known.stamp != stamp:
            known = await self._load(job, stamp)
            _keep(self._jobs, job, known, _KEPT)
        return known

    async def ids(self, public_ids: set[str]) -> dict[str, int]:
        """Ids of the jobs that exist."""
        unknown = [name for name in public_ids if name not in self._ids]
        if unknown:
            rows = await self._db.pool.fetch("select public_id, id from jobs where public_id = any($1)", unknown)
            for public_id, job in rows:
                _keep(self._ids, public_id, job, _NAMES)
        return {name: self._ids[name] for name in public_ids if name in self._ids}

    def knows(self, worker: int) -> bool:
        """Whether the worker is known to have registered; rows of workers are never removed."""
        return worker in self._workers

    def note(self, worker: int) -> None:
        _keep(self._workers, worker, None, _NAMES)

    async def _load(self, job: int, stamp: str) -> Known:
        async with self._db.pool.acquire() as connection:
            row = await connection.fetchrow(_JOB, job)
            cells = await connection.fetch(_CELLS, job)
        spec = JobSpec(
            id=row["public_id"],
            benchmark=row["benchmark"],
            benchmark_version=row["benchmark_version"],
            options=row["options"],
            run=row["run"],
            retry=RetryPolicy(
                max_attempts=row["max_attempts"], base_seconds=row["base_seconds"], max_seconds=row["max_seconds"]
            ),
            model_name=row["model_name"],
            model=ModelRequest.model_validate(row["model"]),
            model_facts=row["model_facts"],
            assets=row["assets"],
            asset_names=row["asset_names"],
            stamp=stamp,
        )
        return Known(stamp, row["public_id"], spec, {c["cell"]: CellSpec(**c) for c in cells})


def _keep(cache: OrderedDict[Any, Any], key: Any, value: Any, most: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > most:
        cache.popitem(last=False)
