"""What workers hear without a heartbeat, and what becomes of leases that never reached them."""

from __future__ import annotations

import asyncio
from typing import Any

from service.notifications import worker_topic
from tests.service.api.acting import Service
from tests.service.api.working import claim, outcome, queued, register, report
from tests.support.waiting import until


async def hear(service: Service, worker: int, wait: float = 30, **fields: Any) -> dict[str, Any]:
    body = {"wait_seconds": wait, **fields}
    found: dict[str, Any] = await service.ok("POST", f"/v1/workers/{worker}/news", json=body)
    return found


async def waiting_for_news(service: Service, worker: int) -> asyncio.Task[dict[str, Any]]:
    """A worker's call that has begun to wait."""
    heard = asyncio.create_task(hear(service, worker))
    await until(lambda: service.state.queue.notifications.awaited(worker_topic(worker)))
    return heard


async def test_a_worker_hears_of_a_cancelled_job_whose_samples_it_holds_and_no_other_does(service: Service) -> None:
    job = await queued(service)
    holder, other = await register(service), await register(service)
    await claim(service, holder, 1)
    heard, nothing = [await waiting_for_news(service, worker) for worker in (holder, other)]
    await service.ok("POST", f"/v1/jobs/{job.public}/cancel")
    assert (await heard)["heartbeat"]
    assert not nothing.done()
    nothing.cancel()
    assert (await hear(service, holder))["heartbeat"], "also one that did not listen at that moment"
    assert not (await hear(service, other, wait=0))["heartbeat"]


async def test_a_worker_hears_that_it_is_to_drain(service: Service) -> None:
    worker = await register(service)
    heard = await waiting_for_news(service, worker)
    await service.ok("POST", f"/v1/workers/{worker}/drain")
    assert (await heard)["heartbeat"]


async def test_leases_that_never_reached_their_worker_go_to_others_at_once(service: Service) -> None:
    await queued(service, (3,))
    worker, other = await register(service), await register(service)
    held, lost, coming = [(await claim(service, worker, 1))["leases"][0] for _ in range(3)]
    assert "leases" not in await claim(service, other)
    assert (await hear(service, worker, 0, leases=[held["id"]], settled=lost["id"]))["newest_lease"] == coming["id"]
    [again] = (await claim(service, other))["leases"]
    assert again["samples"] == lost["samples"], "the same attempt: nobody asked it"
    assert [v["verdict"] for v in await report(service, worker, outcome(held), outcome(coming))] == ["stored"] * 2
    await hear(service, worker, 0, leases=[], settled=again["id"])
    assert [v["verdict"] for v in await report(service, other, outcome(again))] == ["stored"], "not the other's lease"


async def test_news_for_a_worker_that_does_not_exist_are_refused(service: Service) -> None:
    await service.problem(404, "POST", "/v1/workers/999/news", json={})
