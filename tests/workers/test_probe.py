"""What the probe finds out of each engine, and how plainly it says what is wrong."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.models import Probe
from tests.support.engines.anthropic import Anthropic
from tests.support.engines.base import Engine, words
from tests.support.engines.koboldcpp import KoboldCpp
from tests.support.engines.ollama import Ollama
from tests.support.engines.openai_like import Gateway, OllamaBehindV1, Sglang, Tgi, Vllm
from tests.support.engines.spnl import Spnl
from tests.support.llama_server import llama_server, smollm2, tiny_model
from tests.workers.targets import open_target
from workers.fingerprints import root_of
from workers.probe import LONG, SHORT, probe


class WordCounter:
    """Counts as the small engines do."""

    identity = "words"

    def count(self, text: str) -> int:
        return words(text)


class LetterCounter:
    """A tokenizer that is not the model's."""

    identity = "letters"

    def count(self, text: str) -> int:
        return len(text)


async def findings_of(base_url: str, api: str = "openai-chat", counter: Any = None, **changes: Any) -> dict[str, Any]:
    async with open_target(base_url, api, **changes) as target:
        found = await probe(target, counter)
    assert found.problem is None
    assert found.ok
    assert all(finding.how for finding in found.findings.values())
    return {name: finding.value for name, finding in found.findings.items()}


async def problem_of(base_url: str, api: str = "openai-chat", **changes: Any) -> str:
    async with open_target(base_url, api, **changes) as target:
        found: Probe = await probe(target, None)
    assert not found.ok
    assert found.problem
    return found.problem


# --- The real llama.cpp ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_slots() -> Iterator[str]:
    with llama_server(smollm2(), parallel=2, context=4096) as address:
        yield address


@pytest.mark.parametrize(
    ("api", "path", "overhead"), [("openai-chat", "/v1", 30), ("openai-completions", "/v1", 0), ("anthropic", "", 30)]
)
async def test_the_real_llama_cpp_server(two_slots: str, api: str, path: str, overhead: int) -> None:
    found = await findings_of(two_slots + path, api)
    assert found.pop("version")
    assert found.pop("ping_ms") >= 0
    assert found == {
        "engine": "llama.cpp",
        "model_ids": ["smollm2"],
        "model_id": "smollm2",
        "context_window": 2048,
        "slots": 2,
        "tokenize": "/tokenize",
        "usage": True,
        "cached_tokens": True,
        "tokenizer_fits": True,
        "overhead_tokens": overhead,
        "prefill": True,
        "long_prompts": "refused",
    }


async def test_a_window_of_a_hundred_thousand_tokens_is_tried_on_the_real_server(tmp_path: Path) -> None:
    with llama_server(tiny_model(tmp_path / "tiny.gguf"), context=100_352, alias="tiny") as address:
        found = await findings_of(f"{address}/v1")
    assert (found["context_window"], found["long_prompts"]) == (100_352, "refused")


# --- Small engines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        (Vllm(tells_cached=True), {"engine": "vllm", "version": "0.11.2", "long_prompts": "refused", "prefill": True}),
        (Vllm(), {"engine": "vllm", "cached_tokens": False, "tokenize": "/tokenize", "context_window": 4096}),
        (Sglang(), {"engine": "sglang", "long_prompts": "refused", "context_window": 4096, "slots": 64}),
        (Sglang(auto_truncate=True), {"engine": "sglang", "long_prompts": "cut"}),
        (Sglang(pool=2500), {"engine": "sglang", "context_window": 2500, "long_prompts": "refused"}),
        (Tgi(), {"engine": "tgi", "context_window": 4096, "slots": 128, "long_prompts": "refused"}),
        (Gateway(), {"engine": "unknown", "overhead_tokens": 7, "usage": True, "prefill": False}),
        (Gateway(tells_usage=False), {"engine": "unknown", "usage": False}),
        (OllamaBehindV1(), {"engine": "ollama", "context_window": 4096, "long_prompts": "cut", "version": "0.12.3"}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Engine) else "",
)
async def test_engines_that_speak_openais_api(engine: Engine, expected: dict[str, Any]) -> None:
    async with engine as server:
        found = await findings_of(f"{server.address}/v1", counter=WordCounter())
    assert {name: found.get(name) for name in expected} == expected
    assert found["model_id"] == "test-model"


