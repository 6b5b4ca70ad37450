"""The workers' side of the API, and what people see of workers.

The calls that come for every batch of samples are kept lean: a body is parsed once, replies are serialised by orjson.
All of them may be repeated: a reply that got lost costs nothing but the repetition.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Depends, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response

from protocol import PROTOCOL_VERSION
from protocol.workers import (
    ClaimReply,
    ClaimRequest,
    Departure,
    Heartbeat,
    HeartbeatReply,
    JobSpec,
    Lease,
    News,
    NewsReply,
    Outcome,
    OutcomesReply,
    OutcomesRequest,
    ProbeReport,
    Verdict,
    WorkerList,
    WorkerRegistered,
    WorkerRegistration,
)
from service import workers
from service.api.deps import Connection, State, StateDep, stopping
from service.errors import Invalid, NotFound, RequestError
from service.notifications import WORK, worker_topic
from service.problems import fields_of
from service.queue import leasing, news, probes, reports
from service.queue.dispatch import Given, Want

router = APIRouter(prefix="/workers", tags=["workers"])
_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)
_MOST_OUTCOMES = 10_000
log = logging.getLogger(__name__)
_REGISTER = """
insert into workers(boot, name, host, pid, version, concurrency, labels) values ($1, $2, $3, $4, $5, $6, $7)
on conflict (boot) do update set last_seen_at = clock_timestamp(), concurrency = excluded.concurrency, labels = excluded.labels,
   state = case workers.state when 'gone' then 'up' else workers.state end
returning id
"""


class UpgradeRequired(RequestError):
    """A worker that speaks another version of the protocol."""

    status, title, kind = 426, "Upgrade required", "urn:fathom:upgrade-required"


@dataclass(frozen=True, slots=True)
class _Known:
    state: str
    labels: dict[str, str]


async def _worker(state: State, worker: int) -> _Known:
    """The worker's row; raises NotFound, on which a worker registers again."""
    row = None
    if 0 < worker < 2**31:
        row = await state.db.pool.fetchrow("select state, labels from workers where id = $1", worker)
    if row is None:
        raise NotFound(f"there is no worker {worker}; register with POST /v1/workers")
    return _Known(row["state"], row["labels"])


def _reply(body: Any) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


@router.post("/{worker}/claims", summary="Claim samples", response_model=ClaimReply)
async def claim(worker: int, body: ClaimRequest, request: Request, state: StateDep) -> Response:
    """Waits until there is work or `wait_seconds` are over. A worker that drains is told so at once."""
    began = asyncio.get_running_loop().time()
    known = await _worker(state, worker)
    if known.state == "gone":
        await state.db.pool.execute(
            "update workers set state = 'up', last_seen_at = clock_timestamp() where id = $1 and state = 'gone'", worker
        )
    if known.state == "draining":
        return _reply({"drain": True})
    want = Want(
        worker=worker,
        samples=body.want,
        max_leases=body.max_leases,
        labels=frozenset(known.labels.items()),
        avoid=await _model_ids(state, body.avoid_models),
    )
    given = await state.queue.dispatcher.claim(want, body.wait_seconds, _gone(request))
    if not given:
        now = await _worker(state, worker)
        return _reply({"drain": now.state == "draining", "wait_hint": await _hint(state)})
    seconds = state.settings.lease_seconds + given.asked_at - began  # the worker counts from when it sent the claim
    reply = await _claim_reply(state, given, set(body.known_jobs), seconds)
    return Response(reply, media_type="application/json")


def _gone(request: Request) -> Callable[[], Awaitable[bool]]:
    """Whether nobody waits for the reply any more, or the service is to end."""
    ending = stopping(request)

    async def gone() -> bool:
        return ending() or await request.is_disconnected()

    return gone


async def _model_ids(state: State, names: Sequence[str]) -> frozenset[int]:
    if not names:
        return frozenset()
    rows = await state.db.pool.fetch("select id from models where name = any($1)", list(names))
    return frozenset(row[0] for row in rows)


async def _hint(state: State) -> str | None:
    """Why there is nothing, when a model's state is the reason."""
    row = await state.db.pool.fetchrow(
        """select m.name, m.circuit, m.circuit_reason from models m
            where (m.circuit <> 'closed' and m.circuit_until > clock_timestamp() or m.cooldown_until > clock_timestamp())
              and exists(select 1 from jobs j where j.model_id = m.id and j.state = 'running') limit 1"""
    )
    if row is None:
        return None
    reason = row["circuit_reason"] if row["circuit"] != "closed" else "the server asked to wait"
    return f"model {row['name']} is paused: {reason}"


async def _claim_reply(state: State, given: Given, held: set[str], seconds: float) -> bytes:
    specs = state.queue.specs
    leases: list[Lease] = []
    jobs: dict[str, JobSpec] = {}
    for grant in given.grants:
        known = await specs.get(grant.job, grant.stamp)
        if known.name not in held:
            jobs[known.public_id] = known.spec
        leases.append(
            Lease.model_construct(
                id=grant.lease,
                job=known.public_id,
                cell=known.cells[grant.cell],
                samples=grant.samples,
                seconds=seconds,
            )
        )
    reply = ClaimReply.model_construct(
        leases=leases, jobs=list(jobs.values()), probes=list(given.probes), drain=False, wait_hint=None
    )
    return reply.__pydantic_serializer__.to_json(reply)


