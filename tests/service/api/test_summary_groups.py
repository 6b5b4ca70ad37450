"""Scores by the group that a benchmark names in them: accuracy by needle depth."""

from __future__ import annotations

from protocol.jobs import Status
from protocol.workers import Outcome
from tests.service.api.acting import Service, ok


async def _answer(service: Service, worker: int, *answers: tuple[str, float]) -> None:
    """Report the next samples with these groups and scores."""
    for grant in await service.claim(worker, len(answers)):
        addresses = await service.addressed(grant)
        outcomes: list[Outcome] = [
            ok(score, **address, detail={"score": {"group": group}})
            for address, (group, score) in zip(addresses, answers, strict=True)
        ]
        await service.report(worker, outcomes)


async def test_scores_by_depth_make_a_heat_map_a_niah_task(service: Service, model: str) -> None:
    job = await service.submit(tasks=["niah_single_1", "vt"], lengths=[1024], samples=4)
    worker = await service.worker()
    await _answer(service, worker, ("0", 1.0), ("0", 0.0), ("95", 1.0), ("50", 0.5))
    await service.finish(worker)
    blocks = {b["id"]: b for b in (await service.ok("GET", f"/v1/jobs/{job}/summary"))["blocks"]}
    found = blocks["depth_length_niah_single_1"]
    values = {
        y: (row[0], counts[0]) for y, row, counts in zip(found["y"], found["values"], found["counts"], strict=True)
    }
    assert found["x"] == ["1024"]
    assert len(values) == 20
    assert {y: pair for y, pair in values.items() if pair[1]} == {
        "0-5": (0.5, 2),
        "50-55": (0.5, 1),
        "95-100": (1.0, 1),
    }
    assert "depth_length_vt" not in blocks


async def test_what_is_no_measurement_is_in_no_group(service: Service, model: str) -> None:
    job = await service.submit(tasks=["niah_single_1"], lengths=[1024], samples=2)
    worker = await service.worker()
    await _answer(service, worker, ("0", 1.0))
    [grant] = await service.claim(worker)
    [address] = await service.addressed(grant)
    cut = ok(0.0, **address, detail={"score": {"group": "0"}}).model_copy(
        update={"status": Status.TRUNCATED_PROMPT, "score": None}
    )
    await service.report(worker, [cut])
    blocks = {b["id"]: b for b in (await service.ok("GET", f"/v1/jobs/{job}/summary"))["blocks"]}
    assert sum(row[0] for row in blocks["depth_length_niah_single_1"]["counts"]) == 1
