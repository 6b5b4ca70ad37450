"""Query parameters: those that several addresses share, and the refusal of those that an address does not have."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from fastapi.dependencies.models import Dependant

from protocol.common import FieldProblem
from protocol.jobs import Status, StatusClass
from service.errors import Invalid
from service.results import Filters

INT4 = 2**31 - 1

CellNumber = Annotated[int, Path(ge=0, le=INT4, description="Number of the cell in the job.")]
SampleIndex = Annotated[int, Path(ge=0, le=INT4, description="Index of the sample in its cell.")]
Cursor = Annotated[str | None, Query(max_length=500, description="`next_cursor` of the page before.")]


def filters(
    task: Annotated[str | None, Query(description="Only this task.")] = None,
    length: Annotated[int | None, Query(ge=0, le=INT4, description="Only this context length.")] = None,
    status: Annotated[Status | None, Query(description="Only this status.")] = None,
    class_: Annotated[StatusClass | None, Query(alias="class", description="Only statuses of this class.")] = None,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    max_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    worker: Annotated[str | None, Query(description="Only results of the worker of this name.")] = None,
    min_duration_ms: Annotated[int | None, Query(ge=0, le=INT4)] = None,
    max_duration_ms: Annotated[int | None, Query(ge=0, le=INT4)] = None,
    cell: Annotated[int | None, Query(ge=0, le=INT4, description="Only this cell.")] = None,
) -> Filters:
    """Which results are wanted."""
    return Filters(task, length, status, class_, min_score, max_score, worker, min_duration_ms, max_duration_ms, cell)


async def known(request: Request) -> None:
    """Raises Invalid for a query parameter that the address does not have: a misspelt filter must not pass for none."""
    if not request.query_params:
        return
    here = _names(request.scope["route"].dependant)
    there = f"there are: {', '.join(here)}" if here else "this address has none"
    wrong = [
        FieldProblem(field=name, value=value, message=f"there is no such query parameter; {there}")
        for name, value in request.query_params.items()
        if name not in here
    ]
    if wrong:
        raise Invalid("; ".join(f"{one.field}: {one.message}" for one in wrong[:5]), errors=wrong)


def _names(dependant: Dependant) -> list[str]:
    """The query parameters of a call and of all that it depends on."""
    own = [parameter.alias for parameter in dependant.query_params]
    return [*own, *(name for below in dependant.dependencies for name in _names(below))]


FiltersDep = Annotated[Filters, Depends(filters)]
