"""When the database goes away, and when the service can't start."""

from __future__ import annotations

import asyncio
import errno
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request

from service import problems
from service.auth import COOKIE
from service.db import migrate
from service.db.embedded import EmbeddedPostgres
from service.errors import SettingsError, StartupError
from service.serve import bind
from service.settings import Settings, from_environment
from tests.service.api.acting import Service
from tests.service.api.conftest import Running
from tests.support.queue import add_job, add_model
from tests.support.waiting import until


async def test_while_the_database_is_away_answers_are_503_and_they_come_back(
    server_folder: Path, tmp_path: Path
) -> None:
    with EmbeddedPostgres(server_folder / "data", {"fsync": "off"}) as postgres:
        await migrate.upgrade(postgres.url)
        async with Running(Settings(database_url=postgres.url, data_dir=tmp_path, port=0)) as service:
            await service.ok("GET", "/readyz")
            await service.ok("GET", "/v1/jobs")
            job = await add_job(service.state.db, await add_model(service.state.db))
            async with service.http.stream("GET", f"/v1/jobs/{job.public}/events") as stream:
                lines = stream.aiter_lines()
                assert (await anext(lines)).startswith(":")
                await asyncio.to_thread(postgres.stop)
                assert [line async for line in lines if line.startswith("id")] == []
            await _away(service)
            await asyncio.to_thread(postgres.start)
            async with asyncio.timeout(60):
                while (await service.http.get("/readyz")).status_code != 200:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await service.ok("GET", "/v1/jobs")


async def _away(service: Service) -> None:
    assert (await service.http.get("/healthz")).status_code == 200
    for method, path in (
        ("GET", "/readyz"),
        ("GET", "/v1/jobs"),
        ("GET", "/v1/models/m"),
        ("POST", "/v1/jobs/j/pause"),
    ):
        answer = await service.http.request(method, path)
        assert answer.status_code == 503, f"{path}: {answer.text}"
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["retry-after"]) > 0
    async with httpx.AsyncClient(base_url=service.url, cookies={COOKIE: service.token}, timeout=60) as browser:
        page = await browser.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 503
    assert "database" in page.text
    assert page.headers["content-type"].startswith("text/html")


def test_a_port_in_use_is_said_with_a_way_out() -> None:
    settings = Settings(database_url="postgresql://x@127.0.0.1/x", port=0)
    with bind(settings) as taken:
        same = replace(settings, port=taken.getsockname()[1])
        with pytest.raises(StartupError, match=r"port in use.*--port"):
            bind(same)


def test_settings_come_from_the_environment_and_a_bad_one_is_named() -> None:
    given = {"DATABASE_URL": "postgresql://x@db/x", "FATHOM_PORT": "9000", "FATHOM_DATA": "/data", "FATHOM_HOST": "::"}
    settings = from_environment(given)
    assert (settings.port, settings.host, settings.data_dir) == (9000, "::", Path("/data"))
    with pytest.raises(SettingsError, match="FATHOM_PORT = 'http'"):
        from_environment({**given, "FATHOM_PORT": "http"})
    with pytest.raises(SettingsError, match="DATABASE_URL"):
        from_environment({})
    with pytest.raises(SettingsError, match="FATHOM_LOG_FORMAT"):
        from_environment({**given, "FATHOM_LOG_FORMAT": "xml"})
    with pytest.raises(SettingsError, match="FATHOM_LOG_LEVEL = 'loud': must be one of debug, info"):
        from_environment({**given, "FATHOM_LOG_LEVEL": "loud"})


def test_a_full_disk_is_told_from_a_fault() -> None:
    request = Request({"type": "http", "method": "PUT", "path": "/v1/assets/a", "headers": [], "app": FastAPI()})
    answer = problems.of_exception(request, OSError(errno.ENOSPC, "No space left on device"))
    assert answer.status_code == 507
    assert b"FATHOM_DATA" in answer.body
    assert problems.of_exception(request, ConnectionRefusedError()).status_code == 503
    assert problems.of_exception(request, OSError(errno.EIO, "broken")).status_code == 500


async def test_a_client_that_goes_away_in_mid_request_is_no_fault_of_the_service(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "service.problems")
    address = httpx.URL(service.url)
    _, writer = await asyncio.open_connection(address.host, address.port)
    head = f"POST /v1/workers/1/outcomes HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {service.token}\r\nContent-Length: 99\r\n"
    writer.write(f"{head}Content-Type: application/json\r\n\r\n{{".encode())
    await writer.drain()
    writer.close()
    await until(lambda: "went away" in caplog.text)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
