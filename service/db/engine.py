"""Connections: a SQLAlchemy engine for the REST side and a small raw pool for the calls that move samples.

The hot calls are one statement each (a function in `service/queue/sql/`), so they need neither a unit of work nor
SQLAlchemy's compiler; through the raw pool a call costs about 20 µs of Python instead of 200.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import orjson
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from service.db.errors import BadDatabaseUrl, TooOldServer

MINIMUM_VERSION = 14
LOST = (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)
"""What a statement raises when its connection is gone or goes just then, the server's own words aside. A connection whose
backend has said good-bye and whose end was not seen yet calls it an internal error."""
STATEMENT_SECONDS = 30.0
_SETTINGS = {"application_name": "fathom", "jit": "off", "timezone": "UTC"}


def parse_url(url: str) -> URL:
    """The SQLAlchemy URL (driver asyncpg) of a `DATABASE_URL`; raises BadDatabaseUrl.

    `postgres://` and `postgresql://` are both taken, a unix socket directory as `?host=/dir`, and libpq's `sslmode`.
    """
    try:
        parsed = make_url(re.sub(r"^postgres(ql)?(\+\w+)?://", "postgresql+asyncpg://", url))
    except ArgumentError as error:
        raise BadDatabaseUrl(f"DATABASE_URL is not a URL like postgresql://user@host/name: {error}") from error
    if parsed.get_backend_name() != "postgresql":
        raise BadDatabaseUrl(f"DATABASE_URL must be postgresql://…, not {parsed.get_backend_name()}://…")
    query = dict(parsed.query)
    if "sslmode" in query:
        query["ssl"] = query.pop("sslmode")
    return parsed.set(query=query)


def raw_dsn(url: str) -> str:
    """The same address as libpq and asyncpg write it."""
    parsed = parse_url(url)
    query = dict(parsed.query)
    if "ssl" in query:
        query["sslmode"] = query.pop("ssl")
    return parsed.set(drivername="postgresql", query=query).render_as_string(hide_password=False)


def _dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


async def _prepare(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=_dumps, decoder=orjson.loads, format="text")


async def check_server(url: str) -> int:
    """The server's major version; raises TooOldServer below 14, OSError or asyncpg.PostgresError when unreachable."""
    connection = await asyncpg.connect(raw_dsn(url), timeout=30)
    try:
        version = connection.get_server_version().major
    finally:
        await connection.close()
    if version < MINIMUM_VERSION:
        raise TooOldServer(f"the database server is PostgreSQL {version}; Fathom needs {MINIMUM_VERSION} or newer")
    return int(version)


async def _keep_as_it_is(connection: Any) -> None:
    """Instead of asyncpg's reset, a round trip after each call: nothing that uses the pool leaves a session changed."""


@dataclass(frozen=True, slots=True)
class Database:
    """`engine` for everything, `pool` for the calls of workers; both on the same server."""

    url: str
    engine: AsyncEngine
    pool: asyncpg.Pool

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end of the block, rolled back on an exception."""
        async with self.engine.begin() as connection:
            yield connection

    async def close(self) -> None:
        await self.pool.close()
        await self.engine.dispose()


def make_engine(url: str, pool_size: int = 8, patience: float = STATEMENT_SECONDS) -> AsyncEngine:
    return create_async_engine(
        parse_url(url),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_pre_ping=True,
        json_serializer=_dumps,
        json_deserializer=orjson.loads,
        connect_args={"server_settings": _SETTINGS, "command_timeout": 4 * patience},
    )


async def connect(url: str, pool_size: int = 8, patience: float = STATEMENT_SECONDS) -> Database:
    """Connect to a migrated database. Raises what `check_server` raises.

    A call that moves samples may take `patience` seconds, any other statement four times as long; then its connection,
    which may be dead without anybody having said so, is given up.
    """
    await check_server(url)
    pool = await asyncpg.create_pool(
        raw_dsn(url),
        min_size=1,
        max_size=pool_size,
        init=_prepare,
        reset=_keep_as_it_is,
        server_settings=_SETTINGS,
        command_timeout=patience,
        max_inactive_connection_lifetime=60,
    )
    return Database(url, make_engine(url, pool_size, patience), pool)
