"""Reading results, while they come and after."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.jobs import Status
from service import cursors, jobs, results
from service.errors import BadCursor
from service.queue import reports
from service.settings import Settings
from tests.service.api.acting import PLANNED, Service, failed, ok
from tests.service.api.conftest import Running

NDJSON = {"Accept": "application/x-ndjson"}


async def _read_all(service: Service, job: str, limit: int = 7, **filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = await service.ok("GET", f"/v1/jobs/{job}/results", params={"limit": limit, **filters, **cursor})
        found += page["items"]
        if page["next_cursor"]:
            cursor = {"cursor": page["next_cursor"]}
        if page["final"]:
            return found
        if not page["items"]:
            await asyncio.sleep(0.01)


def _places(results: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(r["cell"], r["index"]) for r in results]


async def test_reading_while_workers_write_skips_and_repeats_nothing(service: Service, model: str) -> None:
    job = await service.submit(samples=60, tasks=["niah_single_1"])
    workers = [await service.worker(f"w{n}") for n in range(4)]
    pool = service.state.db.pool

    async def slow_writer() -> None:
        """A transaction that took its number first and commits last."""
        [grant] = await service.claim(workers[0], 1)
        [address] = await service.addressed(grant)
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute("select pg_current_xact_id()")
            started.set()
            await others_done.wait()
            rows = await connection.fetch("select public_id, id from jobs")
            await reports.report(connection, workers[0], [ok(1.0, **address)], {r["public_id"]: r["id"] for r in rows})

    async def writer(worker: int) -> None:
        while await service.finish(worker, limit=3):
            pass

    started, others_done = asyncio.Event(), asyncio.Event()
    reader = asyncio.create_task(_read_all(service, job))
    slow = asyncio.create_task(slow_writer())
    await started.wait()
    await asyncio.gather(*(writer(w) for w in workers[1:]))
    others_done.set()
    await slow
    places = _places(await reader)
    assert len(places) == 120
    assert sorted(places) == [(cell, index) for cell in range(2) for index in range(60)]


class Interrupted:
    """A connection before whose second statement something happens."""

    def __init__(self, connection: AsyncConnection, happens: Callable[[], Awaitable[object]]) -> None:
        self._connection, self._happens, self._statements = connection, happens, 0

    async def execute(self, *arguments: Any) -> Any:
        self._statements += 1
        if self._statements == 2:
            await self._happens()
        return await self._connection.execute(*arguments)


async def test_results_do_not_end_before_one_that_is_stored_while_a_page_is_read(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    await service.finish(worker, limit=PLANNED - 1)
    async with service.state.db.engine.connect() as connection:
        row = await jobs.find(connection, job)
        last = Interrupted(connection, lambda: service.finish(worker))
        read = await results.read(last, row, results.parse_cursor(None), 100, results.Filters())  # type: ignore[arg-type]
    assert (await service.ok("GET", f"/v1/jobs/{job}"))["state"] == "completed"
    assert len(read.results) == PLANNED or not read.final
    assert len(await _read_all(service, job)) == PLANNED


async def test_a_cursor_goes_on_after_a_restart_of_the_service(
    service: Service, model: str, database_url: str, tmp_path: Any
) -> None:
    job = await service.submit()
    worker = await service.worker()
    await service.finish(worker, limit=10)
    page = await service.ok("GET", f"/v1/jobs/{job}/results", params={"limit": 6})
    async with Running(Settings(database_url=database_url, data_dir=tmp_path, port=0)) as other:
        await other.finish(worker)
        rest = await other.ok("GET", f"/v1/jobs/{job}/results", params={"cursor": page["next_cursor"]})
        assert rest["final"]
        assert sorted(_places(page["items"] + rest["items"])) == sorted(
            {*_places(page["items"]), *_places(rest["items"])}
        )
        assert len(page["items"]) + len(rest["items"]) == PLANNED


async def test_a_stream_of_lines_follows_a_job_to_its_end_and_each_line_has_its_cursor(
    service: Service, model: str
) -> None:
    job = await service.submit()
    worker = await service.worker()
    await service.finish(worker, limit=5)
    url = f"/v1/jobs/{job}/results"
    so_far = (await service.http.get(url, headers=NDJSON)).text.splitlines()
    assert len(so_far) == 5
    lines: list[dict[str, Any]] = []
    cursor = json.loads(so_far[1])["cursor"]
    async with service.http.stream("GET", url, headers=NDJSON, params={"follow": 1, "cursor": cursor}) as answer:
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        async for line in answer.aiter_lines():
            lines.append(json.loads(line))
            if len(lines) == 3:
                await service.finish(worker)
    assert len(lines) == PLANNED - 2
    assert _places([json.loads(line) for line in so_far[2:]]) == _places(lines[:3])


@pytest.mark.parametrize("follow", [0, 1])
async def test_a_stream_ends_at_its_limit_and_the_last_line_goes_on(service: Service, model: str, follow: int) -> None:
    job = await service.submit()
    await service.finish(await service.worker())
    url, places = f"/v1/jobs/{job}/results", []
    query: dict[str, Any] = {"limit": 8, "follow": follow}
    for count in (8, 8, 4):
        lines = [
            json.loads(line) for line in (await service.http.get(url, headers=NDJSON, params=query)).text.splitlines()
        ]
        assert len(lines) == count
        places += _places(lines)
        query["cursor"] = lines[-1]["cursor"]
    assert len(set(places)) == PLANNED


async def test_a_stream_may_be_longer_than_a_page(service: Service, model: str) -> None:
    job = await service.submit(samples=300)
    await service.finish(await service.worker())
    url = f"/v1/jobs/{job}/results"
    assert len((await service.http.get(url, headers=NDJSON, params={"limit": 1100})).text.splitlines()) == 1100
    for only in ({"limit": 1100}, {"follow": True}):
        problem = await service.problem(422, "GET", url, params=only)
        assert [error["field"] for error in problem["errors"]] == list(only)
        assert "application/x-ndjson" in problem["detail"]


async def test_filters_pick_by_task_length_status_class_score_worker_duration_and_cell(
    service: Service, model: str
) -> None:
    job = await service.submit(retry={"max_attempts": 1})
    one, two = await service.worker("one"), await service.worker("two")
    [grant] = await service.claim(one, 4)
    a, b, c, d = await service.addressed(grant)
    slow = ok(0.25, **b).model_copy(update={"measured": ok(0, **b).measured.model_copy(update={"duration_ms": 9000})})
    cut = ok(0.0, **c).model_copy(update={"status": Status.CONTEXT_OVERFLOW, "score": None})
    await service.report(one, [ok(1.0, **a), slow, cut, failed(**d)])
    await service.finish(two, 0.75)
    expected = [
        ({"task": "niah_multikey_2"}, 10),
        ({"length": 768}, 10),
        ({"status": "error"}, 1),
        ({"class": "not_a_measurement"}, 2),
        ({"class": "scored"}, 18),
        ({"min_score": 0.5}, 17),
        ({"max_score": 0.5}, 1),
        ({"worker": "one"}, 4),
        ({"min_duration_ms": 5000}, 1),
        ({"max_duration_ms": 5000, "worker": "one", "class": "scored"}, 1),
        ({"cell": 0, "status": "context_overflow"}, 1),
        ({"task": "nothing"}, 0),
    ]
    for filters, count in expected:
        assert len(await _read_all(service, job, **filters)) == count, filters
    for bad in ({"status": "fine"}, {"min_score": 2}, {"length": "x"}, {"limit": 0}, {"cell": 2**40}):
        await service.problem(422, "GET", f"/v1/jobs/{job}/results", params=bad)


async def test_a_sample_asked_again_comes_again_after_the_cursor(service: Service, model: str) -> None:
    job = await service.submit(samples=1)
    worker = await service.worker()
    await service.finish(worker)
    page = await service.ok("GET", f"/v1/jobs/{job}/results")
    await service.ok("POST", f"/v1/jobs/{job}/retry", json={"statuses": [], "samples": [[2, 0]]})
    await service.finish(worker, score=0.0)
    rest = await service.ok("GET", f"/v1/jobs/{job}/results", params={"cursor": page["next_cursor"]})
    assert [(r["cell"], r["generation"], r["score"]) for r in rest["items"]] == [(2, 1, 0.0)]


async def test_a_prompt_is_rebuilt_to_what_was_asked_and_shown_in_part(service: Service, model: str) -> None:
    job = await service.submit(samples=1)
    worker = await service.worker()
    [grant] = await service.claim(worker, 1)
    [address] = await service.addressed(grant)
    where = f"/v1/jobs/{job}/samples/0/0"
    assert (await service.ok("GET", where))["state"] == "in_flight"
    await service.answer(worker, address, "It is 123.")
    sample = await service.ok("GET", where)
    assert sample["state"] == "done"
    assert sample["result"]["answer"] == "It is 123."
    assert sample["result"]["score"] == 0.0
    prompt = await service.ok("GET", f"{where}/prompt", params={"head": 50, "tail": 30})
    assert prompt["matches"] is True
    assert len(prompt["head"]) == 50
    assert len(prompt["tail"]) == 30
    text = (await service.http.get(f"{where}/prompt", params={"format": "text"})).text
    assert text.startswith(prompt["head"])
    assert prompt["tail"] + prompt["answer_prefix"] == text[-(30 + len(prompt["answer_prefix"])) :]
    part = await service.http.get(f"{where}/prompt", params={"format": "text", "offset": 100, "length": 40})
    assert part.text == text[100:140]
    needle = sample["result"]["detail"]["needles"][0]
    assert str(needle["value"]) in text
    await service.problem(404, "GET", f"/v1/jobs/{job}/samples/0/1")
    await service.problem(404, "GET", f"/v1/jobs/{job}/samples/9/0")
    await service.problem(422, "GET", f"/v1/jobs/{job}/samples/0/99999999999")


async def test_a_summary_is_over_what_is_stored_and_names_its_denominator(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    await service.finish(worker, score=1.0, limit=12)
    partial = await service.ok("GET", f"/v1/jobs/{job}/summary")
    assert not partial["final"]
    assert any("12 of 20" in note for note in partial["notes"])
    await service.finish(worker, score=0.0)
    summary = await service.ok("GET", f"/v1/jobs/{job}/summary")
    assert summary["final"]
    assert summary["counts"]["scored"] == PLANNED
    [heatmap] = [b for b in summary["blocks"] if b["kind"] == "heatmap"]
    assert [sum(row) for row in heatmap["counts"]] == [10, 10]
    assert heatmap["values"] == [[1.0, 0.4], [1.0, 0.0]]
    kinds = {b["kind"] for b in summary["blocks"]}
    assert kinds <= {"table", "heatmap", "curve", "verdict"}
    assert all(b["id"] and b["title"] for b in summary["blocks"])


DAMAGED = ["x", "AAAA", "not base64!", "%00", "é", base64.urlsafe_b64encode(b"1234[1]").decode(), "A" * 400]


@pytest.mark.parametrize("cursor", DAMAGED)
def test_a_damaged_cursor_is_an_error(cursor: str) -> None:
    with pytest.raises(BadCursor):
        cursors.decode("results", cursor, [str, int, int])


def test_a_cursor_of_another_list_is_an_error() -> None:
    with pytest.raises(BadCursor, match="another list"):
        cursors.decode("results", cursors.encode("jobs", [1]), [int])


@given(st.tuples(st.text(), st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1)))
def test_a_cursor_holds_its_keys(keys: tuple[str, int, int]) -> None:
    try:
        encoded = cursors.encode("results", keys)
    except TypeError:  # orjson refuses lone surrogates, which no key holds
        return
    assert cursors.decode("results", encoded, [str, int, int]) == list(keys)
    assert encoded.isascii()
    for place in range(len(encoded)):
        changed = encoded[:place] + ("A" if encoded[place] != "A" else "B") + encoded[place + 1 :]
        try:
            assert cursors.decode("results", changed, [str, int, int]) == list(
                keys
            )  # the last letter may hold spare bits
        except BadCursor:
            continue
