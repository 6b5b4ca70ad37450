"""Opaque cursors: a place in an ordered list, as text that survives restarts.

A cursor holds the keys of the last row seen and the name of the list it belongs to; a checksum tells slips of the
pen from cursors of this service. There is nothing secret in it.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence

import orjson

from service.errors import BadCursor

Key = int | str
_CHECK = 4
DAMAGED = "the cursor is damaged: give back `next_cursor` as it came, or leave it out to start over"


def encode(kind: str, keys: Sequence[Key]) -> str:
    """The cursor for `keys` in the list `kind`."""
    body = orjson.dumps([kind, *keys])
    return base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(_CHECK) + body).decode().rstrip("=")


def decode(kind: str, cursor: str, types: Sequence[type[Key]]) -> list[Key]:
    """The keys in a cursor of the list `kind`. Raises BadCursor for anything `encode` did not make for it."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        body = raw[_CHECK:]
        found = orjson.loads(body) if zlib.crc32(body).to_bytes(_CHECK) == raw[:_CHECK] else None
    except (binascii.Error, ValueError):
        found = None
    if not isinstance(found, list) or len(found) != len(types) + 1:
        raise BadCursor(DAMAGED)
    if found[0] != kind:
        raise BadCursor(f"the cursor belongs to another list ({found[0]}), not to {kind}")
    keys = found[1:]
    if any(type(key) is not wanted or not _fits(key) for key, wanted in zip(keys, types, strict=True)):
        raise BadCursor(DAMAGED)
    return keys


def _fits(key: Key) -> bool:
    """Whether Postgres has a type for it."""
    return isinstance(key, str) or -(2**31) <= key < 2**31
