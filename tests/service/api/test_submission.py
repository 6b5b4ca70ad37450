"""What is checked before anything is queued."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from benchmarks.base import Cell
from protocol.models import Finding, Probe
from service.queue import probes
from service.submission import worth_checking
from tests.service.api.acting import PLANNED, RULER, Service


def _with(**options: Any) -> dict[str, Any]:
    return {**RULER, "options": {**RULER["options"], **options}}


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "benchmark": ({**RULER, "benchmark": "rular"}, "benchmark", "there are: ruler"),
    "model": ({**RULER, "model": "gpt"}, "model", "there are: m"),
    "task": (_with(tasks=["niah_single_9"]), "options.tasks", "niah_single_1"),
    "option": (_with(lenghts=[512]), "options.lenghts", "did you mean lengths?"),
    "too short": (_with(lengths=[200, 1024]), "options.lengths", "too short"),
    "too short in the middle": (
        _with(tasks=["cwe"], num_cw=20, lengths=[2048, 4096]),
        "options.lengths",
        "too short for cwe",
    ),
    "beyond the window": (_with(lengths=[1024, 8192]), "options.lengths", "4,096"),
    "beyond the window, all": (_with(lengths=[8192, 16384]), "options.lengths", "8,192, 16,384 tokens exceed"),
    "too many samples": (_with(samples=2_000_000), "options.samples", "at most"),
    "missing asset": (_with(tasks=["niah_single_2"]), "options.essays", "fathom assets install ruler"),
    "generation": ({**RULER, "run": {"generation": {"temperature": -1}}}, "run.generation.temperature", "at least 0"),
    "priority": ({**RULER, "priority": 5000}, "priority", "1000"),
    "unknown field": ({**RULER, "prio": 1}, "prio", "no such field"),
    "thinking": ({**RULER, "run": {"thinking_budget": 4000}}, "options.lengths", "for thinking"),
}


def test_the_shortest_the_soon_built_and_the_longest_cells_of_each_task_are_worth_checking() -> None:
    lengths = [4096, 8192, 65_536, 131_072, 1_048_576]
    cells = [Cell(task, length, 5) for length in lengths for task in ("vt", "cwe")]
    cells += [Cell("niah_single_1", length, 5, {"depth": depth}) for length in lengths[2:] for depth in (0, 100)]
    chosen = {(cell.task, cell.length, cell.variant.get("depth")) for cell in worth_checking(cells)}
    plain = {(task, length, None) for task in ("vt", "cwe") for length in (4096, 8192, 1_048_576)}
    deep = {("niah_single_1", 65_536, 0), ("niah_single_1", 65_536, 100)}
    assert chosen - {("niah_single_1", 1_048_576, 0)} == plain | deep
    assert len(chosen) == len(plain | deep) + 1


@pytest.fixture
async def refused(service: Service, model: str) -> Service:
    return service


async def test_each_thing_that_cannot_work_is_refused_with_field_value_and_what_would_do(refused: Service) -> None:
    for name, (body, field, hint) in BAD.items():
        found = await refused.problem(422, "POST", "/v1/jobs", json=body)
        errors = {e["field"]: e for e in found["errors"]}
        matching = [f for f in errors if f == field or f.startswith(field + ".")]
        assert matching, f"{name}: {found}"
        assert hint in errors[matching[0]]["message"], name
        assert field in found["detail"], name
    assert await refused.state.db.pool.fetchval("select count(*) from jobs") == 0
    assert await refused.state.db.pool.fetchval("select count(*) from cells") == 0


async def test_a_job_is_queued_with_its_options_filled_in_and_its_grid(service: Service, model: str) -> None:
    answer = await service.http.post(
        "/v1/jobs", json={**RULER, "name": "first", "labels": {"team": "a"}, "priority": 3}
    )
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    assert job["state"] == "running"
    assert job["options"]["seed"] == 42
    assert job["counts"]["planned"] == job["counts"]["pending"] == PLANNED
    assert job["assets"]["tokenizer"]
    assert job["asset_names"] == {"tokenizer": "tk"}
    assert job["labels"] == {"team": "a"}
    detail = await service.ok("GET", f"/v1/jobs/{job['id']}")
    assert [(c["task"], c["length"], c["counts"]["planned"]) for c in detail["cells"]] == [
        ("niah_single_1", 768, 5),
        ("niah_multikey_2", 768, 5),
        ("niah_single_1", 1024, 5),
        ("niah_multikey_2", 1024, 5),
    ]


async def test_a_length_beyond_the_window_runs_when_it_is_asked_for_and_the_job_says_so(
    service: Service, model: str
) -> None:
    body = {**_with(lengths=[8192]), "run": {"allow_overflow": True}}
    job = await service.ok("POST", "/v1/jobs", json=body)
    assert any("4,096" in warning and "8,192" in warning for warning in job["warnings"])


async def test_a_million_samples_are_a_few_rows(service: Service, model: str) -> None:
    job = await service.ok("POST", "/v1/jobs", json=_with(lengths=[768], samples=500_000))
    assert job["counts"]["planned"] == 1_000_000
    assert await service.state.db.pool.fetchval("select count(*) from cells") == 2
    assert await service.state.db.pool.fetchval("select count(*) from ranges") < 2000


async def test_the_same_key_and_body_give_the_same_job_and_another_body_gives_a_conflict(
    service: Service, model: str
) -> None:
    headers = {"Idempotency-Key": "night-run-1"}
    first = await service.http.post("/v1/jobs", json=RULER, headers=headers)
    reordered = dict(reversed(RULER.items()))
    second = await service.http.post("/v1/jobs", json=reordered, headers=headers)
    assert (first.status_code, second.status_code) == (202, 200)
    assert first.json()["id"] == second.json()["id"]
    found = await service.problem(409, "POST", "/v1/jobs", json={**RULER, "priority": 1}, headers=headers)
    assert "night-run-1" in found["detail"]
    assert await service.state.db.pool.fetchval("select count(*) from jobs") == 1


async def test_many_requests_with_one_key_at_once_make_one_job(service: Service, model: str) -> None:
    answers = await asyncio.gather(
        *(service.http.post("/v1/jobs", json=RULER, headers={"Idempotency-Key": "k"}) for _ in range(8))
    )
    assert len({a.json()["id"] for a in answers}) == 1
    assert sorted(a.status_code for a in answers) == [200] * 7 + [202]


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
async def test_a_malformed_key_is_refused(service: Service, key: str) -> None:
    found = await service.problem(400, "POST", "/v1/jobs", json=RULER, headers={"Idempotency-Key": key})
    assert "Idempotency-Key" in found["detail"]


async def test_a_model_that_does_not_answer_its_probe_is_refused_before_anything_is_queued(
    service: Service, model: str
) -> None:
    worker = await service.worker()
    probe = Probe(ok=False, problem="http://127.0.0.1:9/v1 refused the connection")
    task = asyncio.create_task(_answer_probe(service, worker, probe))
    found = await service.problem(422, "POST", "/v1/jobs", json=RULER)
    await task
    assert found["errors"][0]["field"] == "model"
    assert "refused the connection" in found["detail"]
    assert await service.state.db.pool.fetchval("select count(*) from jobs") == 0


async def test_what_the_probe_found_stays_with_the_job(service: Service, model: str) -> None:
    worker = await service.worker()
    found = {
        "overhead_tokens": Finding(value=17, how="counted"),
        "prefill": Finding(value=False, how="refused it"),
        "tokenizer_fits": Finding(value=False, how="457 by our count, 487 by its usage"),
    }
    task = asyncio.create_task(_answer_probe(service, worker, Probe(ok=True, findings=found)))
    job = await service.submit()
    await task
    facts = await service.state.db.pool.fetchval("select model_facts from jobs where public_id = $1", job)
    assert facts == {"overhead_tokens": 17, "prefill": False, "tokenizer_fits": False}
    [warning] = (await service.ok("GET", f"/v1/jobs/{job}"))["warnings"]
    assert "457 by our count" in warning
    body = {**RULER, "run": {"answer_prefix": "prefill"}}
    problem = await service.problem(422, "POST", "/v1/jobs", json=body)
    assert problem["errors"][0]["field"] == "run.answer_prefix"


async def test_a_model_without_a_tokenizer_is_refused(service: Service) -> None:
    spec = {"name": "bare", "api": "openai-chat", "base_url": "http://127.0.0.1:9/v1"}
    await service.ok("POST", "/v1/models", json=spec)
    found = await service.problem(422, "POST", "/v1/jobs", json={**RULER, "model": "bare"})
    assert "no tokenizer" in found["detail"]


async def test_a_tokenizer_that_the_server_does_not_have_is_refused(service: Service, model: str) -> None:
    worker = await service.worker()
    spec = {
        "name": "counts",
        "api": "openai-chat",
        "base_url": "http://127.0.0.1:9/v1",
        "tokenizer": {"kind": "server"},
    }
    await service.ok("POST", "/v1/models", json=spec)
    probe = Probe(ok=True, findings={"tokenize": Finding(value=False, how="no such path answers")})
    _, found = await asyncio.gather(
        _answer_probe(service, worker, probe),
        service.problem(422, "POST", "/v1/jobs", json={**RULER, "model": "counts"}),
    )
    assert "no path that counts" in found["detail"]


async def _answer_probe(service: Service, worker: int, probe: Probe) -> None:
    """A worker's part: take the order that a request makes, and answer it."""
    async with asyncio.timeout(30):
        while not (orders := await probes.take(service.state.db.pool, worker, {})):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert await probes.answer(service.state.db.pool, worker, orders[0].id, probe)
