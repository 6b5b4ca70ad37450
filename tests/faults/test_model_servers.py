"""Model servers that refuse, break, stall, die or talk nonsense: each bad call costs one call more, and no score."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable

from protocol.jobs import JobState, Retry, Status
from tests.faults.conftest import CONCURRENCY, progress
from tests.support.audit import Fact, Key, check_counts, check_whole, fact, key, prompts_of, results
from tests.support.cluster import LENGTHS, Service, Workers, add_model, eventually, finished, submit
from tests.support.model_server import Action, Misbehave, ModelServer, Refuse, Seen

SAMPLES = 36
LIMIT = 6
BAD: dict[str, Action] = {
    "rate_limited": Refuse(429, {"error": {"message": "slow down"}}, {"Retry-After": "1"}),
    "server_error": Refuse(500, {"error": {"message": "boom"}}),
    "overloaded": Refuse(503, b"busy"),
    "bad_reply": Misbehave("garbage"),
    "empty_reply": Misbehave("empty"),
    "connection": Misbehave("drop"),
    "connection, half a body": Misbehave("half"),
    "timeout": Misbehave("hang"),
    "timeout, after the headers": Misbehave("stall"),
}
"""Causes with the misbehaviour that leads to them."""
PATIENT = {"connect": 10, "first_byte": 4, "idle": 4, "total": 30, "per_1k_tokens": 0}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def misfortunes(prompt_sha256: str) -> list[str]:
    """What happens to the first calls of a prompt: nothing to half of them, one thing or two to the others."""
    number = int(prompt_sha256[:8], 16)
    causes = list(BAD)
    first, second = causes[number % len(causes)], causes[number // 7 % len(causes)]
    return [[], [first], [], [first, second]][number // 100 % 4]


def unlucky() -> Callable[[Seen], Action | None]:
    """A script that gives each prompt its misfortunes, then a plain answer."""
    had: Counter[str] = Counter()

    def script(seen: Seen) -> Action | None:
        prompt = digest(seen.prompt)
        had[prompt] += 1
        waiting = misfortunes(prompt)[had[prompt] - 1 :]
        return BAD[waiting[0]] if waiting else None

    return script


async def test_each_bad_call_is_tried_again_once_and_every_attempt_is_kept_with_its_cause(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    workers.start(2, concurrency=CONCURRENCY)
    model.latency = 0.05
    async with service.client() as client:
        await add_model(client, model_name, model.base_url, limits={"max_concurrency": LIMIT}, timeouts=PATIENT)
        model.peak, model.script = 0, unlucky()
        job = await submit(client, model_name, SAMPLES)
        wanted = {k: one for k, one in faultless.items() if k[2] < SAMPLES}
        extra = sum(len(misfortunes(one.prompt_sha256)) for one in wanted.values())
        assert extra > SAMPLES / 2, "too little goes wrong"
        ended = await check_whole(service, job.id, faultless, model.calls, lost=extra)
        asked = prompts_of(model.calls)
        assert {p: asked[p] for p in asked if p in {one.prompt_sha256 for one in wanted.values()}} == {
            one.prompt_sha256: 1 + len(misfortunes(one.prompt_sha256)) for one in wanted.values()
        }
        assert model.peak <= LIMIT
        assert ended.usage.calls == len(wanted) + extra
        for result in await results(client, job.id):
            expected = [cause.partition(",")[0] for cause in misfortunes(str(result.prompt_sha256))]
            if expected:
                detail = await client.sample(job.id, result.cell, result.index)
                assert [attempt.kind for attempt in detail.attempts] == expected


async def test_what_the_server_refuses_for_good_fails_at_once_with_its_words_and_can_be_asked_again(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    workers.start(concurrency=CONCURRENCY)
    model.latency = 0.0
    refused = {one.prompt_sha256 for k, one in faultless.items() if k[2] in (1, 4)}
    async with service.client() as client:
        await add_model(client, model_name, model.base_url)
        refusal = Refuse(400, {"error": {"message": "this prompt is not to my taste"}})
        model.script = lambda seen: refusal if digest(seen.prompt) in refused else None
        job = await submit(client, model_name, 6)
        ended = await finished(service, job.id)
        assert (ended.state, ended.counts.failed) == (JobState.COMPLETED_WITH_ERRORS, len(refused))
        found = await results(client, job.id)
        check_counts(ended, found)
        for result in found:
            if result.prompt_sha256 in refused:
                assert (result.status, result.score) == (Status.ERROR, None)
                assert "not to my taste" in str(result.error)
            else:
                assert fact(result) == faultless[key(result)]
        assert all(prompts_of(model.calls)[prompt] == 1 for prompt in refused)

        model.script = lambda seen: None
        await client.retry(job.id, Retry(statuses=[Status.ERROR]))
        await check_whole(service, job.id, faultless, model.calls, lost=len(refused))


async def test_a_model_server_that_dies_costs_no_attempt_but_those_of_its_broken_calls(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    running = workers.start(2, concurrency=CONCURRENCY)
    async with service.client() as client:
        await add_model(client, model_name, model.base_url)
        job = await submit(client, model_name, SAMPLES, retry={"max_attempts": 3})
        for _ in range(2):
            await progress(model, 15)
            await model.stop()
            await eventually(lambda: is_open(service, model_name))
            waiting = await eventually(lambda: reasons(service, job.id))
            assert any("connect" in reason for reason in waiting)
            await model.start()
        await check_whole(service, job.id, faultless, model.calls, lost=2 * len(running) * CONCURRENCY)


async def is_open(service: Service, model: str) -> bool:
    async with service.client() as client:
        circuit = (await client.model(model)).circuit
    return circuit.state == "open" and bool(circuit.reason) and circuit.until is not None


async def reasons(service: Service, job: str) -> list[str]:
    async with service.client() as client:
        return [one.reason for one in (await client.job(job)).waiting if one.next_try is not None]


async def test_a_prompt_that_kills_its_workers_ends_as_failed_and_spoils_no_other_sample(
    service: Service, workers: Workers, model: ModelServer, model_name: str, faultless: dict[Key, Fact]
) -> None:
    poison = faultless["niah_single_1", LENGTHS[0], 3].prompt_sha256
    (worker,) = workers.start(concurrency=CONCURRENCY)

    def script(seen: Seen) -> Action | None:
        if digest(seen.prompt) == poison:
            worker.kill()
            worker.start()
        return None

    async with service.client() as client:
        await add_model(client, model_name, model.base_url)
        model.script = script
        job = await submit(client, model_name, 8, retry={"max_attempts": 1})
        ended = await finished(service, job.id)
        found = {key(result): result for result in await results(client, job.id)}
    dead = found.pop(("niah_single_1", LENGTHS[0], 3))
    assert (dead.status, dead.score) == (Status.ERROR, None)
    assert "did not come back" in str(dead.error)
    assert ended.counts.failed == 1
    assert {k: fact(result) for k, result in found.items()} == {k: faultless[k] for k in found}
    assert prompts_of(model.calls)[poison] == 3, "one attempt and two losses more"
