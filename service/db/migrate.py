"""Brings a database to this version's schema."""

from __future__ import annotations

import asyncio
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from service.db.engine import parse_url
from service.db.errors import NotMigrated

_LOCK = 0x0FA7_403A
_TAKE_IN = """
update results r set xid = pg_current_xact_id()
 where r.xid >= pg_snapshot_xmax(pg_current_snapshot())
   and r.job_id in (select j.id from jobs j where exists(
         select 1 from results x where x.job_id = j.id and x.xid >= pg_snapshot_xmax(pg_current_snapshot())))
"""
"""Results are read in the order of the transactions that stored them, as far as those are over. A backup that another server
made has numbers that this one's transactions have not reached: readers would wait for them."""
FUNCTIONS = Path(__file__).parent.parent / "queue" / "sql"


def config() -> Config:
    """Alembic's configuration, whatever the current folder."""
    import migrations

    result = Config()
    result.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return result


async def upgrade(url: str, revision: str = "head") -> None:
    """Run all pending migrations, (re)define the functions of `service/queue/sql/`, take in what a backup brought.

    Several services may start at once: the first one migrates, the others wait for it.
    """
    engine = create_async_engine(parse_url(url), poolclass=NullPool)
    try:
        async with engine.connect() as guard:
            await guard.execute(text("select pg_advisory_lock(:key)"), {"key": _LOCK})
            async with engine.begin() as connection:
                await connection.run_sync(_upgrade, revision)
                raw = await connection.get_raw_connection()
                driver = raw.driver_connection
                assert driver is not None
                for file in sorted(FUNCTIONS.glob("*.sql")):
                    await driver.execute(file.read_text())
                await driver.execute(_TAKE_IN)
    finally:
        await engine.dispose()


async def check(url: str) -> None:
    """Raises NotMigrated unless the database has exactly this version's schema."""
    engine = create_async_engine(parse_url(url), poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            have = await connection.run_sync(_current)
    finally:
        await engine.dispose()
    want = ScriptDirectory.from_config(config()).get_current_head()
    if have != want:
        raise NotMigrated(
            f"the database's schema is {have or 'empty'}, this version needs {want}: run `fathom migrate`"
        )


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _upgrade(connection: Connection, revision: str) -> None:
    settings = config()
    settings.attributes["connection"] = connection
    command.upgrade(settings, revision)


def main(url: str) -> None:
    """`upgrade` for programs that have no event loop."""
    asyncio.run(upgrade(url))
