"""The workers' side of the API against a real service: registering, waiting, reporting, renewing, leaving."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from protocol import PROTOCOL_VERSION
from service.settings import Settings
from tests.service.api.acting import Service
from tests.service.api.conftest import Running
from tests.support.queue import Job, add_job, add_model, expire, state, statuses


def registration(**changes: Any) -> dict[str, Any]:
    return {
        "boot": str(uuid4()),
        "name": "box",
        "protocol": PROTOCOL_VERSION,
        "version": "0.1.0",
        "host": "h",
        "pid": 7,
        "concurrency": 8,
        **changes,
    }


async def register(service: Service, **changes: Any) -> int:
    reply = await service.ok("POST", "/v1/workers", json=registration(**changes))
    found: int = reply["id"]
    return found


async def claim(service: Service, worker: int, want: int = 64, wait: float = 0, **fields: Any) -> dict[str, Any]:
    body = {"want": want, "wait_seconds": wait, **fields}
    found: dict[str, Any] = await service.ok("POST", f"/v1/workers/{worker}/claims", json=body)
    return found


def outcome(lease: dict[str, Any], place: int = 0, **fields: Any) -> dict[str, Any]:
    index, generation, attempt = lease["samples"][place]
    return {
        "kind": "result",
        "lease": lease["id"],
        "job": lease["job"],
        "cell": lease["cell"]["cell"],
        "index": index,
        "generation": generation,
        "attempt": attempt,
        "status": "ok",
        "score": 1.0,
        **fields,
    }


async def report(service: Service, worker: int, *outcomes: Any) -> list[dict[str, Any]]:
    reply = await service.ok("POST", f"/v1/workers/{worker}/outcomes", json={"outcomes": outcomes})
    found: list[dict[str, Any]] = reply["verdicts"]
    return found


async def queued(service: Service, sizes: tuple[int, ...] = (3,), **columns: Any) -> Job:
    return await add_job(service.state.db, await add_model(service.state.db, **columns), sizes)


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
    again = await claim(service, worker, 2, known_jobs=[job.public])
    assert again["jobs"] == []
    assert len(again["leases"]) == 1


async def test_a_changed_model_is_sent_again(service: Service) -> None:
    job = await queued(service, (9,))
    worker = await register(service)
    await claim(service, worker, 1)
    await service.state.db.pool.execute(
        "update models set spec = jsonb_set(spec, '{base_url}', '\"http://elsewhere/v1\"'), updated_at = clock_timestamp()"
    )
    reply = await claim(service, worker, 1, known_jobs=[job.public])
    assert reply["jobs"][0]["model"]["base_url"] == "http://elsewhere/v1"
    assert (await claim(service, worker, 1, known_jobs=[job.public]))["jobs"] == []


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
