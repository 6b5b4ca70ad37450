"""Jobs on their way in: submitted, cloned, extended. Each is checked in full before a row is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.common import FieldProblem, JsonObject
from protocol.jobs import Clone, Extension, Job, JobRequest, RetryPolicy, Run
from service import idempotency, jobs, models, probing
from service.api.deps import State
from service.errors import Conflict, Unavailable
from service.jobs import JobRow, run_of
from service.notifications import WORK
from service.problems import fields_of
from service.queue import control as queue
from service.submission import (
    Plan,
    benchmark_of,
    check_samples,
    check_tokenizer,
    check_window,
    facts_of,
    make_cells,
    make_plan,
    parse_options,
    refuse,
    resolve,
)

SUBMIT = "POST /v1/jobs"


@dataclass(frozen=True, slots=True)
class Submitted:
    """The job, and whether this request made it (an earlier one with the same key may have)."""

    job: Job
    fresh: bool


async def submit(state: State, request: JobRequest, key: str | None, scope: str = SUBMIT) -> Submitted:
    """Check and queue a job. Raises Invalid with everything that can't work; then nothing was queued."""
    idempotency.check(key)
    body = idempotency.body_hash(request)
    if key is not None:
        async with state.db.engine.connect() as connection:
            if (before := await idempotency.earlier(connection, scope, key, body)) is not None:
                return Submitted(await jobs.show(connection, str(before["job"])), fresh=False)
    plan = await prepare(state, request)
    async with state.db.begin() as connection:
        if key is not None:
            await idempotency.lock(connection, scope, key)
            if (before := await idempotency.earlier(connection, scope, key, body)) is not None:
                return Submitted(await jobs.show(connection, str(before["job"])), fresh=False)
        public_id = await insert(connection, plan)
        if key is not None:
            await idempotency.remember(connection, scope, key, body, 202, {"job": public_id})
        job = await jobs.show(connection, public_id)
    state.queue.notifications.tell(WORK)
    return Submitted(job, fresh=True)


async def prepare(state: State, request: JobRequest) -> Plan:
    """All checks. A model that was never probed, or that did not answer last time, is probed now if a worker can."""
    async with state.db.engine.connect() as connection:
        plan = await make_plan(connection, request)
    if plan.model.probe is None or not plan.model.probe.ok:
        plan = await _with_probe(state, plan)
    check_window(plan)
    check_tokenizer(plan)
    await check_samples(state.sources, plan)
    return plan


async def _with_probe(state: State, plan: Plan) -> Plan:
    name = plan.model.name
    try:
        found = await probing.probe(state.db.engine, state.queue.notifications, plan.model, state.settings.probe_wait)
    except (probing.NoWorker, Unavailable) as error:
        plan.warnings.append(f"Model {name} was not probed before this job: {error.detail}.")
        return plan
    if not found.ok:
        problem = found.problem or "it does not answer"
        raise refuse([FieldProblem(field="model", value=name, message=f"model {name!r} can't be used: {problem}")])
    async with state.db.engine.connect() as connection:
        return replace(plan, model=await models.get(connection, name))


async def insert(connection: AsyncConnection, plan: Plan) -> str:
    """Write a job and its cells; returns its public id. Raises Conflict when the model is gone."""
    found = await connection.execute(
        text("SELECT id, spec FROM models WHERE name = :name FOR SHARE"), {"name": plan.model.name}
    )
    model = found.first()
    if model is None:
        raise Conflict(f"model {plan.model.name!r} was removed while the job was checked")
    request = plan.request
    job = queue.NewJob(
        benchmark=plan.benchmark.name,
        benchmark_version=plan.benchmark.version,
        model_id=model.id,
        model_spec=model.spec,
        model_facts=facts_of(plan),
        options=plan.options_json,
        cells=plan.cells,
        run=request.run.model_dump(mode="json"),
        assets=plan.assets,
        asset_names=plan.asset_names,
        warnings=plan.warnings,
        name=request.name,
        labels=request.labels,
        priority=request.priority,
        max_concurrency=request.max_concurrency,
        retry=request.retry,
    )
    _, public_id = await queue.submit(connection, job)
    return public_id


def cloned(row: JobRow, change: Clone) -> JobRequest:
    """The request that makes a job again, with changes. Raises Invalid."""
    data = row.data
    try:
        run = Run.model_validate({**run_of(row).model_dump(mode="json"), **change.run})
    except ValidationError as error:
        raise refuse(fields_of(error.errors(), ("run",), Run.model_fields)) from error
    options = {key: value for key, value in data["options"].items() if value is not None}
    return JobRequest(
        benchmark=data["benchmark"],
        model=change.model or data["model"],
        options={**options, **change.options},
        run=run,
        name=change.name if change.name is not None else data["name"],
        labels=data["labels"],
        priority=data["priority"],
        max_concurrency=data["max_concurrency"],
        retry=RetryPolicy(
            max_attempts=data["max_attempts"], base_seconds=data["base_seconds"], max_seconds=data["max_seconds"]
        ),
    )


async def plan_extension(state: State, row: JobRow, change: Extension) -> Plan:
    """Check an extension like a new job; it keeps the assets and the model's facts that the job began with.

    Raises Invalid, Conflict.
    """
    data = row.data
    request = cloned(row, Clone(options=extended_options(data["options"], change)))
    benchmark = benchmark_of(data["benchmark"])
    if benchmark.version != data["benchmark_version"]:
        raise Conflict(
            f"job {row.public_id} was made with version {data['benchmark_version']} of {benchmark.name}, "
            f"this is version {benchmark.version}: clone it instead"
        )
    options = parse_options(benchmark, request.options)
    cells = make_cells(benchmark, options)
    async with state.db.engine.connect() as connection:
        found, names, problems = await resolve(connection, benchmark, options)
        model = await models.get(connection, data["model"])
    if problems:
        raise refuse(problems)
    assets, names = {**found, **data["assets"]}, {**names, **data["asset_names"]}
    plan = Plan(request, benchmark, options, cells, model, assets, names, facts=data["model_facts"])
    check_window(plan)
    await check_samples(state.sources, plan)
    return plan


def extended_options(options: JsonObject, change: Extension) -> JsonObject:
    """The job's options with what the extension adds. Raises Invalid for options the benchmark has not."""
    result: JsonObject = {key: value for key, value in options.items() if value is not None}
    for name in ("samples", "lengths", "tasks"):
        value: Any = getattr(change, name)
        if value is None:
            continue
        if name not in options:
            raise refuse([FieldProblem(field=name, value=value, message=f"this benchmark has no option {name!r}")])
        before: Any = options[name]
        if name == "samples":
            if value < before:
                message = f"must not be fewer than the job has now: {before}"
                raise refuse([FieldProblem(field=name, value=value, message=message)])
            result[name] = value
        else:
            result[name] = [*before, *(item for item in value if item not in before)]
    return result


async def extend(connection: AsyncConnection, row: JobRow, plan: Plan) -> int:
    """Write an extension; returns how many samples were added. Raises Conflict when another one was faster."""
    await connection.execute(text("SELECT pg_advisory_xact_lock(queue_lock_key(:id))"), {"id": row.id})
    count = await queue.extend(connection, row.id, plan.options_json, plan.cells)
    await connection.execute(
        text("UPDATE jobs SET assets = CAST(:assets AS jsonb), asset_names = CAST(:names AS jsonb) WHERE id = :id"),
        {
            "id": row.id,
            "assets": orjson.dumps(plan.assets).decode(),
            "names": orjson.dumps(plan.asset_names).decode(),
        },
    )
    return count
