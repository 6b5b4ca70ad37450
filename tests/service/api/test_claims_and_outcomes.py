"""What workers claim from a real service and what they report to it."""

from __future__ import annotations

import asyncio
import time

from tests.service.api.acting import Service
from tests.service.api.working import claim, outcome, queued, register, report
from tests.support.queue import state, statuses


async def test_a_claim_brings_all_that_a_worker_needs_once(service: Service) -> None:
    job = await queued(service, (2, 1))
    worker = await register(service)
    reply = await claim(service, worker, 2)
    [spec] = reply["jobs"]
    assert (spec["id"], spec["model_name"], spec["model"]["api"]) == (job.public, "m", "openai-chat")
    [lease] = reply["leases"]
    assert lease["cell"] == {"cell": 0, "task": "task", "length": 1024, "variant": {}, "size": 2}
    assert lease["samples"] == [[0, 0, 1], [1, 0, 1]]
    assert 60 <= lease["seconds"] <= 60 + 20, "counted from when the claim was sent, which may wait for 20 s"
    again = await claim(service, worker, 2, known_jobs=[f"{job.public}@{spec['stamp']}"])
    assert again["jobs"] == []
    assert len(again["leases"]) == 1


async def test_a_changed_model_is_sent_until_the_worker_says_that_it_has_it(service: Service) -> None:
    job = await queued(service, (9,))
    worker = await register(service)
    [old] = (await claim(service, worker, 1))["jobs"]
    await service.state.db.pool.execute(
        "update models set spec = jsonb_set(spec, '{base_url}', '\"http://elsewhere/v1\"'), updated_at = clock_timestamp()"
    )
    for _ in range(2):  # the first of these replies may have been lost
        [new] = (await claim(service, worker, 1, known_jobs=[f"{job.public}@{old['stamp']}"]))["jobs"]
        assert new["model"]["base_url"] == "http://elsewhere/v1"
    assert (await claim(service, worker, 1, known_jobs=[f"{job.public}@{new['stamp']}"]))["jobs"] == []


async def test_a_waiting_claim_is_served_when_a_job_is_queued(service: Service) -> None:
    worker = await register(service)
    waiting = asyncio.create_task(claim(service, worker, wait=30))
    started = time.monotonic()
    await asyncio.sleep(0.1)
    job = await queued(service)
    reply = await waiting
    assert reply["leases"][0]["job"] == job.public
    assert time.monotonic() - started < 25, "it was served by the wait's end, not by the job"


async def test_waiting_claims_of_many_workers_are_served_in_turn(service: Service) -> None:
    ids = [await register(service) for _ in range(10)]
    waiting = [asyncio.create_task(claim(service, worker, 1, wait=30)) for worker in ids]
    await asyncio.sleep(0.1)
    await queued(service, (10,))
    replies = await asyncio.gather(*waiting)
    taken = sorted(sample[0] for reply in replies for lease in reply["leases"] for sample in lease["samples"])
    assert taken == list(range(10))


async def test_a_place_that_becomes_free_wakes_a_waiting_claim(service: Service) -> None:
    await queued(service, (2,), max_concurrency=1)
    first, second = await register(service), await register(service)
    [lease] = (await claim(service, first))["leases"]
    waiting = asyncio.create_task(claim(service, second, wait=30))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await report(service, first, outcome(lease))
    assert len((await waiting)["leases"]) == 1


async def test_a_claim_that_waits_in_vain_says_why(service: Service) -> None:
    await queued(service, circuit="open", circuit_reason="connection refused")
    await service.state.db.pool.execute("update models set circuit_until = clock_timestamp() + interval '1 hour'")
    reply = await claim(service, await register(service), wait=0.05)
    assert reply == {"drain": False, "wait_hint": "model m is paused: connection refused"}


async def test_outcomes_are_judged_one_by_one(service: Service) -> None:
    job = await queued(service)
    worker = await register(service)
    [lease] = (await claim(service, worker))["leases"]
    verdicts = await report(
        service,
        worker,
        outcome(lease, 0),
        outcome(lease, 1, score=7),
        {"kind": "nonsense"},
        "nothing",
        outcome(lease, 2, surprise=1),
        outcome(lease, 2, kind="failure"),
        outcome(lease, 1, score=0.5),
    )
    assert [v["verdict"] for v in verdicts] == ["stored", *["refused"] * 5, "stored"]
    assert "score" in verdicts[1]["reason"]
    assert "surprise" in verdicts[4]["reason"]
    assert await statuses(service.state.db, job) == {"ok": 2}


async def test_a_body_that_is_no_batch_is_refused_as_a_whole(service: Service) -> None:
    worker = await register(service)
    for content in (b"{", b"[]", b'{"outcomes": 3}'):
        answer = await service.http.post(f"/v1/workers/{worker}/outcomes", content=content)
        assert answer.status_code == 422
        assert answer.json()["detail"]


async def test_a_reply_that_got_lost_costs_nothing(service: Service) -> None:
    job = await queued(service)
    worker = await register(service)
    [lease] = (await claim(service, worker))["leases"]
    batch = [outcome(lease, place) for place in range(3)]
    assert {v["verdict"] for v in await report(service, worker, *batch)} == {"stored"}
    assert {v["verdict"] for v in await report(service, worker, *batch)} == {"duplicate"}
    assert await statuses(service.state.db, job) == {"ok": 3}
    assert await state(service.state.db, job) == "completed"


async def test_failures_and_samples_handed_back_go_on(service: Service) -> None:
    await queued(service)
    worker = await register(service)
    [lease] = (await claim(service, worker))["leases"]
    keys = ("lease", "job", "cell", "index", "generation")
    back = {key: value for key, value in outcome(lease, 0).items() if key in keys}
    failed = {key: value for key, value in outcome(lease, 1).items() if key in keys}
    verdicts = await report(
        service,
        worker,
        {**back, "kind": "handback"},
        {**failed, "kind": "failure", "cause": "timeout"},
        {**failed, "index": 2, "kind": "failure", "cause": "bad_request", "permanent": True},
    )
    assert [v["verdict"] for v in verdicts] == ["returned", "requeued", "failed"]
