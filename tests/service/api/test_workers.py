"""Workers against a real service: registering, renewing, draining, leaving, probing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol import PROTOCOL_VERSION
from service.settings import Settings
from tests.service.api.acting import Service
from tests.service.api.conftest import Running
from tests.service.api.working import claim, outcome, queued, register, registration, report
from tests.support.queue import expire, state


async def test_a_worker_registers_once_however_often_it_asks(service: Service) -> None:
    body = registration()
    first = await service.ok("POST", "/v1/workers", json=body)
    assert first == {"id": first["id"], "lease_seconds": 60.0, "heartbeat_seconds": 15.0}
    assert await service.ok("POST", "/v1/workers", json=body) == first
    assert await register(service) != first["id"]


@pytest.mark.parametrize(("protocol", "whom"), [(PROTOCOL_VERSION - 1, "worker"), (PROTOCOL_VERSION + 1, "service")])
async def test_another_protocol_version_is_told_to_upgrade(service: Service, protocol: int, whom: str) -> None:
    job = await queued(service)
    answer = await service.http.post("/v1/workers", json=registration(protocol=protocol))
    assert answer.status_code == 426
    assert answer.headers["content-type"] == "application/problem+json"
    assert f"upgrade the {whom}" in answer.json()["detail"]
    assert await state(service.state.db, job) == "running"


async def test_a_heartbeat_renews_and_tells_what_is_lost_or_cancelled(service: Service) -> None:
    job = await queued(service, (1, 1))
    worker = await register(service)
    first, second = (lease["id"] for lease in (await claim(service, worker))["leases"])
    await expire(service.state.db, first)
    body = {
        "leases": [first, second],
        "in_flight": 2,
        "models": {"m": {"limit": 4, "reason": "engine queue: 5 waiting"}},
    }
    reply = await service.ok("POST", f"/v1/workers/{worker}/heartbeat", json=body)
    assert reply == {"renewed": [second], "lost": [first], "cancelled_jobs": [], "drain": False}
    [listed] = (await service.ok("GET", "/v1/workers"))["items"]
    assert listed["models"] == body["models"]
    await service.ok("POST", f"/v1/jobs/{job.public}/cancel")
    reply = await service.ok("POST", f"/v1/workers/{worker}/heartbeat", json=body)
    assert reply["cancelled_jobs"] == [job.public]


async def test_a_worker_asked_to_drain_is_told_at_once_and_gets_no_more(service: Service) -> None:
    worker = await register(service)
    waiting = asyncio.create_task(claim(service, worker, wait=30))
    await asyncio.sleep(0.1)
    assert (await service.ok("POST", f"/v1/workers/{worker}/drain"))["state"] == "draining"
    assert (await waiting)["drain"] is True
    await queued(service)
    assert await claim(service, worker) == {"drain": True}
    reply = await service.ok("POST", f"/v1/workers/{worker}/heartbeat", json={})
    assert reply["drain"] is True
    await service.ok("DELETE", f"/v1/workers/{worker}", json={"reason": "drained"})
    [listed] = (await service.ok("GET", "/v1/workers"))["items"]
    assert (listed["id"], listed["state"], listed["in_flight"]) == (worker, "gone", 0)


async def test_a_leaving_workers_samples_go_to_others_at_once(service: Service) -> None:
    await queued(service)
    leaving, staying = await register(service), await register(service)
    await claim(service, leaving)
    waiting = asyncio.create_task(claim(service, staying, wait=30))
    await asyncio.sleep(0.1)
    await service.ok("DELETE", f"/v1/workers/{leaving}")
    [lease] = (await waiting)["leases"]
    assert lease["samples"] == [[0, 0, 1], [1, 0, 1], [2, 0, 1]]


async def test_a_worker_thought_gone_works_on_when_it_claims(service: Service) -> None:
    await queued(service)
    worker = await register(service)
    await service.state.db.pool.execute("update workers set state = 'gone'")
    assert len((await claim(service, worker))["leases"]) == 1


async def test_an_unknown_worker_is_told_to_register(service: Service) -> None:
    for worker in (999, 2**40, -1):
        for path, body in (
            ("claims", {"want": 1, "wait_seconds": 0}),
            ("heartbeat", {}),
            ("outcomes", {"outcomes": []}),
        ):
            answer = await service.http.post(f"/v1/workers/{worker}/{path}", json=body)
            assert answer.status_code == 404, (worker, path)
            assert "register with POST /v1/workers" in answer.json()["detail"]


async def test_a_probe_goes_to_a_waiting_worker_and_its_answer_back(service: Service, model: str) -> None:
    worker = await register(service)
    probing = asyncio.create_task(service.http.post(f"/v1/models/{model}/probe"))
    reply = await claim(service, worker, wait=30)
    [order] = reply["probes"]
    assert order["model_name"] == model
    assert reply["leases"] == []
    found = {"ok": True, "findings": {"context_window": {"value": 4096, "how": "GET /props"}}}
    for _ in range(2):  # a lost reply
        answer = await service.http.post(f"/v1/workers/{worker}/probes/{order['id']}", json={"probe": found})
        assert answer.status_code == 204
    assert (await probing).json()["findings"] == found["findings"]
    shown = await service.ok("GET", f"/v1/models/{model}")
    assert shown["probe"]["findings"] == found["findings"]
    assert (await service.http.post(f"/v1/workers/{worker}/probes/999", json={"probe": found})).status_code == 404


async def test_two_services_on_one_database_share_the_work(service: Service, database_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=database_url, data_dir=tmp_path, port=0, pool_size=4)
    async with Running(settings) as other:
        service.http.headers["Authorization"] = f"Bearer {other.token}"  # the second start made a new one
        worker = await register(service)
        waiting = asyncio.create_task(claim(other, worker, wait=30))
        await asyncio.sleep(0.1)
        job = await queued(service, (1,))
        [lease] = (await waiting)["leases"]
        assert [v["verdict"] for v in await report(service, worker, outcome(lease))] == ["stored"]
        assert [v["verdict"] for v in await report(other, worker, outcome(lease))] == ["duplicate"]
        assert (await other.ok("GET", f"/v1/jobs/{job.public}"))["state"] == "completed"