async def _outcomes(request: Request) -> list[Outcome | Verdict]:
    """The outcomes of the body; in place of one that cannot be read, its refusal. Raises Invalid for the body as a whole."""
    raw = await request.body()
    try:
        return list(OutcomesRequest.model_validate_json(raw).outcomes)
    except ValidationError:
        pass
    try:
        data = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Invalid(f"the body is not JSON: {error}") from None
    items = data.get("outcomes") if isinstance(data, dict) else None
    if not isinstance(items, list) or len(items) > _MOST_OUTCOMES:
        raise Invalid(f"the body must be an object with `outcomes`, a list of at most {_MOST_OUTCOMES:,} outcomes")
    return [_parse(item) for item in items]


def _parse(item: Any) -> Outcome | Verdict:
    try:
        return _OUTCOME.validate_json(orjson.dumps(item))
    except ValidationError as error:
        problems = fields_of(error.errors()[:3])
        return Verdict(verdict="refused", reason="; ".join(f"{p.field}: {p.message}" for p in problems))


@router.post(
    "/{worker}/outcomes",
    summary="Report outcomes",
    response_model=OutcomesReply,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": OutcomesRequest.model_json_schema(ref_template="#/components/schemas/{model}")
                }
            },
        }
    },
)
async def outcomes(
    worker: int, state: StateDep, items: Annotated[list[Outcome | Verdict], Depends(_outcomes)]
) -> Response:
    """Each outcome gets its own verdict, in the order of the request. A result is taken from any worker, also when its
    lease has run out, if the sample has none yet; a failure only from the worker that holds the sample."""
    if not state.queue.specs.knows(worker):
        await _worker(state, worker)
        state.queue.specs.note(worker)
    good = [item for item in items if not isinstance(item, Verdict)]
    ids = await state.queue.specs.ids({item.job for item in good})
    judged = iter(await reports.report(state.db.pool, worker, good, ids))
    state.queue.notifications.tell(WORK)
    verdicts = [item if isinstance(item, Verdict) else next(judged) for item in items]
    return _reply({"verdicts": [{"verdict": v.verdict, "reason": v.reason} for v in verdicts]})


@router.post("/{worker}/heartbeat", summary="Renew leases")
async def heartbeat(worker: int, body: Heartbeat, state: StateDep) -> HeartbeatReply:
    """Renews the leases named; those that are lost, and those of cancelled jobs, the worker gives up."""
    known = await _worker(state, worker)
    renewal = await leasing.heartbeat(
        state.db.pool, worker, body.leases, state.settings.lease_seconds, body.draining, body.models
    )
    return HeartbeatReply(
        renewed=renewal.renewed,
        lost=renewal.lost,
        cancelled_jobs=renewal.cancelled_jobs,
        drain=known.state == "draining",
    )


@router.post("/{worker}/news", summary="Wait for what a heartbeat would tell")
async def hear(worker: int, body: News, request: Request, state: StateDep) -> NewsReply:
    """Returns at once when a job of which the worker holds samples is cancelled, or when it is to drain. Leases that the
    worker cannot have got, because the reply to its claim was lost, go to others."""
    await _worker(state, worker)
    newest, returned = await leasing.take_back_lost(state.db.pool, worker, body.leases, body.settled)
    if returned:
        log.warning("worker %d never got %d samples that it had claimed: they go to others", worker, returned)
        state.queue.notifications.tell(WORK)
    told = await news.wait(state.db.pool, state.queue.notifications, worker, body.wait_seconds, _gone(request))
    return NewsReply(newest_lease=newest, heartbeat=told)


@router.get("", summary="List the workers")
async def list_workers(connection: Connection) -> WorkerList:
    return WorkerList(items=await workers.every(connection))


@router.post("", summary="Register a worker")
async def register(body: WorkerRegistration, state: StateDep) -> WorkerRegistered:
    """Once a process start; `boot` makes a repeated call the same registration."""
    if body.protocol != PROTOCOL_VERSION:
        older = "worker" if body.protocol < PROTOCOL_VERSION else "service"
        raise UpgradeRequired(
            f"worker {body.name!r} ({body.version}) speaks protocol {body.protocol}, this service {PROTOCOL_VERSION}; "
            f"upgrade the {older}. Nothing was handed out"
        )
    worker = await state.db.pool.fetchval(
        _REGISTER, body.boot, body.name, body.host, body.pid, body.version, body.concurrency, body.labels
    )
    settings = state.settings
    return WorkerRegistered(
        id=worker, lease_seconds=settings.lease_seconds, heartbeat_seconds=settings.heartbeat_seconds
    )


@router.post("/{worker}/probes/{order}", status_code=204, summary="Report a probe")
async def answer_probe(worker: int, order: int, body: ProbeReport, state: StateDep) -> None:
    await _worker(state, worker)
    if not await probes.answer(state.db.pool, worker, order, body.probe):
        raise NotFound(f"there is no probe order {order}")


@router.post("/{worker}/drain", summary="Ask a worker to finish and leave")
async def drain(worker: int, state: StateDep) -> dict[str, Any]:
    """It finishes the calls it has begun, hands back the rest and leaves. Asking twice is no error."""
    await _worker(state, worker)
    await state.db.pool.execute("update workers set state = 'draining' where id = $1 and state = 'up'", worker)
    state.queue.dispatcher.release(worker)
    state.queue.notifications.tell(worker_topic(worker))
    return {"id": worker, "state": (await _worker(state, worker)).state}


@router.delete("/{worker}", status_code=204, summary="Leave")
async def depart(worker: int, state: StateDep, body: Annotated[Departure | None, Body()] = None) -> None:
    """The worker is done. What it still holds goes to others at once, and no attempt is spent."""
    await _worker(state, worker)
    if await leasing.take_back(state.db.pool, worker):
        state.queue.notifications.tell(WORK)
    await state.db.pool.execute(
        "update workers set state = 'gone', last_seen_at = clock_timestamp() where id = $1", worker
    )
