"""Jobs and samples that wait say why, and until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from service.auth import COOKIE
from tests.service.api.acting import PLANNED, Service, failed


async def test_a_job_says_that_no_worker_is_there(service: Service, model: str) -> None:
    job = await service.submit()
    [waiting] = (await service.ok("GET", f"/v1/jobs/{job}"))["waiting"]
    assert "no worker is connected" in waiting["reason"]
    assert waiting["count"] == PLANNED


async def test_a_sample_that_waits_says_why_and_when_it_is_tried_next(service: Service, model: str) -> None:
    job = await service.submit(samples=1)
    worker = await service.worker()
    where = f"/v1/jobs/{job}/samples/0/0"
    assert (await service.ok("GET", where))["state"] == "pending"
    [grant] = await service.claim(worker, 1)
    [address] = await service.addressed(grant)
    held = await service.ok("GET", where)
    assert (held["state"], held["waiting"]) == ("in_flight", None)
    await service.report(worker, [failed(**address, cause="rate_limited", message="slow down", retry_after=600)])
    shown = await service.ok("GET", where)
    assert shown["state"] == "waiting"
    assert shown["waiting"]["reason"] == "rate_limited"
    assert [attempt["message"] for attempt in shown["attempts"]] == ["slow down"]
    assert datetime.fromisoformat(shown["waiting"]["next_try"]) > datetime.now(UTC) + timedelta(minutes=9)
    page = await service.http.get(f"/jobs/{job}/samples/0/0", headers={"Cookie": f"{COOKIE}={service.token}"})
    assert "rate limited, next try" in page.text


async def test_a_job_says_that_its_model_is_down_and_when_it_is_tried_again(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    [grant] = await service.claim(worker, 1)
    [address] = await service.addressed(grant)
    down = failed(**address, cause="connection", message="refused", counts=False, model_down=True)
    await service.report(worker, [down])
    shown = await service.ok("GET", f"/v1/jobs/{job}")
    [waiting] = shown["waiting"]
    assert "model m is down: connection: refused" in waiting["reason"]
    assert waiting["next_try"] is not None
    assert waiting["count"] == PLANNED
    assert shown["counts"]["failed"] == 0
    circuit = (await service.ok("GET", "/v1/models/m"))["circuit"]
    assert circuit["state"] == "open"
