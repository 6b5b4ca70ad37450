"""What becomes of prompts that are too long, of thinking and of cached tokens, engine by engine (docs/models.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from protocol.jobs import Status
from protocol.models import ApiKind
from tests.support.engines.anthropic import Anthropic
from tests.support.engines.base import Engine
from tests.support.engines.koboldcpp import KoboldCpp
from tests.support.engines.ollama import Ollama
from tests.support.engines.openai_like import Gateway, OllamaBehindV1, OpenAiLike, Sglang, Tgi, Vllm
from tests.support.engines.spnl import Spnl
from tests.support.llama_server import llama_server, smollm2
from tests.workers.targets import ask_for, open_target
from workers.apis.base import Reply, caller
from workers.errors import ContextOverflow
from workers.integrity import judge, take_thinking_off

ROOT = Path(__file__).parents[2]
NEEDLE = "One of the special magic numbers for tall-tree is: 4711."
QUESTION = "What is the special magic number for tall-tree mentioned in the provided text?"
OVERHEAD = 7


async def ask(address: str, api: str, text: str, tokens: int, **changes: Any) -> Reply:
    generation = changes.pop("generation", {})
    facts = {"overhead_tokens": OVERHEAD, **changes.pop("facts", {})}
    async with open_target(address, api, model_id="test-model", facts=facts, **changes) as target:
        return await caller(ApiKind(api))(target, ask_for(text, prompt_tokens=tokens, generation=generation))


async def status_of(address: str, api: str, text: str, tokens: int, **changes: Any) -> Status:
    """The status that a worker gives the sample."""
    try:
        reply = await ask(address, api, text, tokens, **changes)
    except ContextOverflow:
        return Status.CONTEXT_OVERFLOW
    return judge(reply, take_thinking_off(reply.answer, reply.thinking), tokens, OVERHEAD).status


CUT, REFUSED = Status.TRUNCATED_PROMPT, Status.CONTEXT_OVERFLOW


@pytest.mark.parametrize(
    ("engine", "api", "path", "changes", "expected"),
    [
        (Vllm(), "openai-chat", "/v1", {}, REFUSED),
        (Vllm(), "openai-completions", "/v1", {}, REFUSED),
        (Vllm(), "openai-chat", "/v1", {"generation": {"extra_body": {"truncate_prompt_tokens": 2000}}}, CUT),
        (Sglang(), "openai-chat", "/v1", {}, REFUSED),
        (Sglang(auto_truncate=True), "openai-chat", "/v1", {}, CUT),
        (Tgi(), "openai-chat", "/v1", {}, REFUSED),
        (Gateway(), "openai-chat", "/v1", {}, REFUSED),
        (OllamaBehindV1(), "openai-chat", "/v1", {}, CUT),
        (Ollama(), "ollama", "", {"context_window": 4096}, REFUSED),
        (Ollama(knows_truncate=False), "ollama", "", {"context_window": 4096}, CUT),
        (KoboldCpp(), "koboldcpp", "", {}, REFUSED),
        (KoboldCpp(), "koboldcpp", "/v1", {}, REFUSED),
        (Anthropic(), "anthropic", "", {}, REFUSED),
        (Spnl(), "spnl", "", {}, REFUSED),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Engine) else None,
)
async def test_a_prompt_that_is_too_long_is_never_a_measurement(
    engine: Engine, api: str, path: str, changes: dict[str, Any], expected: Status
) -> None:
    fits, too_long = (f"{NEEDLE}\n{'word ' * size}\n{QUESTION}" for size in (1000, 5000))
    async with engine as server:
        if not changes.get("generation"):
            assert await status_of(server.address + path, api, fits, 1023, **changes) is Status.OK
        assert await status_of(server.address + path, api, too_long, 5023, **changes) is expected


async def test_the_real_llama_cpp_refuses_what_does_not_fit_and_tells_cached_tokens() -> None:
    text = "The grass is green. The sky is blue. " * 40
    with llama_server(smollm2(), context=1024, alias="test-model") as address:
        assert await status_of(f"{address}/v1", "openai-chat", text * 5, 2000) is REFUSED
        replies = [await ask(f"{address}/v1", "openai-chat", text, 360) for _ in range(2)]
    assert (replies[0].cached_tokens or 0) < 50
    assert (replies[1].cached_tokens or 0) > 300


@pytest.mark.parametrize(
    ("engine", "api", "path"),
    [
        (Vllm(thinking="hm", tells_cached=True, cached=9), "openai-chat", "/v1"),
        (Sglang(thinking="hm", tells_cached=True, cached=9), "openai-chat", "/v1"),
        (Gateway(thinking="hm", tells_cached=True, cached=9), "openai-chat", "/v1"),
        (Ollama(thinking="hm"), "ollama", ""),
        (Anthropic(thinking="hm", cached=9), "anthropic", ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Engine) else None,
)
async def test_thinking_is_kept_apart_and_cached_tokens_are_counted_as_read(
    engine: Engine, api: str, path: str
) -> None:
    async with engine as server:
        reply = await ask(server.address + path, api, f"{NEEDLE}\n{QUESTION}", 23)
    visible = take_thinking_off(reply.answer, reply.thinking)
    assert (visible.answer, visible.thinking) == ("4711", "hm")
    assert reply.prompt_tokens == 23 + OVERHEAD
    assert reply.cached_tokens == (None if isinstance(engine, Ollama) else 9)


@pytest.mark.parametrize("said", ["<think>hm</think>\n4711", "hm</think>4711"])
@pytest.mark.parametrize(
    ("engine", "api", "path"),
    [
        (Vllm, "openai-completions", "/v1"),
        (Tgi, "openai-chat", "/v1"),
        (KoboldCpp, "koboldcpp", ""),
        (Spnl, "spnl", ""),
    ],
)
async def test_thinking_in_the_text_is_taken_off(
    engine: type[OpenAiLike | KoboldCpp | Spnl], api: str, path: str, said: str
) -> None:
    async with engine(answer=lambda text: said) as server:
        reply = await ask(server.address + path, api, f"{NEEDLE}\n{QUESTION}", 23)
    visible = take_thinking_off(reply.answer, reply.thinking)
    assert (visible.answer, visible.thinking) == ("4711", "hm")


def test_the_tests_that_the_guide_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "models.md").read_text())
    assert len(named) > 10
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(), (file, test)
