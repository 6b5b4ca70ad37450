"""Outcomes on their way: whose they are, what happens while the service is away, and what is never dropped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
import pytest

from protocol.jobs import Status
from protocol.workers import OutcomesReply, ResultReport, Verdict
from tests.support.waiting import until
from workers.errors import ServiceAway, ServiceRefused
from workers.outbox import Outbox
from workers.spool import Spool


def outcome(index: int) -> ResultReport:
    return ResultReport(lease=1, job="j", cell=0, index=index, status=Status.OK, score=1.0)


class Desk:
    """The service's side: takes batches, or fails as it is told."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []
        self.failure: Callable[[list[int]], Exception | None] = lambda indices: None
        self.tries = 0

    async def send(self, worker: int, contents: list[bytes]) -> OutcomesReply:
        self.tries += 1
        indices = [orjson.loads(content)["index"] for content in contents]
        if (error := self.failure(indices)) is not None:
            raise error
        self.taken += [(worker, index) for index in indices]
        return OutcomesReply(verdicts=[Verdict(verdict="stored") for _ in indices])


@asynccontextmanager
async def running(outbox: Outbox) -> AsyncIterator[None]:
    task = asyncio.create_task(outbox.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_a_killed_worker_left_is_reported_under_its_own_number(tmp_path: Path) -> None:
    desk, spool = Desk(), Spool(tmp_path)
    Outbox(spool, desk.send).add(outcome(0), worker=7)
    spool.close()

    heir = Outbox(Spool(tmp_path), desk.send)
    heir.add(outcome(1), worker=8)
    async with running(heir):
        await heir.emptied()
    assert desk.taken == [(7, 0), (8, 1)]
    assert Spool(tmp_path / "other").left_over == []


async def test_nothing_may_be_claimed_before_what_was_left_over_is_reported(tmp_path: Path) -> None:
    desk, spool = Desk(), Spool(tmp_path)
    Outbox(spool, desk.send).add(outcome(0), worker=7)
    spool.close()
    heir = Outbox(Spool(tmp_path), desk.send)
    waiting = asyncio.create_task(heir.flowing())
    await asyncio.sleep(0)
    assert not waiting.done()
    async with running(heir):
        await waiting
    assert desk.taken == [(7, 0)]


async def test_while_the_service_is_away_nothing_is_claimed_and_its_return_ends_the_pause(tmp_path: Path) -> None:
    desk = Desk()
    desk.failure = lambda indices: ServiceAway("gone")
    outbox = Outbox(Spool(tmp_path), desk.send)
    async with running(outbox):
        await outbox.flowing()
        outbox.add(outcome(0), worker=1)
        await until(lambda: desk.tries >= 5)
        flowing = asyncio.create_task(outbox.flowing())
        await asyncio.sleep(0)
        assert not flowing.done()
        desk.failure = lambda indices: None
        outbox.wake()
        await flowing
        await outbox.emptied()
    assert desk.taken == [(1, 0)]


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refusal_that_is_not_about_the_outcomes_keeps_them(tmp_path: Path, status: int) -> None:
    desk, spool = Desk(), Spool(tmp_path)
    desk.failure = lambda indices: ServiceRefused(status, "not now")
    outbox = Outbox(spool, desk.send)
    async with running(outbox):
        outbox.add(outcome(0), worker=1)
        await until(lambda: desk.tries >= 2)
    spool.close()
    assert [entry.worker for entry in Spool(tmp_path).left_over] == [1]
    assert not list(tmp_path.rglob("rejected.jsonl"))


async def test_only_the_outcome_that_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    desk = Desk()
    desk.failure = lambda indices: ServiceRefused(422, "what is 3?") if 3 in indices else None
    outbox = Outbox(Spool(tmp_path), desk.send)
    for index in range(6):
        outbox.add(outcome(index), worker=1)
    async with running(outbox):
        await outbox.emptied()
    assert sorted(index for _, index in desk.taken) == [0, 1, 2, 4, 5]
    (aside,) = tmp_path.rglob("rejected.jsonl")
    assert "what is 3?" in aside.read_text()


async def test_a_left_over_outcome_that_is_refused_does_not_keep_the_worker_from_claiming(tmp_path: Path) -> None:
    desk, spool = Desk(), Spool(tmp_path)
    Outbox(spool, desk.send).add(outcome(0), worker=7)
    spool.close()
    desk.failure = lambda indices: ServiceRefused(413, "too large")
    heir = Outbox(Spool(tmp_path), desk.send)
    async with running(heir):
        await heir.flowing()
    assert list(tmp_path.rglob("rejected.jsonl"))


async def test_what_hangs_on_a_dead_connection_is_sent_again_when_the_service_answers_on_another(
    tmp_path: Path,
) -> None:
    desk, hanging = Desk(), asyncio.Event()

    async def send(worker: int, contents: list[bytes]) -> OutcomesReply:
        if not hanging.is_set():
            hanging.set()
            await asyncio.Event().wait()
        return await desk.send(worker, contents)

    outbox = Outbox(Spool(tmp_path), send)
    async with running(outbox):
        outbox.add(outcome(0), worker=1)
        await hanging.wait()
        outbox.wake()
        await outbox.emptied()
    assert desk.taken == [(1, 0)]
