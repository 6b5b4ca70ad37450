"""Taking outcomes: each gets its own verdict, whatever happens to the others of its batch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import asyncpg
import orjson

from protocol.jobs import Status
from protocol.workers import FailureReport, HandBack, Outcome, ResultReport, Verdict
from service.queue.leasing import Connection

Word = Literal["stored", "duplicate", "requeued", "failed", "stale", "refused", "returned"]
_WORDS: Mapping[str, Word] = {word: word for word in get_args(Word)}
_STORED = Verdict(verdict="stored")
_MOST_ATTEMPTS = 32_767


def _call(function: str, types: str) -> str:
    """The call of a function whose parameters have these types. Arrays of numbers and the like travel as text: asyncpg looks at
    each element of a list twice before it writes it, which took half of the time of a report."""
    marks = [
        f"${n}::text::{kind}"
        if kind in ("int[]", "bigint[]", "float8[]", "bool[]", "bytea[]", "varchar[]")
        else f"${n}"
        for n, kind in enumerate(types.split(), 1)
    ]
    return f"select {function}({', '.join(marks)})"


_RESULTS = _call(
    "queue_report_results",
    "int bigint[] bigint[] int[] int[] int[] int[] varchar[] float8[] text[] text[] text[] bytea[]"
    " int[] int[] int[] int[] int[] text[] int[] int[] text[] text[]",
)
_FAILURES = _call(
    "queue_report_failures",
    "int bigint[] bigint[] int[] int[] int[] text[] text[] bool[] bool[] float8[] bool[] bytea[] int[] int[] int[] int[] int[]",
)
_HAND_BACK = _call("queue_hand_back", "int bigint[] bigint[] int[] int[] int[]")


async def report(
    connection: Connection, worker: int, outcomes: Sequence[Outcome], jobs: Mapping[str, int]
) -> list[Verdict]:
    """Judge a batch, in its order. `jobs` maps the public ids of jobs to their ids; others are refused.

    Results, failures and handed back samples are three transactions, so a batch may be taken in part when the
    database fails; giving it again is safe. Of several outcomes of one sample the first is taken.
    """
    verdicts: list[Verdict | None] = [None] * len(outcomes)
    kinds: tuple[list[int], list[int], list[int]] = ([], [], [])
    seen: set[tuple[str, int, int]] = set()
    for place, outcome in enumerate(outcomes):
        key = (outcome.job, outcome.cell, outcome.index)
        if outcome.job not in jobs:
            verdicts[place] = Verdict(verdict="refused", reason=f"there is no job {outcome.job!r}")
        elif key in seen:
            verdicts[place] = Verdict(verdict="duplicate", reason="the sample is in this batch already")
        else:
            seen.add(key)
            kinds[_kind(outcome)].append(place)
    senders: tuple[Send, ...] = (_send_results, _send_failures, _send_back)
    for places, send in zip(kinds, senders, strict=True):
        if places:
            chosen = [outcomes[place] for place in places]
            for place, verdict in zip(places, await _judge(connection, worker, chosen, jobs, send), strict=True):
                verdicts[place] = verdict
    return [verdict for verdict in verdicts if verdict is not None]


def _kind(outcome: Outcome) -> int:
    if isinstance(outcome, ResultReport):
        return 1 if outcome.status is Status.ERROR else 0
    return 1 if isinstance(outcome, FailureReport) else 2


Rows = list[list[str | None]]
Send = Callable[[Connection, int, Sequence[Any], Mapping[str, int]], Awaitable[Rows | None]]


async def _judge(
    connection: Connection, worker: int, outcomes: Sequence[Any], jobs: Mapping[str, int], send: Send
) -> list[Verdict]:
    """Send all at once; when a value cannot be stored, one by one, so that only its own outcome is refused."""
    try:
        return _verdicts(await send(connection, worker, outcomes, jobs), len(outcomes))
    except (asyncpg.DataError, OverflowError) as error:
        if len(outcomes) > 1:
            found = [await _judge(connection, worker, [outcome], jobs, send) for outcome in outcomes]
            return [verdict for one in found for verdict in one]
        cleaned = _without_nul(outcomes[0])
        if cleaned != outcomes[0]:
            return await _judge(connection, worker, [cleaned], jobs, send)
        return [Verdict(verdict="refused", reason=f"a value cannot be stored: {error}")]


def _verdicts(rows: Rows | None, count: int) -> list[Verdict]:
    if rows is None:
        return [_STORED] * count
    return [_STORED if word == "stored" else Verdict(verdict=_WORDS[str(word)], reason=reason) for word, reason in rows]


def _without_nul(outcome: Any) -> Any:
    """The outcome with U+FFFD for the null character, which Postgres cannot store: no reason to lose an answer."""
    clean = outcome.model_dump_json().replace("\\u0000", "\N{REPLACEMENT CHARACTER}")
    return type(outcome).model_validate_json(clean)


def _json(value: Any) -> str | None:
    return orjson.dumps(value).decode() if value else None


def _hashes(values: list[str | None]) -> str | None:
    """A literal of an array of bytes, given in hex."""
    if values.count(None) == len(values):
        return None
    return "{" + ",".join(["null" if value is None else f'"\\\\x{value}"' for value in values]) + "}"


def _numbers(values: list[Any]) -> str | None:
    """A literal of an array of numbers, booleans or statuses; none at all for a column of nulls, which `unnest` fills up."""
    if values.count(None) == len(values):
        return None
    return "{" + ",".join(["null" if value is None else str(value) for value in values]) + "}"


def _texts(values: list[Any]) -> list[Any] | None:
    return None if values.count(None) == len(values) else values


async def _send_results(
    connection: Connection, worker: int, outcomes: Sequence[ResultReport], jobs: Mapping[str, int]
) -> Rows | None:
    measured = [o.measured for o in outcomes]
    found: Rows | None = await connection.fetchval(
        _RESULTS,
        worker,
        _numbers([o.lease for o in outcomes]),
        _numbers([jobs[o.job] for o in outcomes]),
        _numbers([o.cell for o in outcomes]),
        _numbers([o.index for o in outcomes]),
        _numbers([o.generation for o in outcomes]),
        _numbers([min(o.attempt, _MOST_ATTEMPTS) for o in outcomes]),
        _numbers([o.status for o in outcomes]),
        _numbers([o.score for o in outcomes]),
        _texts([o.answer for o in outcomes]),
        _texts([o.thinking for o in outcomes]),
        _texts([_json(o.expected) for o in outcomes]),
        _hashes([o.prompt_sha256 for o in outcomes]),
        _numbers([o.prompt_tokens for o in outcomes]),
        _numbers([m.server_prompt_tokens for m in measured]),
        _numbers([m.cached_tokens for m in measured]),
        _numbers([m.completion_tokens for m in measured]),
        _numbers([m.thinking_tokens for m in measured]),
        _texts([o.finish_reason for o in outcomes]),
        _numbers([m.ttft_ms for m in measured]),
        _numbers([m.duration_ms for m in measured]),
        _texts([o.error for o in outcomes]),
        _texts([_json(o.detail) for o in outcomes]),
    )
    return found


async def _send_failures(
    connection: Connection, worker: int, outcomes: Sequence[FailureReport | ResultReport], jobs: Mapping[str, int]
) -> Rows | None:
    failures = [o if isinstance(o, FailureReport) else _as_failure(o) for o in outcomes]
    measured = [o.measured for o in failures]
    found: Rows | None = await connection.fetchval(
        _FAILURES,
        worker,
        _numbers([o.lease for o in failures]),
        _numbers([jobs[o.job] for o in failures]),
        _numbers([o.cell for o in failures]),
        _numbers([o.index for o in failures]),
        _numbers([o.generation for o in failures]),
        _texts([o.cause for o in failures]),
        _texts([o.message for o in failures]),
        _numbers([o.permanent for o in failures]),
        _numbers([o.counts and not (o.model_down and not o.permanent) for o in failures]),
        _numbers([o.retry_after for o in failures]),
        _numbers([o.model_down for o in failures]),
        _hashes([o.prompt_sha256 for o in failures]),
        _numbers([m.server_prompt_tokens for m in measured]),
        _numbers([m.cached_tokens for m in measured]),
        _numbers([m.completion_tokens for m in measured]),
        _numbers([m.thinking_tokens for m in measured]),
        _numbers([m.duration_ms for m in measured]),
    )
    return found


def _as_failure(result: ResultReport) -> FailureReport:
    """A result with status `error` is a failure for good: it counts only from the worker that holds the sample."""
    return FailureReport(
        lease=result.lease,
        job=result.job,
        cell=result.cell,
        index=result.index,
        generation=result.generation,
        attempt=result.attempt,
        cause="error",
        message=(result.error or "")[:4000],
        permanent=True,
        prompt_sha256=result.prompt_sha256,
        measured=result.measured,
    )


async def _send_back(
    connection: Connection, worker: int, outcomes: Sequence[HandBack], jobs: Mapping[str, int]
) -> Rows | None:
    found: Rows | None = await connection.fetchval(
        _HAND_BACK,
        worker,
        _numbers([o.lease for o in outcomes]),
        _numbers([jobs[o.job] for o in outcomes]),
        _numbers([o.cell for o in outcomes]),
        _numbers([o.index for o in outcomes]),
        _numbers([o.generation for o in outcomes]),
    )
    return found
