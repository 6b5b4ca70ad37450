"""The pages. Each has a JSON twin in the API; parts that change are fetched again on their own."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from benchmarks import registry
from protocol.jobs import FINAL_STATES, JobDetail, JobState, Retry, Status
from service import control, jobs, models, prompts, results, workers
from service.api.deps import StateDep
from service.api.parameters import CellNumber, Cursor, FiltersDep, SampleIndex
from service.dashboard.access import router as access_router
from service.dashboard.access import visitor
from service.dashboard.curves import plot
from service.dashboard.documentation import router as documentation_router
from service.dashboard.grid import grid
from service.dashboard.rendering import page
from service.errors import NotFound, RequestError
from service.queue.control import Action

router = APIRouter(include_in_schema=False)
pages = APIRouter(include_in_schema=False, dependencies=[Depends(visitor)])
_ON_OVERVIEW = 12
_SAMPLES = 25
_HEAD, _TAIL = 6000, 3000


async def _overview(state: StateDep) -> dict[str, Any]:
    async with state.db.engine.connect() as connection:
        found = await jobs.page(connection, [], None, _ON_OVERVIEW)
        running = await jobs.page(connection, [JobState.RUNNING], None, 100)
        return {
            "jobs": found.items,
            "more": found.next_cursor is not None,
            "running": f"{len(running.items)}{'+' if running.next_cursor else ''}",
            "rate": sum(job.samples_per_second or 0 for job in running.items),
            "models": await models.every(connection),
            "workers": [w for w in await workers.every(connection) if w.state != "gone"],
        }


@pages.get("/")
async def overview(request: Request, state: StateDep) -> Response:
    return page(request, "overview.html", await _overview(state))


@pages.get("/live")
async def overview_live(request: Request, state: StateDep) -> Response:
    return page(request, "parts/overview.html", await _overview(state))


@pages.get("/jobs")
async def job_list(request: Request, state: StateDep, cursor: Cursor = None) -> Response:
    chosen = request.query_params.get("state", "")
    states = [JobState(chosen)] if chosen in set(JobState) else []
    async with state.db.engine.connect() as connection:
        found = await jobs.page(connection, states, cursor, 50)
    context = {"jobs": found.items, "next_cursor": found.next_cursor, "states": [s.value for s in JobState]}
    return page(request, "jobs.html", {**context, "chosen": chosen if states else ""})


@pages.get("/models")
async def model_list(request: Request, state: StateDep) -> Response:
    return page(request, "models.html", await _models(state))


@pages.get("/models/live")
async def model_list_live(request: Request, state: StateDep) -> Response:
    return page(request, "parts/models.html", await _models(state))


async def _models(state: StateDep) -> dict[str, Any]:
    async with state.db.engine.connect() as connection:
        return {"models": await models.every(connection)}


@pages.get("/models/{name}")
async def model_page(request: Request, name: str, state: StateDep) -> Response:
    async with state.db.engine.connect() as connection:
        model = await models.get(connection, name)
    return page(request, "model.html", {"model": model, "spec": model.spec.model_dump(mode="json", exclude_none=True)})


@pages.get("/workers")
async def worker_list(request: Request, state: StateDep) -> Response:
    return page(request, "workers.html", await _workers(state))


@pages.get("/workers/live")
async def worker_list_live(request: Request, state: StateDep) -> Response:
    return page(request, "parts/workers.html", await _workers(state))


async def _workers(state: StateDep) -> dict[str, Any]:
    async with state.db.engine.connect() as connection:
        return {"workers": await workers.every(connection)}


@pages.get("/jobs/{job_id}")
async def job_page(
    request: Request, job_id: str, state: StateDep, wanted: FiltersDep, cursor: Cursor = None
) -> Response:
    after = results.parse_cursor(cursor)
    async with state.db.engine.connect() as connection:
        job = await jobs.detail(connection, job_id)
        row = await jobs.find(connection, job_id)
        found = await results.read(connection, row, after, _SAMPLES, wanted)
    here = {k: v for k, v in request.query_params.items() if k != "cursor"}
    further = {**here, "cursor": results.make_cursor(found.results[-1][0])} if found.more else None
    context = {
        **job_context(job),
        "filters": wanted,
        "statuses": [s.value for s in Status],
        "results": [result for _, result in found.results],
        "final": found.final,
        "first_page_url": _samples_url(job_id, here) if cursor else None,
        "next_url": _samples_url(job_id, further) if further else None,
        "request_body": request_body(job),
        "settings": settings_of(job),
    }
    return page(request, "job.html", context)


@pages.get("/jobs/{job_id}/summary")
async def job_summary(request: Request, job_id: str, state: StateDep) -> Response:
    """The benchmark's blocks, fetched after the page: intervals take a moment to work out."""
    async with state.db.engine.connect() as connection:
        found = await state.summaries.of(connection, await jobs.find(connection, job_id))
    context = {"summary": found, "curves": {b["id"]: plot(b) for b in found.blocks if b["kind"] == "curve"}}
    return page(request, "parts/summary.html", context)


