"""Jobs: submit, list, show, change, steer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Header, Query, Response

from protocol.jobs import (
    Clone,
    Extension,
    Job,
    JobChange,
    JobDetail,
    JobPage,
    JobRequest,
    JobState,
    Retry,
    Summary,
)
from service import control, intake, jobs
from service.api.deps import Connection, StateDep
from service.api.parameters import Cursor

router = APIRouter(prefix="/jobs", tags=["jobs"])
IdempotencyKey = Annotated[
    str | None,
    Header(description="The same key and body do it once and give the same job; another body gives 409."),
]
_EXAMPLE = {
    "benchmark": "ruler",
    "model": "smollm2",
    "options": {"tasks": ["niah_single_1", "niah_single_2"], "lengths": [4096, 8192], "samples": 20},
}


@router.post("", status_code=202, summary="Submit a job")
async def submit_job(
    request: Annotated[JobRequest, Body(openapi_examples={"ruler": {"summary": "RULER", "value": _EXAMPLE}})],
    state: StateDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Job:
    """Everything is checked first: options, assets, whether each task fits its shortest length, whether each length
    fits the model's window, whether the model answers. Then the job is queued and runs as workers have room."""
    submitted = await intake.submit(state, request, idempotency_key)
    response.headers["Location"] = f"/v1/jobs/{submitted.job.id}"
    if not submitted.fresh:
        response.status_code = 200
    return submitted.job


@router.get("", summary="List jobs")
async def list_jobs(
    connection: Connection,
    state: Annotated[list[JobState] | None, Query(description="Only these states; may be given several times.")] = None,
    model: Annotated[str | None, Query(description="Only jobs on this model.")] = None,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JobPage:
    """Newest first."""
    return await jobs.page(connection, state or [], cursor, limit, model)


@router.get("/{job}", summary="Show a job with its cells")
async def show_job(job: str, connection: Connection) -> JobDetail:
    """Counts with their denominator, score, speed, remaining time, and why samples wait."""
    return await jobs.detail(connection, job)


@router.patch("/{job}", summary="Change a job while it runs")
async def change_job(
    job: str,
    change: Annotated[JobChange, Body(openapi_examples={"first": {"value": {"priority": 10, "max_concurrency": 8}}})],
    state: StateDep,
) -> Job:
    """Name, priority, concurrency, retry policy. Fields left out stay; `max_concurrency: null` takes the limit away."""
    return await control.change(state, job, change)


@router.post("/{job}/pause", summary="Pause a job")
async def pause_job(job: str, state: StateDep) -> Job:
    """Nothing more is handed out; calls in flight finish and are stored. Pausing a paused job changes nothing."""
    return await control.steer(state, job, "pause")


@router.post("/{job}/resume", summary="Resume a paused job")
async def resume_job(job: str, state: StateDep) -> Job:
    return await control.steer(state, job, "resume")


@router.post("/{job}/cancel", summary="Cancel a job")
async def cancel_job(job: str, state: StateDep) -> Job:
    """Workers are told to stop its calls; what is done stays. Cancelling a cancelled job changes nothing."""
    return await control.steer(state, job, "cancel")


@router.post("/{job}/retry", summary="Ask samples again")
async def retry_job(
    job: str, state: StateDep, retry: Retry | None = None, idempotency_key: IdempotencyKey = None
) -> Job:
    """All samples with one of `statuses` (by default the failed ones) and those named in `samples`; every other result
    stays. The old outcome is kept as an attempt."""
    return await control.retry(state, job, retry or Retry(), idempotency_key)


@router.post("/{job}/extend", summary="Extend a job")
async def extend_job(
    job: str,
    extension: Annotated[Extension, Body(openapi_examples={"more": {"value": {"samples": 50, "lengths": [16384]}}})],
    state: StateDep,
    idempotency_key: IdempotencyKey = None,
) -> Job:
    """More samples a cell, more lengths, more tasks. Nothing that is done is done again."""
    return await control.extend(state, job, extension, idempotency_key)


@router.post("/{job}/clone", status_code=202, summary="Submit a copy with changes")
async def clone_job(
    job: str, state: StateDep, response: Response, change: Clone | None = None, idempotency_key: IdempotencyKey = None
) -> Job:
    """`options` are merged over the job's. Checked like a new job."""
    submitted = await control.clone(state, job, change or Clone(), idempotency_key)
    response.headers["Location"] = f"/v1/jobs/{submitted.job.id}"
    if not submitted.fresh:
        response.status_code = 200
    return submitted.job


@router.get("/{job}/summary", summary="The benchmark's summary")
async def summarise_job(job: str, connection: Connection, state: StateDep) -> Summary:
    """Tables, heat maps, curves and verdicts over what is stored now; every block notes its methods."""
    return await state.summaries.of(connection, await jobs.find(connection, job))
