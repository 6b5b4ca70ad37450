"""Input that nobody sends by accident: every answer is a 4xx with its reason, never a 500."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.service.api.acting import RULER, Service

ODD_TEXT = ["a\x00b", "\ud800", "\u202e", "'; drop table jobs; --", "%s%d{}", "x" * 5000]
HUGE = 10**40


async def test_odd_text_in_paths_and_queries_finds_nothing(service: Service, model: str) -> None:
    job = await service.submit(samples=1)
    for path in (
        "/v1/jobs/%00",
        "/v1/jobs/%ff%fe",
        "/v1/models/%00",
        "/v1/assets/%00",
        "/v1/assets/a%00/content",
        "/jobs/%00",
    ):
        answer = await service.http.get(path)
        assert 400 <= answer.status_code < 500, f"{path}: {answer.status_code}"
    for query in ("task=%00", "worker=%ff", "length=1e9", "min_score=nan", "cell=-1", "min_duration_ms=inf"):
        answer = await service.http.get(f"/v1/jobs/{job}/results?{query}")
        assert answer.status_code < 500, f"{query}: {answer.status_code} {answer.text}"
    for query in ("model=%00", "limit=1000000", "cursor=%00", "state=running%00"):
        answer = await service.http.get(f"/v1/jobs?{query}")
        assert answer.status_code < 500, f"{query}: {answer.status_code} {answer.text}"
    for number in ("-1", "1.5", "abc", str(HUGE)):
        await service.problem(422, "GET", f"/v1/jobs/{job}/samples/{number}/0")


@pytest.mark.parametrize("text", ODD_TEXT)
async def test_odd_text_in_bodies_is_stored_or_refused(service: Service, model: str, text: str) -> None:
    bodies: list[Any] = [
        {**RULER, "name": text},
        {**RULER, "labels": {"a": text}},
        {**RULER, "labels": {text: "a"}},
        {**RULER, "benchmark": text},
        {**RULER, "model": text},
        {**RULER, "options": {"tasks": [text]}},
        {**RULER, "options": {text: 1}},
        {**RULER, "run": {"generation": {"extra_body": {"x": text}}}},
    ]
    for body in bodies:
        await _never_500(service, "/v1/jobs", body)
    await _never_500(service, "/v1/models", {"name": "y", "api": "openai-chat", "base_url": f"http://h/{text}"})


async def _never_500(service: Service, path: str, body: Any) -> None:
    answer = await service.http.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code < 500, f"{str(body)[:200]}: {answer.status_code} {answer.text[:300]}"
    if answer.status_code >= 400:
        assert len(answer.text) < 5000


async def test_numbers_beyond_any_range_and_deep_nesting_are_refused(service: Service, model: str) -> None:
    bodies: list[Any] = [
        {**RULER, "run": {"generation": {"extra_body": {"n": HUGE}}}},
        {**RULER, "options": {"seed": HUGE}},
        {**RULER, "options": {"lengths": [HUGE]}},
        {**RULER, "priority": HUGE},
        {**RULER, "max_concurrency": HUGE},
        {**RULER, "max_concurrency": 2**31},
        {**RULER, "retry": {"base_seconds": 1e308, "max_seconds": 1e308}},
        {**RULER, "run": {"thinking_budget": HUGE}},
        [],
        "text",
        None,
    ]
    for body in bodies:
        await _never_500(service, "/v1/jobs", body)
    model_body = {"name": "z", "api": "openai-chat", "base_url": "http://h/v1"}
    for limits in ({"requests_per_minute": HUGE}, {"requests_per_minute": 2**31}, {"tokens_per_minute": 2**63}):
        await _never_500(service, "/v1/models", {**model_body, "limits": limits})
    await _never_500(service, "/v1/models", {**model_body, "context_window": HUGE})
    for nested in (b"[" * 5000 + b"]" * 5000, b'{"a":' * 5000 + b"1" + b"}" * 5000):
        body = b'{"benchmark": "ruler", "model": "m", "options": {"x": ' + nested + b"}}"
        answer = await service.http.post("/v1/jobs", content=body, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500
    raw = b'{"benchmark": "ruler", "model": "m", "retry": {"base_seconds": NaN, "max_seconds": Infinity}}'
    answer = await service.http.post("/v1/jobs", content=raw, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500


async def test_a_requests_id_is_given_back_and_made_where_it_is_none(service: Service) -> None:
    answer = await service.http.get("/healthz", headers={"X-Request-ID": "abc-1"})
    assert answer.headers["x-request-id"] == "abc-1"
    answer = await service.http.get("/healthz", headers={"X-Request-ID": "a b\tc"})
    assert len(answer.headers["x-request-id"]) == 16


async def test_a_query_parameter_that_an_address_does_not_have_is_named_with_those_it_has(service: Service) -> None:
    paths = (await service.ok("GET", "/openapi.json"))["paths"]
    reads = {path: calls["get"] for path, calls in paths.items() if path.startswith("/v1") and "get" in calls}
    assert len(reads) > 10
    for path, call in reads.items():
        known = [p["name"] for p in call.get("parameters", []) if p["in"] == "query"]
        problem = await service.problem(422, "GET", re.sub(r"{\w+}", "1", path), params={"taks": "vt", "limits": 1})
        assert [e["field"] for e in problem["errors"]] == ["taks", "limits"], path
        for name in known:
            assert name in problem["errors"][0]["message"], path
        assert ("none" in problem["errors"][0]["message"]) == (not known), path


async def test_a_query_parameter_of_a_write_is_known_too(service: Service) -> None:
    problem = await service.problem(422, "PUT", "/v1/assets/a?kind=corpus&src=x", content=b"text")
    assert problem["errors"][0]["message"] == "there is no such query parameter; there are: kind, source"
