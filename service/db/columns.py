"""Kinds of columns that the tables are made of, and the metadata that they belong to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, DateTime, Integer, MetaData, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import UserDefinedType


class Xid8(UserDefinedType[int]):
    """A 64-bit transaction id. Sent and read as text; comparisons are made in the server."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "xid8"


metadata = MetaData(
    naming_convention={
        "ix": "%(table_name)s_%(column_0_N_name)s",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        "pk": "%(table_name)s_pkey",
    }
)


def now(name: str) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp())


def moment(name: str) -> Column[Any]:
    return Column(name, DateTime(timezone=True))


def json_object(name: str, default: str = "{}") -> Column[Any]:
    return Column(name, JSONB, nullable=False, server_default=text(f"'{default}'"))


def count(name: str, kind: type[Integer] = BigInteger) -> Column[Any]:
    return Column(name, kind, nullable=False, server_default=text("0"))


def one_of(column: str, values: list[str]) -> CheckConstraint:
    return CheckConstraint(f"{column} in ({', '.join(repr(v) for v in values)})", name=column)
