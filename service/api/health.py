"""Is the process alive, and can it serve."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import text

from protocol.common import Reply
from service.api.deps import StateDep

router = APIRouter(tags=["health"])


class Health(Reply):
    status: str = Field(examples=["ok"])


@router.get("/healthz", summary="The process is alive")
async def healthz() -> Health:
    """Open to all; says nothing of the database."""
    return Health(status="ok")


@router.get("/readyz", summary="The service can serve", responses={503: {"description": "The database is away."}})
async def readyz(state: StateDep) -> Health:
    """200 when the database answers, else a 503 problem."""
    async with state.db.engine.connect() as connection:
        await connection.execute(text("SELECT 1"))
    return Health(status="ok")
