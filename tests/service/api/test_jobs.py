"""Jobs while they run: lists, counts, verbs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from protocol.jobs import Counts, Status
from protocol.workers import Measured
from service import cursors
from service.jobs import remaining
from tests.service.api.acting import PLANNED, Service, failed, ok


def _adds_up(counts: dict[str, Any]) -> bool:
    parts = ("scored", "not_a_measurement", "failed", "in_flight", "waiting", "pending")
    return sum(counts[part] for part in parts) == counts["planned"] and sum(counts["by_status"].values()) == sum(
        counts[part] for part in parts[:3]
    )


async def test_the_denominator_adds_up_wherever_samples_are(service: Service, model: str) -> None:
    price = {"input": 1.0, "output": 10.0}
    await service.ok("PATCH", "/v1/models/m", json={"price": price})
    job = await service.submit()
    worker = await service.worker()
    [grant] = await service.claim(worker, 5)
    a, b, c, d, _ = await service.addressed(grant)
    await service.report(
        worker,
        [
            ok(1.0, **a),
            ok(0.5, **b, status=Status.CUT_ANSWER),
            ok(0.0, **c).model_copy(update={"status": Status.TRUNCATED_PROMPT, "score": None}),
            failed(**d, retry_after=3000),
        ],
    )
    shown = await service.ok("GET", f"/v1/jobs/{job}")
    counts = shown["counts"]
    assert _adds_up(counts)
    assert counts == {
        "planned": PLANNED,
        "scored": 2,
        "noted": 1,
        "not_a_measurement": 1,
        "failed": 0,
        "in_flight": 1,
        "waiting": 1,
        "pending": PLANNED - 5,
        "by_status": {"ok": 1, "cut_answer": 1, "truncated_prompt": 1},
    }
    assert shown["mean"] == 0.75
    assert shown["usage"]["calls"] == 4
    assert shown["usage"]["prompt_tokens"] == 30
    assert shown["usage"]["cost"] == (30 * 1.0 + 6 * 10.0) / 1e6
    [cell, *others] = shown["cells"]
    assert cell["counts"]["planned"] == 5
    assert _adds_up(cell["counts"])
    assert cell["mean"] == 0.75
    assert all(other["mean"] is None and other["counts"]["pending"] == 5 for other in others)
    reasons = {w["reason"]: w for w in shown["waiting"]}
    assert reasons["server_error"]["count"] == 1
    assert reasons["server_error"]["next_try"] is not None
    [listed] = (await service.ok("GET", "/v1/jobs"))["items"]
    assert listed["counts"] == counts


async def test_prompts_that_were_not_read_cost_nothing_and_what_was_not_sent_is_no_call(
    service: Service, model: str
) -> None:
    await service.ok("PATCH", "/v1/models/m", json={"price": {"input": 1.0, "output": 10.0}})
    job = await service.submit()
    worker = await service.worker()
    [grant] = await service.claim(worker, 3)
    unsent, refused, unbuilt = await service.addressed(grant)
    overflow = {"status": Status.CONTEXT_OVERFLOW, "score": None, "answer": None, "prompt_tokens": 5000}
    await service.report(
        worker,
        [
            ok(0.0, **unsent).model_copy(update={**overflow, "measured": Measured(duration_ms=0)}),
            ok(0.0, **refused).model_copy(update={**overflow, "measured": Measured(duration_ms=12)}),
            failed(**unbuilt).model_copy(update={"cause": "benchmark", "permanent": True}),
        ],
    )
    usage = (await service.ok("GET", f"/v1/jobs/{job}"))["usage"]
    assert (usage["calls"], usage["prompt_tokens"], usage["cost"]) == (1, 0, 0.0)


async def test_an_invalid_sample_counts_as_zero_only_when_the_job_was_told_so(service: Service, model: str) -> None:
    job = await service.submit(run={"count_invalid": "zero"})
    worker = await service.worker()
    [grant] = await service.claim(worker, 2)
    a, b = await service.addressed(grant)
    cut = ok(0.0, **b).model_copy(update={"status": Status.TRUNCATED_PROMPT, "score": None})
    await service.report(worker, [ok(1.0, **a), cut])
    assert (await service.ok("GET", f"/v1/jobs/{job}"))["mean"] == 0.5
    summary = await service.ok("GET", f"/v1/jobs/{job}/summary")
    assert summary["count_invalid"] == "zero"
    assert any("counts as 0" in note for note in summary["notes"])


async def test_each_sample_that_waits_is_counted_under_what_holds_it_back_longest(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    [grant] = await service.claim(worker, 4)
    later, sooner, down, held = await service.addressed(grant)
    await service.report(worker, [failed(**later, retry_after=3000)])
    await service.state.db.pool.execute("update models set cooldown_until = null")
    await service.report(worker, [failed(**sooner)])
    await service.report(worker, [failed(**down, cause="connection", message="refused", counts=False, model_down=True)])
    await service.state.db.pool.execute("update models set circuit_until = clock_timestamp() + interval '10 minutes'")
    shown = await service.ok("GET", f"/v1/jobs/{job}")
    assert [(w["reason"], w["count"]) for w in shown["waiting"]] == [
        ("model m is down: connection: refused", PLANNED - 2),
        ("server_error", 1),
    ]
    assert shown["counts"]["waiting"] + shown["counts"]["pending"] == PLANNED - 1
    await service.report(worker, [ok(1.0, **held)])


async def test_nothing_waits_in_a_cancelled_job(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    [grant] = await service.claim(worker, 2)
    addresses = await service.addressed(grant)
    await service.report(worker, [failed(**addresses[0], retry_after=3000)])
    await service.ok("POST", f"/v1/jobs/{job}/cancel")
    await service.report(worker, [ok(1.0, **addresses[1])])
    shown = await service.ok("GET", f"/v1/jobs/{job}")
    assert (shown["counts"]["waiting"], shown["counts"]["pending"], shown["counts"]["scored"]) == (0, PLANNED - 1, 1)
    assert _adds_up(shown["counts"])
    assert sum(cell["counts"]["pending"] for cell in shown["cells"]) == PLANNED - 1
    assert shown["waiting"] == []


async def test_pause_resume_and_cancel_may_be_repeated(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    for verb, state, grants in (("pause", "paused", 0), ("resume", "running", 1), ("cancel", "cancelled", 0)):
        for _ in range(2):
            assert (await service.ok("POST", f"/v1/jobs/{job}/{verb}"))["state"] == state
        assert len(await service.claim(worker, 1)) == grants, verb
    found = await service.problem(409, "POST", f"/v1/jobs/{job}/pause")
    assert "cancelled" in found["detail"]
    await service.problem(404, "POST", "/v1/jobs/nojob/pause")


async def test_what_may_change_while_a_job_runs_changes_and_the_rest_stays(service: Service, model: str) -> None:
    job = await service.submit(priority=1, max_concurrency=3)
    changed = await service.ok("PATCH", f"/v1/jobs/{job}", json={"priority": 7, "retry": {"max_attempts": 2}})
    assert (changed["priority"], changed["max_concurrency"], changed["retry"]["max_attempts"]) == (7, 3, 2)
    changed = await service.ok("PATCH", f"/v1/jobs/{job}", json={"max_concurrency": None, "name": "n"})
    assert (changed["priority"], changed["max_concurrency"], changed["name"]) == (7, None, "n")
    found = await service.problem(422, "PATCH", f"/v1/jobs/{job}", json={"options": {}})
    assert found["errors"][0]["field"] == "options"


async def test_retrying_asks_failed_samples_again_and_keeps_every_good_result(service: Service, model: str) -> None:
    job = await service.submit(retry={"max_attempts": 1})
    worker = await service.worker()
    [grant] = await service.claim(worker, 3)
    a, b, c = await service.addressed(grant)
    await service.report(worker, [ok(1.0, **a), failed(**b), failed(**c)])
    await service.finish(worker)
    ended = await service.ok("GET", f"/v1/jobs/{job}")
    assert ended["state"] == "completed_with_errors"
    assert ended["counts"]["failed"] == 2
    headers = {"Idempotency-Key": "again"}
    again = await service.ok("POST", f"/v1/jobs/{job}/retry", headers=headers)
    assert again["state"] == "running"
    assert again["counts"]["waiting"] == 2
    assert await service.finish(worker, score=0.0) == 2
    same = await service.ok("POST", f"/v1/jobs/{job}/retry", headers=headers)
    assert same["state"] == "completed"
    assert same["counts"]["scored"] == PLANNED
    assert same["mean"] == (PLANNED - 2) / PLANNED
    sample = await service.ok("GET", f"/v1/jobs/{job}/samples/{b['cell']}/{b['index']}")
    assert [attempt["kind"] for attempt in sample["attempts"]] == ["server_error", "superseded"]
    assert sample["result"]["generation"] == 1
    named = await service.ok("POST", f"/v1/jobs/{job}/retry", json={"samples": [[0, 0]]})
    assert named["counts"]["waiting"] == 1


async def test_retrying_a_named_sample_leaves_failed_ones_and_samples_that_are_not_there_are_refused(
    service: Service, model: str
) -> None:
    job = await service.submit(retry={"max_attempts": 1})
    worker = await service.worker()
    [grant] = await service.claim(worker, 2)
    a, b = await service.addressed(grant)
    await service.report(worker, [ok(1.0, **a), failed(**b)])
    await service.finish(worker)
    path = f"/v1/jobs/{job}/retry"
    assert "no cell 99" in (await service.problem(404, "POST", path, json={"samples": [[99, 0]]}))["detail"]
    assert "has samples 0 to" in (await service.problem(404, "POST", path, json={"samples": [[0, 99_999]]}))["detail"]
    named = await service.ok("POST", path, json={"samples": [[a["cell"], a["index"]]]})
    assert named["counts"]["waiting"] == 1
    assert named["counts"]["failed"] == 1


async def test_extending_adds_samples_and_lengths_without_redoing_anything(service: Service, model: str) -> None:
    job = await service.submit()
    worker = await service.worker()
    assert await service.finish(worker) == PLANNED
    assert (await service.ok("GET", f"/v1/jobs/{job}"))["state"] == "completed"
    grown = await service.ok("POST", f"/v1/jobs/{job}/extend", json={"samples": 7, "lengths": [2048]})
    assert grown["state"] == "running"
    assert grown["counts"] == {**grown["counts"], "planned": 42, "scored": PLANNED, "pending": 22}
    assert grown["options"]["lengths"] == [768, 1024, 2048]
    same = await service.ok("POST", f"/v1/jobs/{job}/extend", json={"samples": 7, "lengths": [2048]})
    assert same["counts"]["planned"] == 42
    assert await service.finish(worker) == 22
    assert (await service.ok("GET", f"/v1/jobs/{job}"))["counts"]["scored"] == 42
    for body, field in (
        ({"samples": 3}, "samples"),
        ({"lengths": [8192]}, "options.lengths"),
        ({"tasks": ["x"]}, "options.tasks"),
    ):
        found = await service.problem(422, "POST", f"/v1/jobs/{job}/extend", json=body)
        assert field in found["detail"], body


async def test_a_clone_is_a_new_job_with_changes(service: Service, model: str) -> None:
    job = await service.submit(name="first", labels={"a": "b"}, priority=4)
    clone = await service.ok("POST", f"/v1/jobs/{job}/clone", json={"options": {"samples": 1}, "name": "second"})
    assert clone["id"] != job
    assert (clone["name"], clone["labels"], clone["priority"]) == ("second", {"a": "b"}, 4)
    assert clone["counts"]["planned"] == 4
    asked = await service.ok("POST", f"/v1/jobs/{job}/clone", json={"run": {"count_invalid": "zero"}})
    assert asked["run"] == {**clone["run"], "count_invalid": "zero"}
    wrong = await service.problem(422, "POST", f"/v1/jobs/{job}/clone", json={"run": {"count_invalide": "zero"}})
    assert "run.count_invalide: there is no such field; did you mean count_invalid?" in wrong["detail"]
    found = await service.problem(422, "POST", f"/v1/jobs/{job}/clone", json={"model": "nobody"})
    assert found["errors"][0]["field"] == "model"


async def test_the_list_is_paged_newest_first_and_filtered_by_state(service: Service, model: str) -> None:
    made = [await service.submit(samples=1) for _ in range(5)]
    await service.ok("POST", f"/v1/jobs/{made[0]}/cancel")
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await service.ok("GET", "/v1/jobs", params={"limit": 2, **cursor})
        seen += [job["id"] for job in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
        if len(seen) == 2:
            await service.submit(samples=1)  # a newer job must not shift the pages
    assert seen == made[::-1]
    running = await service.ok("GET", "/v1/jobs", params={"state": ["running", "paused"]})
    assert made[0] not in [job["id"] for job in running["items"]]
    await service.problem(422, "GET", "/v1/jobs?state=asleep")
    await service.problem(400, "GET", "/v1/jobs?cursor=zzz")
    other = cursors.encode("results", ["1", 0, 0])
    found = await service.problem(400, "GET", f"/v1/jobs?cursor={other}")
    assert "another list" in found["detail"] or "damaged" in found["detail"]


async def test_verbs_at_once_leave_a_state_that_one_of_them_asked_for(service: Service, model: str) -> None:
    job = await service.submit()
    verbs = ["pause", "resume"] * 10
    answers = await asyncio.gather(*(service.http.post(f"/v1/jobs/{job}/{verb}") for verb in verbs))
    assert {answer.status_code for answer in answers} == {200}
    assert (await service.ok("GET", f"/v1/jobs/{job}"))["state"] in ("running", "paused")


def test_a_slow_model_s_job_says_what_is_left_at_the_pace_of_its_whole_run() -> None:
    started = datetime(2026, 1, 1, tzinfo=UTC)
    data = {"started_at": started, "now": started + timedelta(seconds=600)}
    counts = Counts(planned=16, scored=6, in_flight=2, pending=8)
    assert remaining(data, counts, 0.0) == 1000
    assert remaining(data, counts, 0.1) == 100
    assert remaining(data, counts.model_copy(update={"in_flight": 0}), 0.0) is None
    assert remaining(data, Counts(planned=6, scored=6), 0.0) is None
