"""Taking outcomes: each gets its own verdict, whatever happens to the others of its batch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, get_args

import asyncpg
import orjson

from protocol.jobs import Status
from protocol.workers import FailureReport, HandBack, Outcome, ResultReport, Verdict
from service.queue import arrays
from service.queue.arrays import documents, hashes, numbers, texts
from service.queue.leasing import Connection

Word = Literal["stored", "duplicate", "requeued", "failed", "stale", "refused", "returned"]
_WORDS: Mapping[str, Word] = {word: word for word in get_args(Word)}
_STORED = Verdict(verdict="stored")
_MOST_ATTEMPTS = 32_767


_PAYLOAD = (
    "varchar[] float8[] text[] text[] jsonb bytea[] int[] int[] int[] int[] int[] text[] int[] int[] text[] jsonb"
)
_FRESH = arrays.call("queue_store_fresh", f"int bigint[] bigint[] bigint[] int[] int[] int[] int[] {_PAYLOAD}")
_RESULTS = arrays.call("queue_report_results", f"int bigint[] bigint[] int[] int[] int[] int[] {_PAYLOAD}")
_FAILURES = arrays.call(
    "queue_report_failures",
    "int bigint[] bigint[] int[] int[] int[] text[] text[] bool[] bool[] float8[] bool[] bytea[]"
    " int[] int[] int[] int[] int[]",
)
_HAND_BACK = arrays.call("queue_hand_back", "int bigint[] bigint[] int[] int[] int[]")


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
    except (asyncpg.DataError, OverflowError, orjson.JSONEncodeError) as error:
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


def _places(outcomes: Sequence[Outcome], jobs: Mapping[str, int]) -> list[str | None]:
    """Leases, jobs, cells, indices and generations."""
    return [
        numbers([o.lease for o in outcomes]),
        numbers([jobs[o.job] for o in outcomes]),
        numbers([o.cell for o in outcomes]),
        numbers([o.index for o in outcomes]),
        numbers([o.generation for o in outcomes]),
    ]


def _payload(outcomes: Sequence[ResultReport]) -> list[Any]:
    """What is stored of results, in the order of `_PAYLOAD`."""
    measured = [o.measured for o in outcomes]
    return [
        numbers([o.status for o in outcomes]),
        numbers([o.score for o in outcomes]),
        texts([o.answer for o in outcomes]),
        texts([o.thinking for o in outcomes]),
        documents([o.expected for o in outcomes]),
        hashes([o.prompt_sha256 for o in outcomes]),
        numbers([o.prompt_tokens for o in outcomes]),
        numbers([m.server_prompt_tokens for m in measured]),
        numbers([m.cached_tokens for m in measured]),
        numbers([m.completion_tokens for m in measured]),
        numbers([m.thinking_tokens for m in measured]),
        texts([o.finish_reason for o in outcomes]),
        numbers([m.ttft_ms for m in measured]),
        numbers([m.duration_ms for m in measured]),
        texts([o.error for o in outcomes]),
        documents([o.detail for o in outcomes]),
    ]


async def _send_results(
    connection: Connection, worker: int, outcomes: Sequence[ResultReport], jobs: Mapping[str, int]
) -> Rows | None:
    if all(o.generation == 0 and o.attempt == 1 for o in outcomes):
        with suppress(asyncpg.UniqueViolationError):
            if await _store_fresh(connection, worker, outcomes, jobs):
                return None
    attempts = numbers([min(o.attempt, _MOST_ATTEMPTS) for o in outcomes])
    found: Rows | None = await connection.fetchval(
        _RESULTS, worker, *_places(outcomes, jobs), attempts, *_payload(outcomes)
    )
    return found


async def _store_fresh(
    connection: Connection, worker: int, outcomes: Sequence[ResultReport], jobs: Mapping[str, int]
) -> bool:
    """Store results of first attempts if the worker holds all of them; otherwise nothing has changed."""
    ordered = sorted(outcomes, key=attrgetter("lease", "index"))
    leases: list[tuple[int, str, int]] = []
    lasts: list[int] = []
    for lease, group in groupby(ordered, attrgetter("lease", "job", "cell")):
        leases.append(lease)
        lasts.append((lasts[-1] if lasts else 0) + len(list(group)))
    stored: bool = await connection.fetchval(
        _FRESH,
        worker,
        numbers(sorted({jobs[job] for _, job, _ in leases})),
        numbers([lease for lease, _, _ in leases]),
        numbers([jobs[job] for _, job, _ in leases]),
        numbers([cell for _, _, cell in leases]),
        numbers([1, *(last + 1 for last in lasts[:-1])]),
        numbers(lasts),
        numbers([o.index for o in ordered]),
        *_payload(ordered),
    )
    return stored


async def _send_failures(
    connection: Connection, worker: int, outcomes: Sequence[FailureReport | ResultReport], jobs: Mapping[str, int]
) -> Rows | None:
    failures = [o if isinstance(o, FailureReport) else _as_failure(o) for o in outcomes]
    measured = [o.measured for o in failures]
    found: Rows | None = await connection.fetchval(
        _FAILURES,
        worker,
        *_places(failures, jobs),
        texts([o.cause for o in failures]),
        texts([o.message for o in failures]),
        numbers([o.permanent for o in failures]),
        numbers([o.counts and not (o.model_down and not o.permanent) for o in failures]),
        numbers([o.retry_after for o in failures]),
        numbers([o.model_down for o in failures]),
        hashes([o.prompt_sha256 for o in failures]),
        numbers([m.server_prompt_tokens for m in measured]),
        numbers([m.cached_tokens for m in measured]),
        numbers([m.completion_tokens for m in measured]),
        numbers([m.thinking_tokens for m in measured]),
        numbers([m.duration_ms for m in measured]),
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
    found: Rows | None = await connection.fetchval(_HAND_BACK, worker, *_places(outcomes, jobs))
    return found
