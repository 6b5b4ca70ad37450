"""Who may in."""

from __future__ import annotations

import hashlib

import httpx
import pytest

from service import auth
from service.db.engine import Database
from tests.service.api.acting import Service


async def test_everything_but_health_refuses_without_a_token(service: Service) -> None:
    async with httpx.AsyncClient(base_url=service.url, timeout=60) as stranger:
        assert (await stranger.get("/healthz")).json() == {"status": "ok"}
        document = (await service.http.get("/openapi.json")).json()
        for path, methods in document["paths"].items():
            if path in ("/healthz", "/readyz"):
                continue
            for method in methods:
                answer = await stranger.request(method.upper(), path.format_map(_Ones()))
                assert answer.status_code == 401, f"{method} {path}"
                assert answer.json()["title"] == "Unauthorized"
                assert answer.headers["www-authenticate"].startswith("Bearer")


class _Ones(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


@pytest.mark.parametrize("header", ["Bearer wrong", "Basic abc", "Bearer", "nonsense"])
async def test_a_wrong_token_is_refused(service: Service, header: str) -> None:
    async with httpx.AsyncClient(base_url=service.url, timeout=60) as stranger:
        answer = await stranger.get("/v1/jobs", headers={"Authorization": header})
    assert answer.status_code == 401
    assert "token" in answer.json()["detail"] or "scheme" in answer.json()["detail"]


async def test_the_admin_token_is_made_once_and_only_its_hash_is_stored(database: Database) -> None:
    token = await auth.bootstrap(database.engine)
    assert token is not None
    assert await auth.bootstrap(database.engine) is None
    stored = await database.pool.fetchval("select sha256 from tokens")
    assert stored == hashlib.sha256(token.encode()).hexdigest()
    everything = await database.pool.fetchval("select row_to_json(t)::text from tokens t")
    assert token not in everything


async def test_a_lost_token_is_replaced_and_the_old_one_refused(service: Service) -> None:
    fresh = await auth.reset(service.state.db.engine)
    gate = auth.Gate(service.state.db.engine)
    assert await gate.principal(service.token) is None
    assert await gate.principal(fresh) == auth.Principal("admin")


async def test_a_deployments_own_token_is_let_in(database: Database) -> None:
    assert await auth.bootstrap(database.engine, "chosen-by-the-operator") is None
    assert await auth.Gate(database.engine).principal("chosen-by-the-operator") is not None


async def test_the_address_with_the_token_sets_a_cookie_and_hides_the_token(service: Service) -> None:
    async with httpx.AsyncClient(base_url=service.url, timeout=60) as browser:
        first = await browser.get("/jobs", params={"state": "running", "token": service.token})
        assert first.status_code == 303
        assert first.headers["location"] == "/jobs?state=running"
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Secure" not in cookie
        second = await browser.get(first.headers["location"])
        assert second.status_code == 200
        assert service.token not in second.text


async def test_behind_a_proxy_with_tls_the_cookie_is_for_https_alone(service: Service) -> None:
    async with httpx.AsyncClient(base_url=service.url, headers={"X-Forwarded-Proto": "https"}) as browser:
        answer = await browser.get("/", params={"token": service.token})
    assert "Secure" in answer.headers["set-cookie"]


async def test_a_page_without_a_token_asks_for_one_and_leads_back(service: Service) -> None:
    async with httpx.AsyncClient(base_url=service.url, timeout=60) as browser:
        asked = await browser.get("/models?x=1")
        assert asked.status_code == 401
        assert 'value="/models?x=1"' in asked.text
        refused = await browser.post("/login", data={"token": "wrong", "next": "/models"})
        assert refused.status_code == 401
        assert "not known" in refused.text
        let_in = await browser.post("/login", data={"token": service.token, "next": "/models"})
        assert let_in.headers["location"] == "/models"
        assert (await browser.get("/models")).status_code == 200
        await browser.post("/logout")
        assert (await browser.get("/models")).status_code == 401


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil.example", ""])
async def test_signing_in_leads_nowhere_else(service: Service, target: str) -> None:
    async with httpx.AsyncClient(base_url=service.url, timeout=60) as browser:
        answer = await browser.post("/login", data={"token": service.token, "next": target})
    assert answer.headers["location"] == "/"


async def test_another_sites_page_changes_nothing_with_the_cookie(service: Service, model: str) -> None:
    async with httpx.AsyncClient(base_url=service.url, cookies={auth.COOKIE: service.token}, timeout=60) as browser:
        assert (await browser.get("/v1/models")).status_code == 200
        for headers in ({}, {"Origin": "https://evil.example"}):
            assert (await browser.delete("/v1/models/m", headers=headers)).status_code == 403
        assert (await browser.delete("/v1/models/m", headers={"Origin": service.url})).status_code == 204


async def test_pages_run_nothing_but_our_own_files(service: Service) -> None:
    async with httpx.AsyncClient(base_url=service.url, cookies={auth.COOKIE: service.token}, timeout=60) as browser:
        for path in ("/", "/jobs", "/models", "/workers", "/docs"):
            policy = (await browser.get(path)).headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
