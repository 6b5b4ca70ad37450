"""A language that is registered as an asset: refused before, used after, and wrong files are named."""

from __future__ import annotations

from importlib.resources import files

from tests.service.api.acting import Service

DANISH = (files("benchmarks.ruler.languages") / "da.toml").read_text(encoding="utf-8")
OWN = DANISH.replace('code = "da"', 'code = "nn"').replace("Græsset er grønt", "Graset er grønt")


async def _put(service: Service, text: str) -> None:
    await service.ok("PUT", "/v1/assets/ruler-language-nn", params={"kind": "words"}, content=text.encode())


async def test_a_job_in_a_language_of_ones_own_is_refused_until_its_file_is_registered(
    service: Service, model: str
) -> None:
    options = {"tasks": ["niah_single_1"], "lengths": [1024], "samples": 2, "language": "nn"}
    body = {"benchmark": "ruler", "model": model, "options": options}
    problem = await service.problem(422, "POST", "/v1/jobs", json=body)
    assert problem["errors"][0]["field"] == "options.language"
    assert "fathom assets add ruler-language-nn nn.toml --kind words" in problem["errors"][0]["message"]
    await _put(service, OWN)
    job = (await service.ok("POST", "/v1/jobs", json=body))["id"]
    prompt = await service.http.get(f"/v1/jobs/{job}/samples/0/0/prompt", params={"format": "text"})
    assert "Graset er grønt." in prompt.text
    notes = [
        note for block in (await service.ok("GET", f"/v1/jobs/{job}/summary"))["blocks"] for note in block["notes"]
    ]
    assert "language nn of the asset ruler-language-nn" in notes


async def test_a_file_that_is_not_in_order_is_refused_with_the_places(service: Service, model: str) -> None:
    await _put(service, OWN.replace("{key}", "{nykel}"))
    body = {"benchmark": "ruler", "model": model, "options": {"tasks": ["vt"], "lengths": [1024], "language": "nn"}}
    problem = await service.problem(422, "POST", "/v1/jobs", json=body)
    assert "needle: placeholder {key} is missing" in problem["errors"][0]["message"]
