"""The way in for browsers: a token in the address is traded for a cookie; without one there is a page that asks."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs, quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from service.api.deps import StateDep
from service.auth import COOKIE, Principal, require
from service.dashboard.rendering import page
from service.errors import Unauthorized

router = APIRouter(include_in_schema=False)
_YEAR = 365 * 24 * 3600


class NeedsToken(Exception):
    """A page was asked for without a token; answered with the page that asks for it."""


async def visitor(request: Request, state: StateDep) -> Principal:
    """The visitor of a page. Raises NeedsToken instead of a problem document."""
    try:
        return await require(request, state.gate, request.method)
    except Unauthorized as error:
        raise NeedsToken from error


def ask(request: Request, problem: str = "", target: str = "") -> Response:
    """The page that asks for a token (401)."""
    nonce = secrets.token_urlsafe(16)
    query = f"?{request.url.query}" if request.url.query else ""
    context = {"nonce": nonce, "problem": problem, "next": target or request.url.path + query}
    response = page(request, "login.html", context, status=401)
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


async def token_in_address(request: Request, state: StateDep, token: str) -> Response:
    """Set the cookie and go to the same address without the token."""
    if await state.gate.principal(token) is None:
        return ask(request, "The token in this address is not known here.", "/")
    rest = [(k, v) for k, v in request.query_params.multi_items() if k != "token"]
    return _enter(request, token, request.url.path + (f"?{urlencode(rest)}" if rest else ""))


@router.post("/login")
async def login(request: Request, state: StateDep) -> Response:
    form = parse_qs((await request.body()).decode("utf-8", "replace"))
    token = form.get("token", [""])[0].strip()
    target = local(form.get("next", ["/"])[0])
    if await state.gate.principal(token) is None:
        return ask(request, "This token is not known here.", target)
    return _enter(request, token, target)


@router.post("/logout")
async def logout() -> Response:
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(COOKIE)
    return response


def _enter(request: Request, token: str, target: str) -> Response:
    response = RedirectResponse(local(target), status_code=303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=_YEAR, httponly=True, samesite="lax", secure=secure, path="/")
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def local(target: str) -> str:
    """A path of this service; anything else becomes `/`, so that nobody is led astray after signing in."""
    if not target.startswith("/") or target.startswith(("//", "/\\")):
        return "/"
    return quote(target, safe="/?=&%:,._-~+")
