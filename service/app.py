"""The application: routers, problem documents, middleware, and what lives as long as the process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI

from protocol.common import Problem
from service import problems
from service.api import assets, benchmarks, health, jobs, models, results, workers
from service.api.deps import State, caller
from service.api.parameters import known
from service.auth import Gate
from service.dashboard import routes as dashboard
from service.dashboard.access import Answered, answered
from service.dashboard.rendering import problem_page
from service.db.engine import connect
from service.middleware import BodyLimit, RequestLog
from service.queue.runtime import running
from service.settings import Settings
from service.sources import Sources
from service.statistics import Summaries

_DESCRIPTION = """\
Fathom measures how deep a language model's context really goes.

Every address below `/v1` wants `Authorization: Bearer <token>`. Errors are problem documents (RFC 9457) that name
field, value and what would be right.
"""

ROUTERS: tuple[APIRouter, ...] = (
    workers.router,
    benchmarks.router,
    models.router,
    assets.router,
    jobs.router,
    results.router,
)
"""The routers below /v1, all behind the token; first the one that is called for every batch of samples."""


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI application; its lifespan opens and closes the database connections.

    The database must be migrated (`service.db.migrate`).
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        db = await connect(settings.database_url, settings.pool_size, settings.database_timeout)
        try:
            async with running(db, settings.lease_seconds) as queue:
                app.state.fathom = State(
                    settings=settings,
                    db=db,
                    gate=Gate(db.engine),
                    sources=Sources(db.engine, settings),
                    summaries=Summaries(),
                    queue=queue,
                )
                yield
        finally:
            await db.close()

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
    _assemble(app, settings)
    return app


def _assemble(app: FastAPI, settings: Settings) -> None:
    problems.install(app)
    app.state.problem_page = problem_page
    app.add_exception_handler(Answered, answered)
    app.include_router(health.router)
    for router in ROUTERS:
        app.include_router(router, prefix="/v1", dependencies=[Depends(caller), Depends(known)])
    app.include_router(dashboard.router)
    app.add_middleware(BodyLimit, settings=settings)
    app.add_middleware(RequestLog)
