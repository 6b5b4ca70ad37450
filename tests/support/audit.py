"""What must hold after any fault: every sample has one result, the one it would have had, and no call was wasted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from fathom.client import Client
from protocol.jobs import JobDetail, JobState
from protocol.results import Result
from tests.support.cluster import Service, finished
from tests.support.model_server import Seen

Key = tuple[str, int, int]
"""(task, length, index) of a sample."""


@dataclass(frozen=True)
class Fact:
    """What a sample comes to when nothing goes wrong."""

    status: str
    score: float | None
    prompt_sha256: str


def fact(result: Result) -> Fact:
    return Fact(str(result.status), result.score, str(result.prompt_sha256))


def key(result: Result) -> Key:
    return result.task, result.length, result.index


async def results(client: Client, job: str) -> list[Result]:
    return [result async for result in client.results(job)]


async def facts(client: Client, job: str) -> dict[Key, Fact]:
    return {key(result): fact(result) for result in await results(client, job)}


def prompts_of(calls: Iterable[Seen]) -> Counter[str]:
    """How often each prompt came, by SHA-256."""
    return Counter(hashlib.sha256(call.prompt.encode()).hexdigest() for call in calls)


async def check_whole(
    service: Service,
    job: str,
    faultless: Mapping[Key, Fact],
    calls: Iterable[Seen],
    lost: int = 0,
    exposed: Collection[str] = (),
) -> JobDetail:
    """Wait for the job's end and check it.

    Results are as many as samples, none twice, each equal to the fault-free run's; the progress figures agree with
    them; and the model got at most one call a sample, one more for each of the prompts that were `exposed` to the fault,
    and `lost` more in all.
    """
    ended = await finished(service, job)
    async with service.client() as client:
        found = await results(client, job)
    assert ended.state is JobState.COMPLETED
    wanted = {key: one for key, one in faultless.items() if key[2] < ended.counts.planned // len(ended.cells)}
    assert Counter(key(result) for result in found) == Counter(dict.fromkeys(wanted, 1))
    assert {key(result): fact(result) for result in found} == wanted
    check_counts(ended, found)
    asked = prompts_of(calls)
    of_job = {one.prompt_sha256: asked[one.prompt_sha256] for one in wanted.values()}
    assert min(of_job.values()) >= 1, "a sample has a result and was never asked"
    beyond = {prompt: n - 1 - (prompt in exposed) for prompt, n in of_job.items() if n > 1 + (prompt in exposed)}
    assert sum(beyond.values()) <= lost, (beyond, Counter(of_job.values()), len(exposed))
    return ended


def check_counts(ended: JobDetail, found: list[Result]) -> None:
    """The denominator and the mean, of the job and of each cell, are those of its results."""
    counts = ended.counts
    assert (counts.in_flight, counts.waiting, counts.pending) == (0, 0, 0)
    assert counts.planned == counts.done == len(found)
    assert {k: n for k, n in counts.by_status.items() if n} == Counter(str(result.status) for result in found)
    for cell in ended.cells:
        scores = [result.score for result in found if result.cell == cell.cell and result.score is not None]
        assert cell.counts.scored == len(scores)
        assert cell.mean is None if not scores else abs((cell.mean or 0.0) - sum(scores) / len(scores)) < 1e-9
