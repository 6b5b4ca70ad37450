"""What a worker remembers of models between starts: the limits that were found, in one small file of the data folder."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import orjson

from workers.limits import Memory


def load(path: Path) -> dict[str, Memory]:
    """Memories by model name. A file that is missing or cannot be read is an empty memory: nothing depends on it.

    A pace is not carried over: it says what the server took in the minutes before the worker stopped."""
    try:
        found = orjson.loads(path.read_bytes())
        return {name: Memory(**{**fields, "rate": None}) for name, fields in found.items()}
    except (OSError, orjson.JSONDecodeError, TypeError, AttributeError):
        return {}


def save(path: Path, memories: Mapping[str, Memory]) -> None:
    """Write them over what the file holds of the same models; others stay. A full disk is no reason to stop."""
    merged = {name: asdict(memory) for name, memory in {**load(path), **memories}.items()}
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "wb") as file:
            file.write(orjson.dumps(merged))
        os.replace(name, path)
