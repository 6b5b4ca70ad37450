"""A job's results, samples, prompts and events."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response, StreamingResponse

from protocol.common import FieldProblem
from protocol.jobs import EventPage
from protocol.results import PromptText, Result, ResultPage, SampleDetail
from service import events, jobs, prompts, results
from service.api.deps import Connection, State, StateDep, stopping
from service.api.parameters import INT4, CellNumber, Cursor, FiltersDep, SampleIndex
from service.errors import Invalid
from service.jobs import JobRow
from service.notifications import wait
from service.problems import database_away
from service.results import Filters, Key

log = logging.getLogger(__name__)
router = APIRouter(prefix="/jobs/{job}", tags=["results"])
NDJSON = "application/x-ndjson"
_BATCH, _PAGE, _MOST = 500, 100, 1000
_LIMIT = f"Results a page, at most {_MOST}; left out: {_PAGE}. Of a stream, how many in all; left out: all there are."
_LOOK_EVERY = 1.0


@router.get(
    "/results",
    summary="Read results",
    response_model=ResultPage,
    responses={
        200: {"content": {NDJSON: {"schema": {"type": "string"}}}, "description": "A page, or a stream of lines."}
    },
)
async def read_results(
    job: str,
    request: Request,
    state: StateDep,
    wanted: FiltersDep,
    cursor: Cursor = None,
    limit: Annotated[int | None, Query(ge=1, le=INT4, description=_LIMIT)] = None,
    follow: Annotated[bool, Query(description="Keep the stream open until the job is finished.")] = False,
    accept: Annotated[str, Header()] = "",
) -> Response | ResultPage:
    """In the order in which they were stored, while the job runs and after. A cursor goes on from where a page or a line
    ended, today or after a restart, and never skips or repeats a result. A sample that is asked again comes again.

    With `Accept: application/x-ndjson` a stream, one result a line, each with its own `cursor`."""
    after = results.parse_cursor(cursor)
    as_lines = NDJSON in accept
    if not as_lines and (limit or 0) > _MOST:
        raise _only_streams("limit", limit, f"must be at most {_MOST} for a page")
    if not as_lines and follow:
        raise _only_streams("follow", follow, "a page can't be followed")
    async with state.db.engine.connect() as connection:
        row = await jobs.find(connection, job)
        if not as_lines:
            return await results.page(connection, row, cursor, limit or _PAGE, wanted)
    lines = _lines(state, _topic(request, state, row), row, after, wanted, limit, follow)
    return StreamingResponse(lines, media_type=NDJSON, headers={"Cache-Control": "no-store"})


def _only_streams(field: str, value: int | None, why: str) -> Invalid:
    message = f"{why}; ask for a stream: `Accept: {NDJSON}`"
    return Invalid(f"{field}: {message}", errors=[FieldProblem(field=field, value=value, message=message)])


async def _lines(
    state: State, topic: events.Topic, row: JobRow, after: Key, wanted: Filters, limit: int | None, follow: bool
) -> AsyncIterator[str]:
    spoken, left = time.monotonic(), limit
    with topic.listening() as changed:
        while True:
            changed.clear()
            final = False
            async for found in results.stream(state.db.engine, row, after, wanted, min(_BATCH, left or _BATCH)):
                final = found.final
                if given := found.results[:left]:
                    after, spoken = given[-1][0], time.monotonic()
                    yield "".join(_line(key, result) for key, result in given)
                if left is not None and not (left := left - len(given)):
                    return
            if final or not follow or topic.stopping():
                return
            if time.monotonic() - spoken >= state.settings.event_heartbeat:
                yield "\n"  # keeps proxies from closing the stream
                spoken = time.monotonic()
            await wait(changed, _LOOK_EVERY)


def _line(key: Key, result: Result) -> str:
    """A result as a line of JSON, with the cursor that goes on after it."""
    return f'{result.model_dump_json()[:-1]},"cursor":"{results.make_cursor(key)}"}}\n'


def _topic(request: Request, state: State, row: JobRow) -> events.Topic:
    return events.Topic(state.queue.notifications, row.public_id, stopping(request))


@router.get("/samples/{cell}/{index}", summary="Show a sample with its attempts")
async def show_sample(job: str, cell: CellNumber, index: SampleIndex, connection: Connection) -> SampleDetail:
    """Its result if it has one, and every failed or superseded attempt."""
    return await results.sample(connection, await jobs.find(connection, job), cell, index)


@router.get("/samples/{cell}/{index}/prompt", summary="Build a sample's prompt again", response_model=PromptText)
async def show_prompt(
    job: str,
    cell: CellNumber,
    index: SampleIndex,
    state: StateDep,
    head: Annotated[int, Query(ge=0, le=1_000_000, description="Bytes from the beginning.")] = 4000,
    tail: Annotated[int, Query(ge=0, le=1_000_000, description="Bytes from the end.")] = 2000,
    format: Annotated[Literal["json", "text"], Query(description="`text`: the prompt itself.")] = "json",
    offset: Annotated[int, Query(ge=0, description="First byte (`text`).")] = 0,
    length: Annotated[int | None, Query(ge=1, description="How many bytes (`text`); left out: all.")] = None,
) -> Response | PromptText:
    """Prompts are not stored, only their SHA-256: `matches` says whether what is built now is what was asked then."""
    async with state.db.engine.connect() as connection:
        row = await jobs.find(connection, job)
        stored = await results.sample(connection, row, cell, index)
        sample = await prompts.rebuild(connection, state.sources, row, cell, index)
    if format == "text":
        body = prompts.as_bytes(sample.prompt.text)
        stop = len(body) if length is None else offset + length
        text = prompts.piece(body, offset, stop)
        headers = {"X-Content-Type-Options": "nosniff", "X-Prompt-Bytes": str(len(body))}
        return Response(text, media_type="text/plain; charset=utf-8", headers=headers)
    sha256 = stored.result.prompt_sha256 if stored.result else None
    return prompts.shown(job, cell, index, sample, sha256, head, tail)


@router.get(
    "/events",
    summary="Follow a job's events",
    response_model=EventPage,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events, or with `poll` a page of them."}},
)
async def follow_events(
    job: str,
    request: Request,
    state: StateDep,
    poll: Annotated[bool, Query(description="A JSON page of what has happened since the id, at once.")] = False,
    cursor: Annotated[str | None, Query(description="Like `Last-Event-ID`, for those who poll.")] = None,
    last_event_id: Annotated[str | None, Header(description="The id of the last event seen.")] = None,
) -> Response | EventPage:
    """Server-sent events: `progress` (at most about one a second), `state`, `stalled`, … Each has an id; after a drop,
    `Last-Event-ID` goes on without a gap. Comments come when nothing else does. The stream ends with the job; asking
    again then gives 204, which tells browsers to stop."""
    after = events.parse_id(last_event_id or cursor)
    async with state.db.engine.connect() as connection:
        row = await jobs.find(connection, job)
        if poll:
            return await events.page(connection, row.id, after)
        if await events.finished(connection, row.id, after):
            return Response(status_code=204)
    stream = events.stream(state.db.engine, _topic(request, state, row), row.id, after, state.settings.event_heartbeat)
    return EventSourceResponse(_wire(stream), headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


async def _wire(stream: AsyncIterator[ServerSentEvent]) -> AsyncIterator[bytes]:
    """The stream as bytes. It ends when the database goes away: whoever listens comes back with the last id."""
    try:
        async for event in stream:
            yield events.wire(event)
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        if (why := database_away(error)) is None:
            raise
        log.warning("a stream of events ends early: %s", why)
