"""Counting with the server's own tokenizer, where it has a path for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.apis.base import Target
from workers.apis.http import bearer, post
from workers.errors import CallError, ContextOverflow
from workers.fingerprints import Fingerprint

_PATHS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "llama.cpp": (("/tokenize", "content", "tokens"),),
    "vllm": (("/tokenize", "prompt", "count"),),
    "sglang": (("/tokenize", "prompt", "count"),),
    "koboldcpp": (("/api/extra/tokencount", "prompt", "value"),),
}
"""By engine: path, the field that takes the text, the field that holds the count or the tokens."""


@dataclass(frozen=True, slots=True)
class ServerCounter:
    """A tokenizer behind a path; counts without BOS and template."""

    target: Target
    root: str
    path: str
    text_field: str
    count_field: str
    model_id: str | None
    how: str

    async def count(self, text: str) -> int:
        """Tokens of a text. Raises CallError."""
        fields: dict[str, Any] = {self.text_field: text, "model": self.model_id, "add_special_tokens": False}
        if self.path == "/api/extra/tokencount":
            fields = {self.text_field: text, "special": False}
        elif self.text_field == "content":
            fields = {self.text_field: text, "add_special": False}
        data = (await post(self.target, f"{self.root}{self.path}", fields, headers=bearer(self.target))).data
        value = data.get(self.count_field)
        if isinstance(value, list):
            return len(value)
        if isinstance(value, int):
            return value
        raise CallError("bad_reply", f"{self.path} answered without a count: {str(data)[:200]}")


async def find_tokenizer(target: Target, found: Fingerprint, model_id: str | None) -> ServerCounter | None:
    """The server's tokenizer, tried once; None when it has none that works."""
    for path, text_field, count_field in _PATHS.get(found.engine, ()):
        counter = ServerCounter(target, found.root, path, text_field, count_field, model_id, f"POST {path} answers")
        try:
            await counter.count("The grass is green.")
        except (CallError, ContextOverflow):
            continue
        return counter
    return None
