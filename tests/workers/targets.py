"""Targets and calls for tests of API kinds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from benchmarks.base import Prompt
from protocol.models import ApiKind, Generation, ModelRequest
from workers.apis.base import Call, Target
from workers.drivers.local import LocalDriver


@asynccontextmanager
async def open_target(base_url: str | None, api: str = "openai-chat", **changes: Any) -> AsyncIterator[Target]:
    """A target on this machine; `facts` and `api_key` belong to the target, other changes to the model."""
    facts, key = changes.pop("facts", {}), changes.pop("api_key", None)
    model = ModelRequest.model_validate({"name": "m", "api": ApiKind(api), "base_url": base_url, **changes})
    driver = LocalDriver()
    async with driver.http() as http:
        yield Target(model=model, http=http, driver=driver, facts=facts, api_key=key)


def ask_for(text: str, **changes: Any) -> Call:
    """A call with that input; `generation` is taken as a dict, prompt parts as keyword arguments of Prompt."""
    parts = {name: changes.pop(name) for name in ("answer_prefix_text", "system") if name in changes}
    prompt = Prompt(text, answer_prefix=parts.get("answer_prefix_text", ""), system=parts.get("system"))
    generation = Generation.model_validate(changes.pop("generation", {}))
    return Call(**{"prompt": prompt, "max_tokens": 16, "prompt_tokens": 10, "generation": generation, **changes})
