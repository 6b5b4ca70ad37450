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


class Answered(Exception):
    """A page's request that is answered before the page is made: by asking for a token, or by a redirect."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


async def visitor(request: Request, state: StateDep) -> Principal:
    """The visitor of a page. Raises Answered when there is no token, or one in the address, or an empty form field."""
    if (token := request.query_params.get("token")) is not None:
        raise Answered(await _token_in_address(request, state, token))
    try:
        principal = await require(request, state.gate, request.method)
    except Unauthorized:
        raise Answered(ask(request)) from None
    given = request.query_params.multi_items()
    if request.method == "GET" and any(value == "" for _, value in given):
        raise Answered(RedirectResponse(_here(request, [(k, v) for k, v in given if v]), 303))
    return principal


async def answered(request: Request, error: Exception) -> Response:
    """The exception handler of Answered."""
    assert isinstance(error, Answered)
    return error.response


def _here(request: Request, query: list[tuple[str, str]]) -> str:
    return request.url.path + (f"?{urlencode(query)}" if query else "")


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


async def _token_in_address(request: Request, state: StateDep, token: str) -> Response:
    """Set the cookie and go to the same address without the token."""
    if await state.gate.principal(token) is None:
        return ask(request, "The token in this address is not known here.", request.url.path)
    return _enter(
        request, token, _here(request, [(k, v) for k, v in request.query_params.multi_items() if k != "token"])
    )


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
    secure = "https" in (
        request.url.scheme,
        request.headers.get("x-forwarded-proto"),
    )  # a lie only locks its teller out
    response.set_cookie(COOKIE, token, max_age=_YEAR, httponly=True, samesite="lax", secure=secure, path="/")
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def local(target: str) -> str:
    """A path of this service; anything else becomes `/`, so that nobody is led astray after signing in."""
    if not target.startswith("/") or target.startswith(("//", "/\\")):
        return "/"
    return quote(target, safe="/?=&%:,._-~+")
