"""What the routers share: the state of the process, a database connection, the caller."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.ext.asyncio import AsyncConnection

from service.auth import Gate, Principal, require
from service.db.engine import Database
from service.queue.runtime import Runtime
from service.settings import Settings
from service.sources import Sources
from service.statistics import Summaries


@dataclass(frozen=True, slots=True)
class State:
    """What one process holds; all of it can be rebuilt."""

    settings: Settings
    db: Database
    gate: Gate
    sources: Sources
    queue: Runtime
    summaries: Summaries


async def state_of(request: Request) -> State:
    """The process's state. A coroutine, because FastAPI sends plain functions to a thread."""
    state: State = request.app.state.fathom
    return state


def stopping(request: Request) -> Callable[[], bool]:
    """Tells whether the process has been told to stop, so that what waits ends by itself."""
    found: Callable[[], bool] = getattr(request.app.state, "stopping", lambda: False)
    return found


StateDep = Annotated[State, Depends(state_of)]


async def connection(state: StateDep) -> AsyncIterator[AsyncConnection]:
    """A connection inside a transaction: committed when the handler returns, before the answer is sent."""
    async with state.db.begin() as found:
        yield found


Connection = Annotated[AsyncConnection, Depends(connection, scope="function")]


_documented = HTTPBearer(auto_error=False, description="The admin token that `fathom up` printed and saved.")


async def caller(
    request: Request, state: StateDep, _: Annotated[HTTPAuthorizationCredentials | None, Depends(_documented)]
) -> Principal:
    """The caller; 401 without a known token."""
    return await require(request, state.gate, request.method)


Caller = Annotated[Principal, Depends(caller)]
