"""Following a job's events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from service.settings import Settings
from tests.service.api.acting import Service
from tests.service.api.conftest import Running


async def _events(lines: AsyncIterator[str]) -> AsyncIterator[dict[str, Any]]:
    """The events of a stream, as a browser reads it; a comment is an event with that alone."""
    event: dict[str, Any] = {}
    async for line in lines:
        if line == "":
            if event:
                yield event
            event = {}
            continue
        field, _, value = line.partition(":")
        event[field or "comment"] = value.removeprefix(" ")


async def test_after_a_drop_the_last_event_id_goes_on_without_a_gap(service: Service, model: str) -> None:
    job = await service.submit()
    url = f"/v1/jobs/{job}/events"
    for verb in ("pause", "resume", "pause"):
        await service.ok("POST", f"/v1/jobs/{job}/{verb}")
    first: list[dict[str, Any]] = []
    async with service.http.stream("GET", url, headers={"Last-Event-ID": "0"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for event in _events(answer.aiter_lines()):
            if "id" not in event:
                assert int(event["retry"]) > 0
                continue
            first.append(event)
            if len(first) == 2:
                break
    for verb in ("resume", "cancel"):
        await service.ok("POST", f"/v1/jobs/{job}/{verb}")
    rest: list[dict[str, Any]] = []
    async with service.http.stream("GET", url, headers={"Last-Event-ID": first[-1]["id"]}) as answer:
        async for event in _events(answer.aiter_lines()):
            if "id" in event:
                rest.append(event)
    states = [json.loads(event["data"])["data"]["state"] for event in first + rest]
    assert states == ["running", "paused", "running", "paused", "running", "cancelled"]
    ids = [int(event["id"]) for event in first + rest]
    assert ids == sorted(set(ids))
    for headers in ({"Last-Event-ID": str(ids[-1])}, {}):
        assert (await service.http.get(url, headers=headers)).status_code == 204


async def test_progress_comes_by_itself_and_the_stream_ends_with_the_job(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    seen: list[dict[str, Any]] = []
    async with service.http.stream("GET", f"/v1/jobs/{job}/events") as answer:
        async for event in _events(answer.aiter_lines()):
            if "id" not in event:
                await service.finish(worker)
            else:
                seen.append(event)
    assert seen[-1]["event"] == "state" or any(e["event"] == "state" for e in seen)
    assert "completed" in [json.loads(e["data"])["data"].get("state") for e in seen]


async def test_comments_keep_a_silent_stream_alive(
    service: Service, model: str, tmp_path: Any, database_url: str
) -> None:
    job = await service.submit()
    settings = Settings(database_url=database_url, data_dir=tmp_path, port=0)
    async with (
        Running(replace(settings, event_heartbeat=0.1)) as quick,
        quick.http.stream("GET", f"/v1/jobs/{job}/events") as answer,
    ):
        comments = 0
        async for event in _events(answer.aiter_lines()):
            comments += "comment" in event
            if comments == 3:
                break


async def test_an_open_stream_does_not_hold_up_the_stop_of_the_service(
    service: Service, model: str, tmp_path: Any, database_url: str
) -> None:
    job = await service.submit()
    other = Running(Settings(database_url=database_url, data_dir=tmp_path, port=0, shutdown_grace=60))
    found = await other.__aenter__()
    async with found.http.stream("GET", f"/v1/jobs/{job}/events") as answer:
        events = _events(answer.aiter_lines())
        await anext(events)
        other.stop()
        assert [event async for event in events if "id" in event] == []
    await asyncio.wait_for(other.__aexit__(), 30)


async def test_those_who_poll_get_pages(service: Service, model: str) -> None:
    job = await service.submit()
    url = f"/v1/jobs/{job}/events?poll=1"
    page = await service.ok("GET", url)
    assert [event["kind"] for event in page["items"]] == ["state"]
    same = await service.ok("GET", f"{url}&cursor={page['next_cursor']}")
    assert same == {"items": [], "next_cursor": page["next_cursor"]}
    await service.ok("POST", f"/v1/jobs/{job}/pause")
    more = await service.ok("GET", f"{url}&cursor={page['next_cursor']}")
    assert [event["data"] for event in more["items"]] == [{"state": "paused"}]
    for bad in ("abc", "-1", "9" * 30):
        await service.problem(400, "GET", f"/v1/jobs/{job}/events", headers={"Last-Event-ID": bad})
    await service.problem(404, "GET", "/v1/jobs/nojob/events")
