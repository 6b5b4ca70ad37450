"""HTTP through SSH channels, and links that break, with a real sshd."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
from pathlib import Path

import httpx
import pytest
from aiohttp import web

from tests.support.model_server import Misbehave, ModelServer
from tests.support.ssh_driving import driving, here, refusal
from tests.support.sshd import Sshd
from tests.support.waiting import until
from workers.errors import DriverError


async def test_many_calls_share_one_connection(box: Sshd) -> None:
    async with ModelServer(latency=0.05) as server, driving(box.driver()) as driver, driver.http() as http:
        body = {"messages": [{"role": "user", "content": "x" * 400_000}]}
        replies = await asyncio.gather(
            *[http.post(f"{server.base_url}/chat/completions", json=body) for _ in range(40)]
        )
        assert {reply.status_code for reply in replies} == {200}
        assert server.peak > 10
        assert driver.links.open_connections == 1


async def test_a_port_where_nobody_listens_is_a_connect_error_that_names_the_host(box: Sshd) -> None:
    async with driving(box.driver()) as driver, driver.http() as http:
        with pytest.raises(httpx.ConnectError, match=f"seen from {box.user}@"):
            await http.get("http://127.0.0.1:1/v1/models")


async def test_cancelling_a_call_closes_the_connection_at_the_server(box: Sshd) -> None:
    hanging = ModelServer(script=lambda seen: Misbehave("hang"))
    async with hanging as server, driving(box.driver()) as driver, driver.http() as http:
        call = asyncio.create_task(http.post(f"{server.base_url}/chat/completions", json={"messages": []}))
        await until(lambda: server.in_flight == 1)
        call.cancel()
        await until(lambda: server.aborted == 1)
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_tls_servers_are_verified_from_end_to_end(box: Sshd, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    await here(
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def length(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    app = web.Application(client_max_size=1 << 24)
    app.router.add_post("/", length)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    url = f"https://127.0.0.1:{runner.addresses[0][1]}/"
    try:
        async with driving(box.driver()) as driver:
            async with driver.http() as http:
                with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                    await http.post(url, content=b"x")
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SSL_CERT_FILE", str(certificate))
                async with driver.http() as http:
                    assert (await http.post(url, content=b"x" * 900_000)).text == "900000"
    finally:
        await runner.cleanup()


async def test_calls_in_flight_on_a_broken_link_fail_for_now_and_later_calls_wait_for_its_return(own_box: Sshd) -> None:
    async with ModelServer() as server, driving(own_box.driver()) as driver, driver.http() as http:
        server.then(Misbehave("hang"))
        url = f"{server.base_url}/chat/completions"
        lost = asyncio.create_task(http.post(url, json={"messages": []}))
        await until(lambda: server.in_flight == 1)
        own_box.stop()
        with pytest.raises(httpx.TransportError, match="SSH connection broke"):
            await lost
        waiting = asyncio.create_task(http.post(url, json={"messages": []}))
        await until(lambda: driver.links._opening is not None)
        await asyncio.to_thread(own_box.start)
        assert (await waiting).status_code == 200


async def test_a_server_that_stops_answering_is_noticed_by_keepalive(own_box: Sshd) -> None:
    options = {"keepalive_seconds": 0.2, "keepalive_count": 2, "patience_seconds": 0, "connect_seconds": 1}
    async with driving(own_box.driver(**options)) as driver:
        frozen: list[int] = []
        try:
            async with driver.run(["sh", "-c", "echo up; exec sleep 600"]) as process:
                assert await anext(process.output()) == ("stdout", b"up\n")
                frozen = own_box.connections()
                for pid in frozen:
                    os.kill(pid, signal.SIGSTOP)
                with pytest.raises(DriverError, match="broke while a program ran"):
                    await process.wait()
            assert driver.links.open_connections == 0
        finally:
            for pid in frozen:
                os.kill(pid, signal.SIGCONT)


async def test_a_host_that_never_answers_is_told_as_down_without_spending_attempts(own_box: Sshd) -> None:
    own_box.stop()
    error = await refusal(own_box.driver())
    assert (error.permanent, error.counts, error.model_down) == (False, False, True)
    assert f"{own_box.user}@127.0.0.1:{own_box.port}" in error.message
