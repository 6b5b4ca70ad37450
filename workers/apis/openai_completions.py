"""API kind `openai-completions`: `POST {base_url}/completions`, plain text in, its continuation out (base models)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers.apis.base import Call, Reply, Target
from workers.apis.openai import ask, parameters


async def call(target: Target, call: Call) -> Reply:
    """Ask for the continuation of system prompt (if any), input and answer prefix as one text."""
    text = f"{call.system}\n\n{call.plain_text}" if call.system else call.plain_text
    return await ask(target, call, "/completions", {**parameters(target, call), "prompt": text}, _text_of)


def _text_of(choice: Mapping[str, Any]) -> tuple[str, str | None]:
    return choice.get("text") or "", choice.get("reasoning_content") or choice.get("reasoning") or None
