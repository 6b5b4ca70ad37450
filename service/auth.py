"""Who may in: bearer tokens, of which only SHA-256 hashes are stored.

The admin token is made at first start and shown once. Programs send `Authorization: Bearer <token>`; the dashboard's
address `/?token=…` trades the token for an HttpOnly cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from starlette.requests import HTTPConnection

from service.errors import Forbidden, Unauthorized

COOKIE = "fathom_token"
_ADMIN = "admin"
_CACHE_SECONDS = 15.0
_SAFE = ("GET", "HEAD", "OPTIONS")
_HOW = "send `Authorization: Bearer <token>`; `fathom up` prints the token at its first start"
_BOOTSTRAP_LOCK = 0x666174686F6D  # "fathom"


@dataclass(frozen=True, slots=True)
class Principal:
    """Whom a token belongs to."""

    name: str


def digest(token: str) -> str:
    """What is stored of a token: its SHA-256 in hex."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    return "fathom_" + secrets.token_urlsafe(32)


async def bootstrap(engine: AsyncEngine, token: str | None = None) -> str | None:
    """Make the admin token at first start and return it, the only time it can be shown; None when there is one already.

    With `token` (a deployment that chooses its own), that token is let in beside any others, and None is returned.
    """
    async with engine.begin() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _BOOTSTRAP_LOCK})
        if token is not None:
            await _store(connection, f"{_ADMIN}-{digest(token)[:8]}", token)
            return None
        if (
            await connection.execute(text("SELECT 1 FROM tokens WHERE revoked_at IS NULL LIMIT 1"))
        ).first() is not None:
            return None
        token = new_token()
        await _store(connection, _ADMIN, token)
        return token


async def reset(engine: AsyncEngine) -> str:
    """Replace the admin token (the old one was lost); returns the new one."""
    token = new_token()
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE tokens SET revoked_at = clock_timestamp() WHERE name = :name"), {"name": _ADMIN}
        )
        await _store(connection, _ADMIN, token)
    return token


async def _store(connection: AsyncConnection, name: str, token: str) -> None:
    await connection.execute(
        text(
            "INSERT INTO tokens (name, sha256) VALUES (:name, :sha256) ON CONFLICT (sha256) DO UPDATE SET revoked_at = NULL"
        ),
        {"name": name, "sha256": digest(token)},
    )


class Gate:
    """Checks tokens; keeps the hashes for a quarter of a minute, so that a claim costs no extra query."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._known: list[tuple[str, str]] = []
        self._loaded = -_CACHE_SECONDS

    async def principal(self, token: str) -> Principal | None:
        """Whose token this is, or None. Compares in constant time."""
        wanted = digest(token)
        if time.monotonic() - self._loaded < _CACHE_SECONDS and (found := self._match(wanted)):
            return found
        await self._load()
        return self._match(wanted)

    def _match(self, wanted: str) -> Principal | None:
        found: Principal | None = None
        for name, stored in self._known:
            if hmac.compare_digest(stored, wanted):
                found = Principal(name)
        return found

    async def _load(self) -> None:
        async with self._engine.connect() as connection:
            rows = await connection.execute(text("SELECT name, sha256 FROM tokens WHERE revoked_at IS NULL"))
            self._known = [(row.name, row.sha256) for row in rows]
        self._loaded = time.monotonic()


async def require(request: HTTPConnection, gate: Gate, method: str) -> Principal:
    """The caller, or Unauthorized. A cookie counts for a write only when our own page made it."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if given:
        if scheme.lower() != "bearer":
            raise Unauthorized(f"unknown authorization scheme {scheme!r}; {_HOW}")
        token, by_cookie = given.strip(), False
    else:
        token, by_cookie = request.cookies.get(COOKIE, ""), True
    if not token:
        raise Unauthorized(f"no token given; {_HOW}")
    principal = await gate.principal(token)
    if principal is None:
        raise Unauthorized(f"this token is not known here; {_HOW}")
    if by_cookie and method not in _SAFE and not _same_site(request):
        raise Forbidden("a page of another site may not change anything here")
    return principal


def _same_site(request: HTTPConnection) -> bool:
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == request.headers.get("host")
