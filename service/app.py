"""The application: routers, problem documents, middleware, and what lives as long as the process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, FastAPI
from sqlalchemy.ext.asyncio import create_async_engine

from protocol.common import Problem
from service import problems
from service.api import health
from service.api.deps import State, caller
from service.auth import Gate
from service.middleware import BodyLimit, RequestLog
from service.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

_DESCRIPTION = """\
Fathom measures how deep a language model's context really goes.

Every address below `/v1` wants `Authorization: Bearer <token>`. Errors are problem documents (RFC 9457) that name
field, value and what would be right.
"""

ROUTERS: tuple[APIRouter, ...] = ()
"""The routers below /v1, all behind the token."""


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI application; its lifespan opens and closes the database pool."""
    engine = _engine(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await engine.dispose()

    app = FastAPI(
        title="Fathom",
        version=version("fathom-eval"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        responses={"4XX": {"model": Problem, "description": "A problem document."}},
    )
    app.state.fathom = State(settings=settings, engine=engine, gate=Gate(engine))
    problems.install(app)
    app.include_router(health.router)
    for router in ROUTERS:
        app.include_router(router, prefix="/v1", dependencies=[Depends(caller)])
    app.add_middleware(BodyLimit, settings=settings)
    app.add_middleware(RequestLog)
    return app


def _engine(settings: Settings) -> AsyncEngine:
    return create_async_engine(settings.database_url, pool_size=settings.pool_size, pool_pre_ping=True)
