"""How the columns of a report travel to a function of the queue.

Arrays of numbers and the like travel as text: asyncpg looks at each element of a list twice before it writes it, which
took half of the time of a report. A column of nulls is not sent at all: its elements are null all the same.
"""

from __future__ import annotations

from typing import Any

import orjson

_AS_TEXT = ("int[]", "bigint[]", "float8[]", "bool[]", "bytea[]", "varchar[]")


def call(function: str, types: str) -> str:
    """The statement that calls a function whose parameters have these types, separated by spaces."""
    marks = [f"${n}::text::{kind}" if kind in _AS_TEXT else f"${n}" for n, kind in enumerate(types.split(), 1)]
    return f"select {function}({', '.join(marks)})"


def numbers(values: list[Any]) -> str | None:
    """A literal of an array of numbers, booleans or words without control characters."""
    if values.count(None) == len(values):
        return None
    return "{" + orjson.dumps(values).decode()[1:-1] + "}"


def hashes(values: list[str | None]) -> str | None:
    """A literal of an array of bytes, given in hex."""
    if values.count(None) == len(values):
        return None
    return "{" + ",".join(["null" if value is None else f'"\\\\x{value}"' for value in values]) + "}"


def texts(values: list[Any]) -> list[Any] | None:
    """An array of texts, as asyncpg takes it."""
    return None if values.count(None) == len(values) else values


def documents(values: list[Any]) -> list[Any] | None:
    """One JSON array of documents, an empty one as null; asyncpg makes it jsonb."""
    return texts([value or None for value in values])
