"""Migrations: complete, repeatable, and safe when several services start at once."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.ext.asyncio import create_async_engine

from service import jobs, results
from service.db import migrate
from service.db.columns import Xid8
from service.db.engine import Database, parse_url, raw_dsn
from service.db.errors import NotMigrated
from service.db.tables import metadata
from tests.support.queue import add_job, add_model, add_worker, work_off


async def test_an_empty_database_is_not_migrated(empty_database: str) -> None:
    with pytest.raises(NotMigrated, match="schema is empty, this version needs"):
        await migrate.check(empty_database)
    await migrate.upgrade(empty_database)
    await migrate.check(empty_database)


async def test_services_that_start_at_once_migrate_once(empty_database: str) -> None:
    await asyncio.gather(*(migrate.upgrade(empty_database) for _ in range(4)))
    await migrate.check(empty_database)
    connection = await asyncpg.connect(raw_dsn(empty_database))
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


async def test_results_that_a_backup_brought_from_another_server_can_be_read(database: Database) -> None:
    job = await add_job(database, await add_model(database), (3,))
    worker = await add_worker(database)
    assert await work_off(database, worker, job) == 3
    await database.pool.execute("update results set xid = '123456789012' where index > 0")
    async with database.engine.connect() as connection:
        row = await jobs.find(connection, job.public)
        assert len((await results.read(connection, row, results.parse_cursor(None), 10, results.Filters())).results) < 3
    await migrate.upgrade(database.url)
    async with database.engine.connect() as connection:
        read = await results.read(connection, row, results.parse_cursor(None), 10, results.Filters())
    assert [place[2] for place, _ in read.results] == [0, 1, 2]
    assert read.final


async def test_a_database_of_the_version_before_gets_this_versions_functions(empty_database: str) -> None:
    """Functions whose results have changed since cannot be redefined, only made anew."""
    connection = await asyncpg.connect(raw_dsn(empty_database))
    await migrate.upgrade(empty_database, "0001")
    await connection.execute("drop function queue_after")
    await connection.execute(
        "create function queue_after(p_models int[], p_jobs bigint[], p_good boolean) returns void language sql"
        " as $$ select $$"
    )
    await migrate.upgrade(empty_database)
    await migrate.check(empty_database)
    assert await connection.fetchval("select queue_after('{}', '{}', true)") is True
    await connection.close()