async def test_ollamas_native_api() -> None:
    async with Ollama(window=131072) as server:
        found = await findings_of(server.address, "ollama", WordCounter(), model_id="test-model")
    assert (found["engine"], found["context_window"], found["overhead_tokens"]) == ("ollama", 131072, 7)
    assert found["long_prompts"] == "refused"
    assert server.loads == 1


async def test_ollama_that_cuts_although_asked_not_to() -> None:
    async with Ollama(window=131072, knows_truncate=False) as server:
        found = await findings_of(server.address, "ollama", WordCounter(), model_id="test-model")
    assert found["long_prompts"] == "cut"


@pytest.mark.parametrize("path", ["", "/v1"])
async def test_koboldcpps_real_window_is_told_from_the_advertised_one(path: str) -> None:
    async with KoboldCpp(window=8192, advertised=2048) as server:
        found = await findings_of(server.address + path, "koboldcpp", WordCounter())
    assert (found["engine"], found["version"], found["context_window"]) == ("koboldcpp", "1.76", 8192)
    assert (found["slots"], found["tokenize"], found["long_prompts"]) == (1, "/api/extra/tokencount", "refused")


async def test_anthropic_adds_cached_tokens_to_what_was_read() -> None:
    async with Anthropic(cached=5, api_key="k") as server:
        found = await findings_of(server.address, "anthropic", WordCounter(), model_id="test-model", api_key="k")
    assert (found["engine"], found["overhead_tokens"], found["cached_tokens"]) == ("anthropic", 7, True)


async def test_a_span_query_server() -> None:
    async with Spnl() as server:
        found = await findings_of(server.address, "spnl", WordCounter())
    assert (found["engine"], found["overhead_tokens"], found["long_prompts"]) == ("vllm", 7, "refused")


async def test_a_program_is_looked_for_but_not_run() -> None:
    async with open_target(None, "command", command=["cat"]) as target:
        found = await probe(target, None)
    assert found.ok
    assert found.findings["engine"].how.endswith("/cat is there")
    assert "no program 'no-such-program'" in await problem_of("", "command", command=["no-such-program"])


async def test_a_tokenizer_that_is_not_the_models_is_found_out() -> None:
    async with Vllm() as server:
        found = await findings_of(f"{server.address}/v1", counter=LetterCounter())
    assert found["tokenizer_fits"] is False
    assert "overhead_tokens" not in found


# --- What is wrong, in plain words -----------------------------------------------------------------------------------


async def test_a_port_where_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        assert "does not answer" in await problem_of(url)


async def test_a_base_url_without_its_version() -> None:
    async with Vllm() as server:
        assert f"the base URL should be {server.address}/v1" in await problem_of(server.address)


async def test_a_server_that_serves_no_model() -> None:
    async with KoboldCpp() as other:
        problem = await problem_of(f"{other.address}/elsewhere/v1")
    assert "no model server is known that answers" in problem


async def test_a_missing_and_a_wrong_key() -> None:
    async with Vllm(api_key="right") as server:
        url = f"{server.address}/v1"
        assert "a call without a key (401): name the worker's variable" in await problem_of(url)
        wrong = await problem_of(url, api_key="wrong", api_key_env="MY_KEY")
    assert "refuses the key in MY_KEY (401)" in wrong
    assert "wrong" not in wrong


async def test_a_model_id_that_is_not_there_is_answered_with_those_that_are() -> None:
    async with Vllm(models=("llama-8b", "llama-70b")) as server:
        url = f"{server.address}/v1"
        assert "no model 'lama'; it has: llama-8b, llama-70b" in await problem_of(url, model_id="lama")
        assert "several models, name one with --model-id: llama-8b, llama-70b" in await problem_of(url)
        assert (await findings_of(url, model_id="llama-70b"))["model_id"] == "llama-70b"


@pytest.mark.parametrize(
    "base_url",
    ["http://h:1", "http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/chat/completions", "http://h:1/api/v1/generate"],
)
def test_roots_of_base_urls(base_url: str) -> None:
    assert root_of(base_url) == "http://h:1"


def test_the_two_texts_differ_enough_to_compare_tokenizers() -> None:
    assert len(LONG) > 8 * len(SHORT)