@pages.post("/jobs/{job_id}/{verb}")
async def job_action(request: Request, job_id: str, verb: str, state: StateDep) -> Response:
    """The buttons of a job's page; answers with the part of the page that changes, or where no script runs, the page."""
    if verb in ("pause", "resume", "cancel"):
        await control.steer(state, job_id, cast(Action, verb))
    elif verb == "retry":
        await control.retry(state, job_id, Retry(), None)
    else:
        raise NotFound(f"no such action: {verb}")
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"/jobs/{quote(job_id, safe='')}", status_code=303)
    return await job_live(request, job_id, state)


@pages.get("/jobs/{job_id}/live")
async def job_live(request: Request, job_id: str, state: StateDep) -> Response:
    async with state.db.engine.connect() as connection:
        job = await jobs.detail(connection, job_id)
    return page(request, "parts/job.html", job_context(job))


@pages.get("/jobs/{job_id}/samples/{cell}/{index}")
async def sample_page(request: Request, job_id: str, cell: CellNumber, index: SampleIndex, state: StateDep) -> Response:
    async with state.db.engine.connect() as connection:
        row = await jobs.find(connection, job_id)
        sample = await results.sample(connection, row, cell, index)
        where = await results.cell_of(connection, row, cell)
    detail = sample.result.detail if sample.result else {}
    context = {
        "job": row.data,
        "sample": sample,
        "r": sample.result,
        "size": where.size,
        "needles": needles(detail.get("needles")),
        "sent": detail.get("debug"),
        "api": f"/v1/jobs/{job_id}/samples/{cell}/{index}",
    }
    return page(request, "sample.html", context)


@pages.get("/jobs/{job_id}/samples/{cell}/{index}/prompt")
async def sample_prompt(
    request: Request, job_id: str, cell: CellNumber, index: SampleIndex, state: StateDep
) -> Response:
    """A part of the sample's page, fetched after it: building a long prompt takes its time."""
    context: dict[str, Any] = {"problem": None, "api": f"/v1/jobs/{job_id}/samples/{cell}/{index}"}
    try:
        async with state.db.engine.connect() as connection:
            row = await jobs.find(connection, job_id)
            stored = await results.sample(connection, row, cell, index)
            sample = await prompts.rebuild(connection, state.sources, row, cell, index)
    except RequestError as error:
        return page(request, "parts/prompt.html", {**context, "problem": error.detail})
    sha256 = stored.result.prompt_sha256 if stored.result else None
    found = prompts.shown(job_id, cell, index, sample, sha256, _HEAD, _TAIL)
    middle = found.bytes - len(found.head.encode()) - len(found.tail.encode()) - len(found.answer_prefix.encode())
    return page(request, "parts/prompt.html", {**context, "prompt": found, "middle": middle})


def job_context(job: JobDetail) -> dict[str, Any]:
    took = None
    if job.state in FINAL_STATES and job.started_at is not None and job.finished_at is not None:
        took = (job.finished_at - job.started_at).total_seconds()
    return {"job": job, "grid": grid(job.cells), "took": took}


def settings_of(job: JobDetail) -> dict[str, dict[str, Any]]:
    """What somebody chose, and what was left at its default."""
    fields = registry.get(job.benchmark).options_model.model_fields
    standard = {
        name: field.get_default(call_default_factory=True) for name, field in fields.items() if not field.is_required()
    }
    chosen = {k: v for k, v in job.options.items() if k not in standard or standard[k] != v}
    run = {f"run.{k}": v for k, v in job.run.model_dump(mode="json", exclude_defaults=True).items()}
    defaults = {k: v for k, v in job.options.items() if k not in chosen and v is not None}
    return {"chosen": {**chosen, **run}, "defaults": defaults}


def request_body(job: JobDetail) -> dict[str, Any]:
    """What to send to get this job again."""
    return {
        "benchmark": job.benchmark,
        "model": job.model,
        "options": {k: v for k, v in job.options.items() if v is not None},
        "run": job.run.model_dump(mode="json", exclude_defaults=True),
        "retry": job.retry.model_dump(mode="json", exclude_defaults=True),
        "priority": job.priority,
        **({"max_concurrency": job.max_concurrency} if job.max_concurrency else {}),
        **({"name": job.name} if job.name else {}),
        **({"labels": job.labels} if job.labels else {}),
    }


def needles(found: Any) -> list[dict[str, str]]:
    """Depth and text of the needles in a result's detail, whatever else is said of them."""
    rows = []
    for needle in found if isinstance(found, list) else []:
        if not isinstance(needle, dict):
            rows.append({"depth": "–", "text": str(needle)})
            continue
        depth = needle.get("depth")
        text = needle.get("text") or ", ".join(f"{k}: {v}" for k, v in needle.items() if k != "depth")
        rows.append({"depth": f"{depth:.1f} %" if isinstance(depth, int | float) else "–", "text": str(text)})
    return rows


def _samples_url(job_id: str, query: dict[str, Any]) -> str:
    return f"/jobs/{job_id}{'?' + urlencode(query) if query else ''}#samples"


router.include_router(access_router)
router.include_router(documentation_router)
router.include_router(pages)
