"""What tests of several rooms share: one embedded Postgres a session, a fresh migrated database for each test."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from service.db import migrate
from service.db.embedded import EmbeddedPostgres
from service.db.engine import Database, connect, raw_dsn


def run_apart(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end in a thread of its own, so that no test's event loop is touched."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def at_database(url: str, name: str) -> str:
    """The same server's URL with another database."""
    return url.replace("/postgres?", f"/{name}?")


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(raw_dsn(url))
    await connection.execute(statement)
    await connection.close()


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """An empty folder that the account of Postgres can enter, which pytest's own are not when root runs them."""
    parent = Path(tempfile.mkdtemp(prefix="fathom-"))
    parent.chmod(0o755)
    yield parent
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """One server for the session. Nothing in it outlives the session, so it need not wait for the disk."""
    parent = Path(tempfile.mkdtemp(prefix="fathom-"))
    parent.chmod(0o755)
    with EmbeddedPostgres(parent / "data", {"fsync": "off", "max_connections": "200"}) as server:
        yield server
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture(scope="session")
def template_database(postgres: EmbeddedPostgres) -> str:
    """Name of a migrated, empty database to copy from."""

    async def make() -> None:
        connection = await asyncpg.connect(raw_dsn(postgres.url))
        await connection.execute("create database template_fathom")
        await connection.close()
        await migrate.upgrade(at_database(postgres.url, "template_fathom"))

    run_apart(make())
    return "template_fathom"


@pytest.fixture
def database_url(postgres: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """DATABASE_URL of a migrated, empty database of this test's own."""
    name = f"test_{uuid4().hex[:12]}"

    run_apart(execute(postgres.url, f"create database {name} template {template_database}"))
    yield at_database(postgres.url, name)
    run_apart(execute(postgres.url, f"drop database {name} (force)"))


@pytest.fixture
def empty_database(postgres: EmbeddedPostgres) -> Iterator[str]:
    """DATABASE_URL of a database without any tables."""
    name = f"empty_{uuid4().hex[:12]}"
    run_apart(execute(postgres.url, f"create database {name}"))
    yield at_database(postgres.url, name)
    run_apart(execute(postgres.url, f"drop database {name} (force)"))


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Connections to `database_url`."""
    result = await connect(database_url)
    yield result
    await result.close()
