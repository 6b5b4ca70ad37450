"""Query parameters that several addresses share."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query

from protocol.jobs import Status, StatusClass
from service.results import Filters

_INT4 = 2**31 - 1

CellNumber = Annotated[int, Path(ge=0, le=_INT4, description="Number of the cell in the job.")]
SampleIndex = Annotated[int, Path(ge=0, le=_INT4, description="Index of the sample in its cell.")]
Cursor = Annotated[str | None, Query(max_length=500, description="`next_cursor` of the page before.")]


def filters(
    task: Annotated[str | None, Query(description="Only this task.")] = None,
    length: Annotated[int | None, Query(ge=0, le=_INT4, description="Only this context length.")] = None,
    status: Annotated[Status | None, Query(description="Only this status.")] = None,
    class_: Annotated[StatusClass | None, Query(alias="class", description="Only statuses of this class.")] = None,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    max_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    worker: Annotated[str | None, Query(description="Only results of the worker of this name.")] = None,
    min_duration_ms: Annotated[int | None, Query(ge=0, le=_INT4)] = None,
    max_duration_ms: Annotated[int | None, Query(ge=0, le=_INT4)] = None,
    cell: Annotated[int | None, Query(ge=0, le=_INT4, description="Only this cell.")] = None,
) -> Filters:
    """Which results are wanted."""
    return Filters(task, length, status, class_, min_score, max_score, worker, min_duration_ms, max_duration_ms, cell)


FiltersDep = Annotated[Filters, Depends(filters)]
