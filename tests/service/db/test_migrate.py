"""Migrations: complete, repeatable, and safe when several services start at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.ext.asyncio import create_async_engine

from service.db import migrate
from service.db.columns import Xid8
from service.db.embedded import EmbeddedPostgres
from service.db.engine import parse_url, raw_dsn
from service.db.errors import NotMigrated
from service.db.tables import metadata
from tests.conftest import at_database


@pytest.fixture
async def empty(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """DATABASE_URL of an empty database."""
    admin = await asyncpg.connect(raw_dsn(postgres.url))
    name = f"empty_{uuid4().hex[:12]}"
    await admin.execute(f"create database {name}")
    yield at_database(postgres.url, name)
    await admin.execute(f"drop database {name} (force)")
    await admin.close()


async def test_an_empty_database_is_not_migrated(empty: str) -> None:
    with pytest.raises(NotMigrated, match="schema is empty, this version needs"):
        await migrate.check(empty)
    await migrate.upgrade(empty)
    await migrate.check(empty)


async def test_services_that_start_at_once_migrate_once(empty: str) -> None:
    await asyncio.gather(*(migrate.upgrade(empty) for _ in range(4)))
    await migrate.check(empty)
    connection = await asyncpg.connect(raw_dsn(empty))
    assert await connection.fetchval("select count(*) from alembic_version") == 1
    assert await connection.fetchval("select count(*) from pg_proc where proname = 'queue_claim'") == 1
    await connection.close()


async def test_the_migrations_make_exactly_the_tables_that_the_code_knows(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ischema_names, "xid8", Xid8)

    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))

    engine = create_async_engine(parse_url(database_url))
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_a_migration_with_a_job_under_way_loses_nothing(database_url: str) -> None:
    connection = await asyncpg.connect(raw_dsn(database_url))
    await connection.execute("insert into tokens(name, sha256) values ('n', 'h')")
    await migrate.upgrade(database_url)
    assert await connection.fetchval("select count(*) from tokens") == 1
    await connection.close()
