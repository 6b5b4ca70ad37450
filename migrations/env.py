"""Alembic's environment: on a given connection (`service.db.migrate`), or on DATABASE_URL (the `alembic` command)."""

from __future__ import annotations

import asyncio
import os

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from service.db.columns import Xid8
from service.db.engine import parse_url
from service.db.tables import metadata

ischema_names["xid8"] = Xid8  # so that a comparison with a live database knows the type


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection, target_metadata=metadata, compare_type=True, transaction_per_migration=False
    )
    with context.begin_transaction():
        context.run_migrations()


async def _connect() -> None:
    engine = create_async_engine(parse_url(os.environ["DATABASE_URL"]), poolclass=NullPool)
    async with engine.begin() as connection:
        await connection.run_sync(_run)
    await engine.dispose()


given = context.config.attributes.get("connection")
if given is not None:
    _run(given)
else:
    asyncio.run(_connect())
