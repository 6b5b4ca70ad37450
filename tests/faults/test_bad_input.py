"""What the service is given wrongly: told why, and nothing of the work is touched."""

from __future__ import annotations

from typing import Any

import httpx
import orjson
import pytest

from protocol import PROTOCOL_VERSION
from protocol.common import Problem
from protocol.jobs import Job
from tests.support.cluster import Service
from tests.support.hand_worker import hand_worker, registration, success


def send(service: Service, method: str, path: str, **more: Any) -> httpx.Response:
    headers = {"authorization": f"Bearer {service.token}", **more.pop("headers", {})}
    return httpx.request(method, service.address + path, headers=headers, timeout=30, **more)


def refused(answer: httpx.Response, *statuses: int) -> Problem:
    """The problem document of a refusal with one of the statuses."""
    assert answer.status_code in statuses, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = Problem.model_validate_json(answer.content)
    assert problem.detail
    return problem


@pytest.mark.parametrize("cursor", ["nonsense", "%00", "AAAA", "x" * 5000])
def test_an_unknown_cursor_is_refused_and_named(service: Service, job: Job, cursor: str) -> None:
    for path in (f"/v1/jobs/{job.id}/results", "/v1/jobs"):
        problem = refused(send(service, "GET", path, params={"cursor": cursor}), 400, 422)
        assert "cursor" in (problem.detail or "")


@pytest.mark.parametrize("key", ["", "k" * 300, "two words"])
def test_a_malformed_idempotency_key_is_refused_before_anything_is_queued(service: Service, job: Job, key: str) -> None:
    body = {"benchmark": "ruler", "model": "faultless", "options": {"tasks": ["niah_single_1"], "lengths": [640]}}
    before = send(service, "GET", "/v1/jobs").json()["items"]
    problem = refused(send(service, "POST", "/v1/jobs", json=body, headers={"idempotency-key": key}), 400, 422)
    assert "idempotency-key" in (problem.detail or "").lower()
    assert [j["id"] for j in send(service, "GET", "/v1/jobs").json()["items"]] == [j["id"] for j in before]


async def test_a_worker_of_another_protocol_is_told_to_upgrade_and_gets_no_work(service: Service, job: Job) -> None:
    for version in (PROTOCOL_VERSION + 1, 0):
        body = registration(protocol=version).model_dump(mode="json")
        problem = refused(send(service, "POST", "/v1/workers", json=body), 400, 409, 422, 426)
        assert str(PROTOCOL_VERSION) in (problem.detail or "")
        assert "install" in (problem.detail or "").lower() or "upgrade" in (problem.detail or "").lower()
    async with service.client() as client:
        counts = (await client.job(job.id)).counts
    assert (counts.pending, counts.in_flight) == (counts.planned, 0)


@pytest.mark.parametrize("call", ["claims", "heartbeat"])
def test_a_worker_that_the_service_does_not_know_is_told_so(service: Service, call: str) -> None:
    bodies: dict[str, Any] = {"claims": {"want": 1}, "heartbeat": {}}
    problem = refused(send(service, "POST", f"/v1/workers/999999/{call}", json=bodies[call]), 404, 410)
    assert "999999" in (problem.detail or "")


async def test_an_outcome_that_cannot_be_read_is_refused_by_name_and_the_others_are_taken(
    service: Service, job: Job
) -> None:
    async with hand_worker(service) as worker, service.client() as client:
        (lease,) = await worker.claim()
        good = orjson.loads(success(lease).model_dump_json())
        path = f"/v1/workers/{worker.id}/outcomes"
        wrong = {"score": 7.5, "status": "splendid", "index": "one", "lease": None, "kind": "wish"}
        sent = [*({**good, field: value} for field, value in wrong.items()), 3, good]
        verdicts = send(service, "POST", path, json={"outcomes": sent}).json()["verdicts"]
        assert [v["verdict"] for v in verdicts] == [*["refused"] * 6, "stored"]
        for field, verdict in zip(wrong, verdicts, strict=False):
            assert field in verdict["reason"]
        assert (await client.job(job.id)).counts.done == 1


async def test_a_report_that_is_no_batch_is_refused_whole_and_the_lease_stays(service: Service, job: Job) -> None:
    async with hand_worker(service) as worker:
        (lease,) = await worker.claim()
        path = f"/v1/workers/{worker.id}/outcomes"
        for content in (b"", b"{", b"[]", b"\xff\xfe", b'{"outcomes": 3}'):
            refused(
                send(service, "POST", path, content=content, headers={"content-type": "application/json"}), 400, 422
            )
        assert [v.verdict for v in await worker.report(success(lease))] == ["stored"], "the lease is still its own"


async def test_text_that_postgres_cannot_hold_does_not_lose_the_answer(service: Service, job: Job) -> None:
    async with hand_worker(service) as worker, service.client() as client:
        (lease,) = await worker.claim()
        verdicts = await worker.report(success(lease, answer="4\x002", detail={"a\x00": "\x00"}))
        assert [v.verdict for v in verdicts] == ["stored"]
        found = await client.sample(job.id, lease.cell.cell, lease.samples[0][0])
        assert found.result is not None
        assert (found.result.answer or "").replace("\ufffd", "") == "42"


def test_a_body_over_the_limit_is_refused_with_the_limit(service: Service) -> None:
    huge = b'{"benchmark": "' + b"x" * (5 << 20) + b'"}'
    answer = send(service, "POST", "/v1/jobs", content=huge, headers={"content-type": "application/json"})
    assert "4" in (refused(answer, 413).detail or "")
