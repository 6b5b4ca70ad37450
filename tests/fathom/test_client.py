"""The SDK against a server that drops, refuses and goes away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from fathom import Client, SyncClient
from fathom.errors import Refused, Unreachable
from protocol.assets import AssetKind
from protocol.jobs import Retry, Status

AT = "2026-01-01T00:00:00Z"


def job(state: str = "running", done: int = 0) -> dict[str, Any]:
    return {
        "id": "j1", "benchmark": "ruler", "benchmark_version": "1", "model": "m", "state": state, "options": {},
        "run": {}, "priority": 0, "max_concurrency": None, "retry": {}, "created_at": AT, "cells": [],
        "counts": {"planned": 4, "scored": done, "pending": 4 - done},
    }  # fmt: skip


def result(index: int) -> dict[str, Any]:
    return {"job": "j1", "cell": 0, "index": index, "task": "t", "length": 512, "status": "ok", "score": 1.0, "at": AT}


Handler = Callable[[web.Request], Any]


class Service:
    """Answers by a table of handlers, and keeps what it was asked."""

    def __init__(self) -> None:
        self.handlers: dict[tuple[str, str], Handler] = {}
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def on(self, method: str, path: str, handler: Handler) -> None:
        self.handlers[method, path] = handler

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append((request.method, request.path_qs, dict(request.headers), await request.read()))
        found = self.handlers[request.method, request.path](request)
        if asyncio.iscoroutine(found):
            found = await found
        if isinstance(found, web.StreamResponse):
            return found
        return web.json_response(found)

    def asked(self, path: str) -> list[tuple[str, str, dict[str, str], bytes]]:
        return [seen for seen in self.seen if seen[1].partition("?")[0] == path]


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    made = Service()
    app = web.Application(client_max_size=1 << 24)
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.port = runner.addresses[0][1]
    yield made
    await runner.cleanup()


def problem(status: int, **fields: Any) -> web.Response:
    body = orjson.dumps({"title": "Wrong", "status": status, **fields})
    return web.Response(status=status, body=body, content_type="application/problem+json")


async def test_a_problem_document_becomes_one_line_that_names_field_and_value(service: Service) -> None:
    errors = [
        {"field": "options.lengths.0", "value": 12, "message": "the smallest length that fits\nis 256"},
        {"field": "options", "value": {"a": 1}, "message": "too many"},
    ]
    service.on("POST", "/v1/jobs", lambda _: problem(422, detail="2 problems", errors=errors))
    async with Client(service.address, "secret") as client:
        with pytest.raises(Refused) as caught:
            await client.submit("ruler", "m", {"lengths": [12]})
    line = "options.lengths.0 = 12: the smallest length that fits is 256; options: too many"
    assert (str(caught.value), caught.value.status, caught.value.exit_code) == (line, 422, 2)


@pytest.mark.parametrize(("status", "code"), [(404, 2), (409, 2), (429, 1), (500, 1), (503, 1)])
async def test_refusals_end_with_the_code_of_who_has_to_act(service: Service, status: int, code: int) -> None:
    service.on("GET", "/v1/models", lambda _: problem(status, detail="because"))
    async with Client(service.address, "secret") as client:
        with pytest.raises(Refused, match="because") as caught:
            await client.models()
    assert caught.value.exit_code == code


async def test_an_answer_that_is_no_problem_document_is_shown_as_far_as_it_goes(service: Service) -> None:
    service.on("GET", "/v1/models", lambda _: web.Response(status=502, text="<h1>Bad\nGateway</h1>"))
    async with Client(service.address, "secret") as client:
        with pytest.raises(Refused, match="<h1>Bad Gateway</h1>"):
            await client.models()


async def test_a_missing_token_and_a_wrong_one_are_told_apart(service: Service, monkeypatch: Any) -> None:
    monkeypatch.delenv("FATHOM_TOKEN", raising=False)
    service.on("GET", "/v1/models", lambda _: problem(401, detail="no"))
    async with Client(service.address) as client:
        with pytest.raises(Refused, match="wants a token: give --token"):
            await client.models()
    async with Client(service.address, "wrong") as client:
        with pytest.raises(Refused, match="does not know this token: give --token"):
            await client.models()
    assert "Authorization" not in service.seen[0][2]
    assert service.seen[1][2]["Authorization"] == "Bearer wrong"


async def test_posts_carry_a_key_so_that_they_can_be_sent_again(service: Service) -> None:
    service.on("POST", "/v1/jobs", lambda _: job())
    service.on("POST", "/v1/jobs/j1/retry", lambda _: job())
    async with Client(service.address, "secret") as client:
        await client.submit("ruler", "m", {"samples": 3}, idempotency_key="mine", priority=5)
        await client.retry("j1", Retry(statuses=[Status.ERROR]))
    submitted, retried = service.seen
    assert submitted[2]["Idempotency-Key"] == "mine"
    assert orjson.loads(submitted[3]) == {
        "benchmark": "ruler", "model": "m", "options": {"samples": 3}, "run": {}, "priority": 5,
    }  # fmt: skip
    assert len(retried[2]["Idempotency-Key"]) == 36


def stream(*events: dict[str, Any], then: str = "end") -> Handler:
    """An event stream with these events, that ends, or breaks in mid-body."""

    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b": heartbeat\n\n")
        for event in events:
            data = orjson.dumps(event).decode()
            await response.write(f"id: {event['id']}\nevent: {event['kind']}\ndata: {data}\n\n".encode())
        if then == "break":
            assert request.transport is not None
            request.transport.abort()
        else:
            await response.write_eof()
        return response

    return handle


def event(number: int, kind: str = "progress") -> dict[str, Any]:
    return {"id": number, "kind": kind, "at": AT, "data": {}}


async def test_a_watch_goes_on_where_the_stream_ended_and_through_an_outage(service: Service) -> None:
    streams = [stream(event(6), event(7)), stream(event(8), then="break")]
    after = iter([problem(503, detail="restarting"), job("completed", 4)])

    def state(_: web.Request) -> Any:
        """Running until the second stream was asked for, then away once, then completed."""
        return job(done=1) if streams else next(after)

    service.on("GET", "/v1/jobs/j1", state)
    service.on("GET", "/v1/jobs/j1/events", lambda request: streams.pop(0)(request))
    gaps: list[str] = []
    async with Client(service.address, "secret") as client:
        shown = [(j.state, j.counts.scored) async for j in client.watch("j1", interval=0, on_gap=gaps.append)]
    assert shown[0] == ("running", 1)
    assert shown[-1] == ("completed", 4)
    assert "restarting" in gaps
    asked = [headers.get("Last-Event-ID") for _, _, headers, _ in service.asked("/v1/jobs/j1/events")]
    assert asked == [None, "7"]


async def test_a_watch_of_a_job_that_is_not_there_ends_at_once(service: Service) -> None:
    service.on("GET", "/v1/jobs/j1", lambda _: problem(404, detail="no job 'j1'"))
    async with Client(service.address, "secret") as client:
        with pytest.raises(Refused, match="no job 'j1'"):
            async for _ in client.watch("j1"):
                pass


async def test_results_go_on_from_their_cursor_and_wait_for_those_to_come(service: Service) -> None:
    pages = {
        "": {"items": [result(0), result(1)], "next_cursor": "c2", "final": False},
        "c2": {"items": [], "next_cursor": "c2", "final": False},
    }

    def page(request: web.Request) -> Any:
        cursor = request.query.get("cursor", "")
        answer = pages[cursor]
        if cursor == "c2" and not answer["items"]:
            pages["c2"] = {"items": [result(2)], "next_cursor": "c3", "final": True}
        return answer

    service.on("GET", "/v1/jobs/j1/results", page)
    async with Client(service.address, "secret") as client:
        now = [r.index async for r in client.results("j1", filters={"task": "t", "status": None})]
        assert now == [0, 1]
        assert service.seen[0][1] == "/v1/jobs/j1/results?limit=500&task=t"
        pages["c2"] = {"items": [], "next_cursor": "c2", "final": False}
        assert [r.index async for r in client.results("j1", follow=True)] == [0, 1, 2]
        assert [r.index async for r in client.results("j1", cursor="c2")] == [2]


async def test_a_service_that_is_not_there_is_unreachable() -> None:
    async with Client("http://127.0.0.1:9", "secret") as client:
        with pytest.raises(Unreachable, match=r"no answer from the service at http://127\.0\.0\.1:9 "):
            await client.jobs()


async def test_the_blocking_client_does_the_same(service: Service) -> None:
    service.on("GET", "/v1/jobs/j1", lambda _: job("completed", 4))
    pages = {"items": [result(0)], "next_cursor": "c", "final": True}
    service.on("GET", "/v1/jobs/j1/results", lambda _: pages)

    def use() -> tuple[list[int], list[str]]:
        with SyncClient(service.address, "secret") as client:
            return [r.index for r in client.results("j1")], [j.state.value for j in client.watch("j1")]

    assert await asyncio.to_thread(use) == ([0], ["completed"])


def test_the_blocking_client_has_every_method_of_the_other() -> None:
    public = {name for name in dir(Client) if not name.startswith("_")}
    assert public <= set(dir(SyncClient))


async def test_a_submission_whose_connection_is_cut_is_sent_again_with_its_key(service: Service) -> None:
    def cut_once(request: web.Request) -> Any:
        if len(service.seen) == 1:
            assert request.transport is not None
            request.transport.abort()
        return job()

    service.on("POST", "/v1/jobs", cut_once)
    async with Client(service.address, "secret") as client:
        assert (await client.submit("ruler", "m")).id == "j1"
    first, second = [headers["Idempotency-Key"] for _, _, headers, _ in service.seen]
    assert first == second


async def test_what_may_not_be_repeated_is_not(service: Service) -> None:
    def cut(request: web.Request) -> Any:
        assert request.transport is not None
        request.transport.abort()
        return {}

    service.on("POST", "/v1/models/m/probe", cut)
    async with Client(service.address, "secret") as client:
        with pytest.raises(Unreachable):
            await client.probe_model("m")
    assert len(service.seen) == 1


async def test_a_file_is_uploaded_piece_by_piece(service: Service, tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    (tmp_path / "essays.txt").write_bytes(content)
    asset = {"name": "essays", "kind": "corpus", "sha256": "0" * 64, "size": len(content), "created_at": AT}
    service.on("PUT", "/v1/assets/essays", lambda _: asset)
    async with Client(service.address, "secret") as client:
        await client.add_asset("essays", AssetKind.CORPUS, tmp_path / "essays.txt")
        await client.add_asset("essays", AssetKind.CORPUS, content)
    (_, _, streamed, first), (_, _, _, second) = service.seen
    assert streamed["Transfer-Encoding"] == "chunked"
    assert first == second == content
