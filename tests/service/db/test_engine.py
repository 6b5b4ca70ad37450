"""Addresses, versions, and the two ways to a connection."""

from __future__ import annotations

import asyncpg
import pytest
from sqlalchemy import text

from service.db import engine
from service.db.engine import Database
from service.db.errors import BadDatabaseUrl, TooOldServer


@pytest.mark.parametrize(
    ("given", "driver", "raw"),
    [
        ("postgres://u:p@h:5/d", "postgresql+asyncpg://u:p@h:5/d", "postgresql://u:p@h:5/d"),
        ("postgresql://u@h/d", "postgresql+asyncpg://u@h/d", "postgresql://u@h/d"),
        ("postgresql+psycopg://u@h/d", "postgresql+asyncpg://u@h/d", "postgresql://u@h/d"),
        (
            "postgresql://u@/d?host=/run/x",
            "postgresql+asyncpg://u@/d?host=%2Frun%2Fx",
            "postgresql://u@/d?host=%2Frun%2Fx",
        ),
        (
            "postgres://u@h/d?sslmode=require",
            "postgresql+asyncpg://u@h/d?ssl=require",
            "postgresql://u@h/d?sslmode=require",
        ),
    ],
)
def test_every_usual_spelling_of_an_address_is_understood(given: str, driver: str, raw: str) -> None:
    assert engine.parse_url(given).render_as_string(hide_password=False) == driver
    assert engine.raw_dsn(given) == raw


@pytest.mark.parametrize("given", ["mysql://h/d", "sqlite:///x", "nonsense", ""])
def test_an_address_of_something_else_is_refused_by_name(given: str) -> None:
    with pytest.raises(BadDatabaseUrl, match="DATABASE_URL"):
        engine.parse_url(given)


async def test_a_server_too_old_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    have = await engine.check_server(database_url)
    assert have >= 14
    monkeypatch.setattr(engine, "MINIMUM_VERSION", have + 1)
    with pytest.raises(TooOldServer, match=f"is PostgreSQL {have}; Fathom needs {have + 1} or newer"):
        await engine.connect(database_url)


async def test_a_server_that_is_not_there_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match=r"."):
        await engine.check_server("postgresql://u@127.0.0.1:9/d")


async def test_both_ways_reach_the_same_database_and_speak_json(database: Database) -> None:
    async with database.begin() as connection:
        await connection.execute(
            text("insert into tokens(name, sha256) values ('n', 'h')"),
        )
    assert await database.pool.fetchval("select name from tokens") == "n"
    assert await database.pool.fetchval("select $1::jsonb", {"a": [1, None]}) == {"a": [1, None]}
    assert await database.pool.fetchval("show timezone") == "UTC"


async def test_a_failed_block_changes_nothing(database: Database) -> None:
    async def insert_and_fail() -> None:
        async with database.begin() as connection:
            await connection.execute(text("insert into tokens(name, sha256) values ('n', 'h')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await insert_and_fail()
    assert await database.pool.fetchval("select count(*) from tokens") == 0


async def test_a_lost_connection_is_replaced(database: Database) -> None:
    admin = await asyncpg.connect(engine.raw_dsn(database.url))
    async with database.engine.connect() as connection:
        pid = await connection.scalar(text("select pg_backend_pid()"))
    await admin.execute("select pg_terminate_backend($1)", pid)
    await admin.close()
    async with database.engine.connect() as connection:
        assert await connection.scalar(text("select 1")) == 1
