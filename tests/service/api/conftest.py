"""A real service: uvicorn on a free port, in this process, on an embedded Postgres."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from service import auth
from service.serve import bind, server
from service.settings import Settings
from tests.service.api.acting import Service
from tests.support.small_tokenizer import write_small_tokenizer


@pytest.fixture
async def service(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """The service, its admin token, and a client that sends it."""
    settings = Settings(
        database_url=database_url, data_dir=tmp_path, port=0, pool_size=6, probe_wait=2.0, max_body=64 * 1024
    )
    async with Running(settings) as found:
        yield found


class Running:
    """`async with Running(settings) as service`: a service of its own. `stop` asks it to end before the block does."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def __aenter__(self) -> Service:
        listener = bind(self.settings)
        self._server = server(self.settings)
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started:
            assert not self._task.done(), "the service did not start"
            await asyncio.sleep(0.01)
        state = self._server.config.app.state.fathom  # type: ignore[union-attr]
        token = await auth.reset(state.db.engine)
        host, port = listener.getsockname()[:2]
        self._http = httpx.AsyncClient(
            base_url=f"http://{host}:{port}", headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        return Service(self._http, state, token, f"http://{host}:{port}")

    def stop(self) -> None:
        self._server.should_exit = True

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()
        self.stop()
        await self._task


@pytest.fixture
async def model(service: Service, tmp_path: Path) -> str:
    """A registered model `m` with a real tokenizer and a window of 4096 tokens."""
    content = write_small_tokenizer(tmp_path).read_bytes()
    await service.ok("PUT", "/v1/assets/tk?kind=tokenizer&source=test", content=content)
    spec = {
        "name": "m",
        "api": "openai-chat",
        "base_url": "http://127.0.0.1:9/v1",
        "context_window": 4096,
        "tokenizer": {"asset": "tk"},
    }
    await service.ok("POST", "/v1/models", json=spec)
    return "m"
