"""API kind `openai-chat`: `POST {base_url}/chat/completions`, as OpenAI, vLLM, SGLang, llama.cpp and many others speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers.apis.base import Call, Reply, Target
from workers.apis.openai import ask, parameters
from workers.errors import UnsupportedApi

_CONTINUES_ON_REQUEST = ("vllm", "sglang")


async def call(target: Target, call: Call) -> Reply:
    """Ask in one user turn, after the system prompt if there is one; a prefill starts the assistant's turn."""
    messages = [{"role": "user", "content": call.user_text}]
    if call.system:
        messages.insert(0, {"role": "system", "content": call.system})
    body = {**parameters(target, call), "messages": messages}
    if call.prefill:
        if target.facts.get("prefill") is False:
            raise UnsupportedApi("this server does not continue an assistant's turn: use answer_prefix 'suffix'")
        messages.append({"role": "assistant", "content": call.prefill})
        if target.facts.get("engine") in _CONTINUES_ON_REQUEST:
            body |= {"add_generation_prompt": False, "continue_final_message": True}
    return await ask(target, call, "/chat/completions", body, _text_of)


def _text_of(choice: Mapping[str, Any]) -> tuple[str, str | None]:
    message = choice.get("message") or choice.get("delta") or {}
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content or "", message.get("reasoning_content") or message.get("reasoning") or None
