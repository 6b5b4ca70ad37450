"""What the engines have in common: routes, a log of calls, scripted replies, cutting a prompt."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import orjson
from aiohttp import web

from tests.support.model_server import find_needles

Body = dict[str, Any]


def words(text: str) -> int:
    return len(text.split())


@dataclass
class Engine:
    """`window` in tokens; `overhead` tokens that the chat template adds; `scripted` replies (status, body, headers) go first."""

    window: int = 4096
    overhead: int = 7
    models: tuple[str, ...] = ("test-model",)
    api_key: str | None = None
    answer: Callable[[str], str] = find_needles
    scripted: deque[tuple[int, Any, dict[str, str]]] = field(default_factory=deque)
    calls: list[tuple[str, Body, dict[str, str]]] = field(default_factory=list)
    server_header: str | None = None

    key_header = "authorization"
    port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def routes(self) -> dict[str, Any]:
        """`METHOD /path` to handler."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 28)
        for route, handler in self.routes().items():
            method, path = route.split()
            app.router.add_route(method, path, handler)
        app.on_response_prepare.append(self._sign)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._runner.cleanup()

    async def _sign(self, request: web.Request, response: web.StreamResponse) -> None:
        if self.server_header:
            response.headers["server"] = self.server_header

    async def body(self, request: web.Request) -> Body:
        """The JSON of a call, which is logged."""
        body: Body = orjson.loads(await request.read() or b"{}")
        self.calls.append((request.path_qs, body, {name.lower(): value for name, value in request.headers.items()}))
        return body

    def scripted_reply(self) -> web.Response | None:
        if not self.scripted:
            return None
        status, body, headers = self.scripted.popleft()
        return reply(body, status, headers)

    def refuses(self, request: web.Request) -> bool:
        """Whether the key is wrong."""
        if self.api_key is None:
            return False
        sent = request.headers.get(self.key_header, "")
        return sent.removeprefix("Bearer ") != self.api_key


def reply(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return web.Response(body=content, status=status, headers=headers, content_type="application/json")


def cut(text: str, tokens: int, side: Literal["front", "tail"]) -> str:
    """The text with only `tokens` words left, the others dropped at that side."""
    found = list(re.finditer(r"\S+", text))
    if len(found) <= tokens:
        return text
    return text[found[-max(tokens, 1)].start() :] if side == "front" else text[: found[max(tokens, 1) - 1].end()]
