"""The specs that a worker keeps."""

from __future__ import annotations

from pathlib import Path

from protocol.jobs import RetryPolicy, Run
from protocol.models import ApiKind, ModelRequest
from protocol.workers import JobSpec
from workers.assets import AssetCache
from workers.client import ServiceClient
from workers.drivers.base import open_driver
from workers.jobs import KEPT_JOBS, JobShelf
from workers.targets import Targets


def spec(name: str) -> JobSpec:
    model = ModelRequest(name="m", api=ApiKind.OPENAI_CHAT, base_url="http://127.0.0.1:9/v1")
    return JobSpec(
        id=name,
        benchmark="ruler",
        benchmark_version="1",
        options={},
        run=Run(),
        retry=RetryPolicy(),
        model_name="m",
        model=model,
    )


async def test_a_spec_is_kept_as_long_as_samples_of_its_job_are_held(tmp_path: Path) -> None:
    client = ServiceClient("http://127.0.0.1:9", None)
    held = {f"held-{n}" for n in range(KEPT_JOBS)}
    shelf = JobShelf(AssetCache(tmp_path / "assets", client), Targets(open_driver), tmp_path / "cache", lambda: held)
    for name in [*sorted(held), *(f"other-{n}" for n in range(KEPT_JOBS))]:
        shelf.put(spec(name))
    assert {f"{job}@" for job in held} < set(shelf.known())
    assert f"other-{KEPT_JOBS - 1}@" in shelf.known(), "what has just come is about to be used"
    held.clear()
    shelf.put(spec("last"))
    assert len(shelf.known()) == KEPT_JOBS
    assert shelf.known()[-1] == "last@"
    await client.aclose()
