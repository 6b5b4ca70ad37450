"""Registering models and assets."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator

import pytest

from tests.service.api.acting import RULER, Service

SPEC = {"name": "x", "api": "openai-chat", "base_url": "http://127.0.0.1:8000/v1"}


async def test_a_model_is_registered_shown_changed_and_removed(service: Service) -> None:
    made = await service.http.post("/v1/models", json=SPEC)
    assert made.status_code == 201
    again = await service.http.post("/v1/models", json=SPEC)
    assert again.json()["created_at"] == made.json()["created_at"]
    await service.problem(409, "POST", "/v1/models", json={**SPEC, "base_url": "http://127.0.0.1:9000/v1"})
    changed = await service.ok("PATCH", "/v1/models/x", json={"limits": {"max_concurrency": 4}, "model_id": "id"})
    assert changed["spec"]["limits"]["max_concurrency"] == 4
    assert changed["spec"]["model_id"] == "id"
    back = await service.ok("PATCH", "/v1/models/x", json={"model_id": None})
    assert back["spec"]["model_id"] is None
    row = await service.state.db.pool.fetchrow("select max_concurrency, spec from models")
    assert row["max_concurrency"] == 4
    put = await service.ok("PUT", "/v1/models/x", json={**SPEC, "limits": {"requests_per_minute": 60}})
    assert put["spec"]["limits"]["max_concurrency"] == 64
    assert [m["name"] for m in (await service.ok("GET", "/v1/models"))["items"]] == ["x"]
    await service.ok("DELETE", "/v1/models/x")
    found = await service.problem(404, "GET", "/v1/models/x")
    assert "fathom model add" in found["detail"]


async def test_what_cannot_be_a_model_is_refused_by_field(service: Service) -> None:
    for change, field in (
        ({"base_url": None}, "base_url"),
        ({"base_url": "127.0.0.1:8000"}, "base_url"),
        ({"base_url": "http://user:secret@host/v1"}, "base_url"),
        ({"base_url": "http://host:99999/v1"}, "base_url"),
        ({"api": "openai"}, "api"),
        ({"api": "command"}, "command"),
        ({"name": "a b"}, "name"),
        ({"tokenizer": {"asset": "nowhere"}}, "tokenizer.asset"),
        ({"limits": {"max_concurrency": 0}}, "limits.max_concurrency"),
        ({"headers": {"Authorization": "Bearer s"}}, "headers.Authorization"),
        ({"driver": {"kind": "ssh"}}, "driver.host"),
        ({"temperature": 1}, "temperature"),
    ):
        found = await service.problem(422, "POST", "/v1/models", json={**SPEC, **change})
        assert [e["field"] for e in found["errors"]] == [field], change


async def test_a_model_with_jobs_stays(service: Service, model: str) -> None:
    await service.submit()
    found = await service.problem(409, "DELETE", "/v1/models/m")
    assert "1 jobs" in found["detail"]


async def test_a_probe_needs_a_worker_and_says_so(service: Service, model: str) -> None:
    found = await service.problem(409, "POST", "/v1/models/m/probe")
    assert "no worker is connected" in found["detail"]
    await service.ok("PATCH", "/v1/models/m", json={"labels": {"gpu": "a100"}})
    await service.worker()
    found = await service.problem(409, "POST", "/v1/models/m/probe")
    assert "gpu=a100" in found["detail"]
    await service.ok("PATCH", "/v1/models/m", json={"labels": None})
    found = await service.problem(503, "POST", "/v1/models/m/probe")
    assert "no worker took it" in found["detail"]


async def test_an_asset_comes_back_byte_for_byte_and_is_stored_once(service: Service) -> None:
    content = b"".join(b"%d lines of text\n" % n for n in range(200_000))
    sha256 = hashlib.sha256(content).hexdigest()
    for name in ("one", "two", "one"):
        made = await service.ok("PUT", f"/v1/assets/{name}?kind=corpus&source=made%20here", content=content)
        assert (made["sha256"], made["size"], made["source"]) == (sha256, len(content), "made here")
    assert await service.state.db.pool.fetchval("select count(*) from blobs") == 1
    for name in ("one", sha256):
        answer = await service.http.get(f"/v1/assets/{name}/content")
        assert answer.content == content
        assert answer.headers["etag"] == f'"{sha256}"'
    assert await service.state.db.pool.fetchval("select max(length(data)) from blob_chunks") <= 1024 * 1024
    await service.ok("DELETE", "/v1/assets/one")
    assert (await service.ok("GET", f"/v1/assets/{sha256}"))["name"] == "two"
    await service.ok("DELETE", "/v1/assets/two")
    assert await service.state.db.pool.fetchval("select count(*) from blob_chunks") == 0
    await service.problem(404, "GET", f"/v1/assets/{sha256}/content")


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("tokenizer", b"not one", "tokenizer.json"),
        ("dataset", b'{"a": 1}\n{"a":', "line 2"),
        ("dataset", b"[1, 2", "line 1"),
        ("corpus", b"\xff\xfe", "UTF-8"),
        ("words", b"", "empty"),
    ],
)
async def test_a_file_that_is_not_what_its_kind_says_is_refused(
    service: Service, kind: str, content: bytes, why: str
) -> None:
    found = await service.problem(422, "PUT", f"/v1/assets/a?kind={kind}", content=content)
    assert why in found["detail"]
    assert await service.state.db.pool.fetchval("select count(*) from blobs") == 0
    assert not list((service.state.settings.cache_dir / "incoming").iterdir())


async def test_datasets_are_json_or_json_lines(service: Service) -> None:
    rows = [{"question": "q", "n": n} for n in range(3)]
    lines = "\n".join(json.dumps(row) for row in rows)
    made = await service.ok("PUT", "/v1/assets/lines?kind=dataset", content=lines.encode())
    assert made["meta"] == {"format": "jsonl", "rows": 3}
    made = await service.ok("PUT", "/v1/assets/array?kind=dataset", content=json.dumps(rows).encode())
    assert made["meta"] == {"format": "json", "rows": 3}


async def test_an_upload_that_breaks_off_leaves_nothing(service: Service) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * 100_000
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await service.http.put("/v1/assets/a?kind=corpus", content=broken())
    folder = service.state.settings.cache_dir / "incoming"
    async with asyncio.timeout(30):
        while folder.exists() and list(folder.iterdir()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert (await service.ok("GET", "/v1/assets"))["items"] == []


async def test_what_a_job_uses_is_kept_when_its_name_goes(service: Service, model: str) -> None:
    job = await service.submit()
    found = await service.problem(409, "DELETE", "/v1/assets/tk")
    assert "tokenizer of: m" in found["detail"]
    before = (await service.ok("GET", f"/v1/jobs/{job}/samples/0/0/prompt"))["sha256"]
    other = (await service.ok("GET", "/v1/assets/tk"))["sha256"]
    await service.ok("PATCH", "/v1/models/m", json={"tokenizer": {"kind": "server", "asset": None}})
    await service.ok("DELETE", "/v1/assets/tk")
    assert (await service.http.get(f"/v1/assets/{other}/content")).status_code == 200
    assert (await service.ok("GET", f"/v1/jobs/{job}/samples/0/0/prompt"))["sha256"] == before


async def test_a_body_over_the_limit_is_refused_whether_or_not_it_says_its_length(service: Service) -> None:
    body = json.dumps({**RULER, "name": "x" * 100_000}).encode()
    headers = {"Content-Type": "application/json"}
    found = await service.problem(413, "POST", "/v1/jobs", content=body, headers=headers)
    assert "65,536" in found["detail"]

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 1000):
            yield body[start : start + 1000]

    for method, path in (("POST", "/v1/jobs"), ("DELETE", "/v1/workers/1")):
        found = await service.problem(413, method, path, content=pieces(), headers=headers)
        assert "65,536" in found["detail"]


async def test_what_is_not_json_is_told_so(service: Service) -> None:
    headers = {"Content-Type": "application/json"}
    found = await service.problem(400, "POST", "/v1/jobs", content=b'{"benchmark": ', headers=headers)
    assert "not valid JSON" in found["detail"]
    found = await service.problem(415, "POST", "/v1/jobs", content=b"{}", headers={"Content-Type": "text/plain"})
    assert "application/json" in found["detail"]
    await service.problem(404, "GET", "/v1/nothing")
    await service.problem(405, "DELETE", "/v1/jobs")
