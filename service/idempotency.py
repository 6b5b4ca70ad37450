"""`Idempotency-Key`: the same key and body do a thing once; another body under the same key is a conflict."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import orjson
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.common import JsonObject
from service.errors import BadHeader, Conflict, Invalid

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class KeyReused(Conflict):
    """The key was used with another body."""

    title, kind = "Idempotency key reused", "urn:fathom:key-reused"


def check(key: str | None) -> None:
    """Raises BadHeader for a key that is none."""
    if key is not None and not _KEY.fullmatch(key):
        raise BadHeader("Idempotency-Key must be 1 to 255 visible ASCII characters, e.g. a UUID")


def body_hash(body: BaseModel) -> str:
    """Equal for bodies that mean the same, however they were written. Raises Invalid for what no JSON column holds."""
    return hashlib.sha256(storable(body.model_dump(mode="json"))).hexdigest()


def storable(value: Any) -> bytes:
    """The value as canonical JSON. Raises Invalid for whole numbers beyond 64 bits and broken Unicode."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise Invalid(f"a value in the request can't be stored: {error}") from error


async def earlier(connection: AsyncConnection, scope: str, key: str, body: str) -> JsonObject | None:
    """What was answered to this key before, or None. Raises KeyReused."""
    found = await connection.execute(
        text("SELECT body_sha256, reply FROM idempotency_keys WHERE scope = :scope AND key = :key"),
        {"scope": scope, "key": key},
    )
    row = found.first()
    if row is None:
        return None
    if row.body_sha256 != body:
        raise KeyReused(f"Idempotency-Key {key!r} was used with another body; use a new key for a new request")
    reply: JsonObject = row.reply
    return reply


async def lock(connection: AsyncConnection, scope: str, key: str) -> None:
    """Hold off others with the same key until this transaction ends."""
    await connection.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": f"{scope} {key}"}
    )


async def remember(
    connection: AsyncConnection, scope: str, key: str, body: str, status: int, reply: JsonObject
) -> None:
    """Keep an answer for the next time."""
    await connection.execute(
        text(
            """INSERT INTO idempotency_keys (scope, key, body_sha256, status, reply)
            VALUES (:scope, :key, :body, :status, CAST(:reply AS jsonb))"""
        ),
        {"scope": scope, "key": key, "body": body, "status": status, "reply": orjson.dumps(reply).decode()},
    )
