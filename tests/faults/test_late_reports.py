"""Leases run out while their worker lives: what it brings late, and what is refused."""

from __future__ import annotations

from fathom.client import Client
from protocol.jobs import Job
from protocol.results import SampleDetail
from tests.support.cluster import HEARTBEAT_SECONDS, Service, eventually
from tests.support.hand_worker import failure, hand_back, hand_worker, success


async def run_out(client: Client, job: str, cell: int, index: int) -> SampleDetail:
    """Wait until a sample's lease has run out."""

    async def look() -> SampleDetail | None:
        found = await client.sample(job, cell, index)
        return found if found.state == "waiting" else None

    found: SampleDetail = await eventually(look)
    return found


async def test_a_late_success_is_stored_when_the_sample_has_no_result_yet(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as slow, hand_worker(service) as other:
        (lease,) = await slow.claim()
        cell, index = lease.cell.cell, lease.samples[0][0]
        await run_out(client, job.id, cell, index)
        assert [v.verdict for v in await slow.report(success(lease))] == ["stored"]
        found = await client.sample(job.id, cell, index)
        assert found.result is not None
        assert (found.state, found.result.score) == ("done", 1.0)
        rest = [sample for one in await other.claim(want=10) for sample in one.samples]
        assert len(rest) == 3, "a sample that has its result must not be handed out again"


async def test_a_late_success_counts_as_a_duplicate_when_another_worker_was_faster(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as slow, hand_worker(service) as other:
        (lease,) = await slow.claim()
        cell, index = lease.cell.cell, lease.samples[0][0]
        await run_out(client, job.id, cell, index)
        (again,) = await other.claim()
        assert again.samples[0][:2] == lease.samples[0][:2]
        assert again.samples[0][2] == 2, "the second try of the sample"
        assert [v.verdict for v in await other.report(success(again, score=0.25))] == ["stored"]
        assert [v.verdict for v in await slow.report(success(lease))] == ["duplicate"]
        found = await client.sample(job.id, cell, index)
        assert found.result is not None
        assert found.result.score == 0.25
        assert {attempt.kind for attempt in found.attempts} == {"expired", "duplicate"}


async def test_a_late_failure_is_refused_and_burns_no_attempt(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as slow, hand_worker(service) as other:
        (lease,) = await slow.claim()
        cell, index = lease.cell.cell, lease.samples[0][0]
        await run_out(client, job.id, cell, index)
        (again,) = await other.claim()
        assert [v.verdict for v in await slow.report(failure(lease, permanent=True))] == ["stale"]
        assert (await client.sample(job.id, cell, index)).state == "in_flight"
        assert [v.verdict for v in await other.report(success(again))] == ["stored"]
        attempts = (await client.sample(job.id, cell, index)).attempts
        assert sorted(attempt.kind for attempt in attempts) == ["expired", "late"]


async def test_a_report_given_twice_is_stored_once(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as worker:
        (lease,) = await worker.claim()
        report = success(lease)
        assert [v.verdict for v in await worker.report(report)] == ["stored"]
        assert [v.verdict for v in await worker.report(report, report)] == ["duplicate", "duplicate"]
        found = await client.job(job.id)
        assert (found.counts.scored, found.usage.calls) == (1, 1)


async def test_a_renewed_lease_outlives_its_time_and_a_lost_one_is_named(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as worker:
        (kept,) = await worker.claim()
        (left,) = await worker.claim()
        cell, index = left.cell.cell, left.samples[0][0]
        while (await client.sample(job.id, cell, index)).state != "waiting":
            reply = await worker.heartbeat(kept.id)
            assert reply.renewed == [kept.id]
        assert (await client.sample(job.id, kept.cell.cell, kept.samples[0][0])).state == "in_flight"
        reply = await worker.heartbeat(kept.id, left.id)
        assert (reply.renewed, reply.lost) == ([kept.id], [left.id])
        assert kept.seconds > 2 * HEARTBEAT_SECONDS


async def test_a_batch_is_judged_one_by_one(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as worker, hand_worker(service) as other:
        (mine,) = await worker.claim(want=2)
        (foreign,) = await other.claim(want=1)
        unknown = success(mine, 0).model_copy(update={"job": "nosuchjob0"})
        no_lease = success(foreign).model_copy(update={"lease": foreign.id + 1_000_000})
        beyond = success(mine, 1).model_copy(update={"index": 999, "lease": foreign.id})
        verdicts = await worker.report(
            unknown, success(foreign), no_lease, beyond, success(mine, 0), hand_back(mine, 1)
        )
        words = [v.verdict for v in verdicts]
        assert words == ["refused", "refused", "duplicate", "refused", "stored", "returned"], verdicts
        assert all(v.reason for v in verdicts if v.verdict == "refused")
        assert (await client.job(job.id)).counts.scored == 1
        assert [v.verdict for v in await other.report(success(foreign))] == ["stored"], "the holder's own is taken"


async def test_what_a_worker_hands_back_goes_to_the_next_one_at_once_and_costs_no_attempt(
    service: Service, job: Job
) -> None:
    async with hand_worker(service) as worker, hand_worker(service) as other:
        (lease,) = await worker.claim()
        await worker.report(hand_back(lease))
        (again,) = await other.claim()
        assert again.samples == lease.samples


async def test_a_worker_that_was_silent_for_long_is_told_to_drop_what_it_held(service: Service, job: Job) -> None:
    async with service.client() as client, hand_worker(service) as worker:
        (lease,) = await worker.claim()
        await run_out(client, job.id, lease.cell.cell, lease.samples[0][0])
        assert (await worker.heartbeat(lease.id)).lost == [lease.id]
        assert await worker.claim(want=10), "it is welcome again"
