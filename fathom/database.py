"""What can be wrong with a database that the user named, in one line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import asyncpg
from sqlalchemy.exc import SQLAlchemyError

from fathom.errors import Failed
from service.db.errors import DatabaseError
from service.errors import ServiceError


@contextlib.contextmanager
def database_errors() -> Iterator[None]:
    """Turn errors of DATABASE_URL into Failed."""
    try:
        yield
    except (DatabaseError, ServiceError) as error:
        raise Failed(" ".join(str(error).split())) from error
    except (SQLAlchemyError, asyncpg.PostgresError, OSError) as error:
        why = " ".join(str(error).split())[:300] or type(error).__name__
        raise Failed(f"the database of DATABASE_URL cannot be used: {why}") from error
