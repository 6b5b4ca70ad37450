"""A small OpenAI-compatible server that the tests own: it answers needle questions by reading the prompt, misbehaves on
demand, and keeps a log of calls.

In a test:            async with ModelServer(latency=0.05) as server: … server.base_url …
From plain code:      with running(ModelServer()) as server: …            (a thread of its own)
As a process:         python -m tests.support.model_server --port 0 --latency 0.05     (prints `READY <base url>`)
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from aiohttp import web

from tests.support.openai_replies import Reply, as_json, misbehave, overflow

_QUESTION = re.compile(r"special magic (?:numbers?|words?|uuids?) for (.+?) mentioned in the provided text")
_NEEDLE = re.compile(r"special magic (?:numbers?|words?|uuids?) for (.+?) is: (\S+?)\.(?=\s|$)")


def find_needles(prompt: str) -> str:
    """The values that the last question of a RULER needle prompt asks for, in the order of the text."""
    questions = _QUESTION.findall(prompt)
    if not questions:
        return "I do not know."
    keys = {key for key in re.split(r", and |, | and ", questions[-1]) if key}
    return " ".join(dict.fromkeys(value for key, value in _NEEDLE.findall(prompt) if key in keys)) or "There is none."


@dataclass(frozen=True)
class Say:
    """Answer 200. Fields left None are worked out from the prompt."""

    text: str | None = None
    thinking: str | None = None
    thinking_field: str = "reasoning_content"
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """Merged over the reply's top level."""


@dataclass(frozen=True)
class Refuse:
    """Answer with a status, a body (bytes, or JSON) and headers; (429, Retry-After: 1) and the like."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Misbehave:
    """`hang` never answers, `drop` closes the connection, `half` stops in mid-body, `garbage` sends 200 without JSON,
    `empty` sends 200 without a body, `trickle` sends the headers and a byte now and then for ever, `stall` sends the
    headers and nothing more."""

    how: Literal["hang", "drop", "half", "garbage", "empty", "stall", "trickle"]


Action = Say | Refuse | Misbehave


@dataclass(frozen=True)
class Seen:
    """A call as it came: `prompt` is the user's text (or the completion prompt), `number` counts from 1."""

    number: int
    path: str
    body: dict[str, Any]
    prompt: str
    headers: dict[str, str]


@dataclass
class ModelServer:
    """`script` decides by call (None = answer normally); `next_actions` are used up first, one a call.

    `window` refuses longer prompts as llama.cpp does, or with `truncate` cuts them in silence at that side. `count`
    counts a text's tokens (default: half its bytes, more than any tokenizer finds). `usage`: `truth` is what was read
    after a cut, `sent` is the count before it, `none` leaves it out, `constant` is KoboldCpp's 100/100/200.
    `slots` bounds how many calls are worked on at once; others wait. `overhead` tokens are added to each count.
    """

    latency: float = 0.0
    answer: Callable[[str], str] = find_needles
    script: Callable[[Seen], Action | None] = lambda seen: None
    next_actions: deque[Action] = field(default_factory=deque)
    window: int | None = None
    truncate: Literal["front", "tail"] | None = None
    count: Callable[[str], int] = lambda text: len(text.encode()) // 2
    usage: Literal["truth", "sent", "none", "constant"] = "truth"
    overhead: int = 0
    slots: int | None = None
    api_key: str | None = None
    models: tuple[str, ...] = ("test-model",)
    log_bodies: bool = True
    port: int = 0

    calls: list[Seen] = field(default_factory=list, init=False)
    """Every call to a completion endpoint."""
    started: int = field(default=0, init=False)
    in_flight: int = field(default=0, init=False)
    peak: int = field(default=0, init=False)
    answered: int = field(default=0, init=False)
    aborted: int = field(default=0, init=False)
    """Calls whose client went away before the answer."""

    def __post_init__(self) -> None:
        self._runner: web.AppRunner | None = None
        self._slots: asyncio.Semaphore | None = None
        self._hurry = asyncio.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def then(self, *actions: Action) -> None:
        """What the next calls get, one action each, before anything else."""
        self.next_actions.extend(actions)

    async def start(self) -> None:
        """Listen; also again on the same port after `stop`."""
        self._slots = asyncio.Semaphore(self.slots) if self.slots else None
        self._runner = web.AppRunner(self._app(), handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=1024)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> ModelServer:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_get("/health", self._health)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_post("/v1/completions", self._completions)
        return app

    async def _health(self, request: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _models(self, request: web.Request) -> web.Response:
        models = [{"id": name, "object": "model", "max_model_len": self.window} for name in self.models]
        return web.json_response({"object": "list", "data": models})

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        body = orjson.loads(await request.read())
        seen = self._note(request, body)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            if self._slots is None:
                return await self._handle(request, seen)
            async with self._slots:
                return await self._handle(request, seen)
        except (asyncio.CancelledError, ConnectionResetError):
            self.aborted += 1
            raise
        finally:
            self.in_flight -= 1

    def _note(self, request: web.Request, body: dict[str, Any]) -> Seen:
        self.started += 1
        messages = body.get("messages")
        prompt = "\n".join(m["content"] for m in messages if m["role"] == "user") if messages else body.get("prompt")
        seen = Seen(self.started, request.path, body, prompt or "", {k.lower(): v for k, v in request.headers.items()})
        if self.log_bodies:
            self.calls.append(seen)
        return seen

    async def _handle(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        if self.api_key is not None and seen.headers.get("authorization") != f"Bearer {self.api_key}":
            return as_json(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        action = self.next_actions.popleft() if self.next_actions else self.script(seen)
        if not isinstance(action, Misbehave) and self.latency:
            await self._work()
        if isinstance(action, Refuse):
            return as_json(action.status, action.body, action.headers)
        if isinstance(action, Misbehave):
            return await misbehave(request, action.how)
        tokens = self.count(seen.prompt) + self.overhead
        room = int(seen.body.get("max_tokens") or seen.body.get("max_completion_tokens") or 16)
        if self.window is not None and tokens > self.window and self.truncate is None:
            return as_json(400, overflow(tokens, self.window))
        prompt = self._cut(seen.prompt, room) if self.truncate and self.window else seen.prompt
        self.answered += 1
        return await self._say(request, seen, action or Say(), prompt)

    async def _work(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), self.latency)

    def go_on(self) -> None:
        """Answer the calls that are being worked on at once."""
        self._hurry.set()
        self._hurry = asyncio.Event()

    def _cut(self, prompt: str, room: int) -> str:
        keep = max((self.window or 0) - room, 1)
        while (tokens := self.count(prompt)) > keep:
            length = min(len(prompt) - 1, len(prompt) * keep // tokens)
            prompt = prompt[-length:] if self.truncate == "front" else prompt[:length]
        return prompt

    async def _say(self, request: web.Request, seen: Seen, say: Say, prompt: str) -> web.StreamResponse:
        text = self.answer(prompt) if say.text is None else say.text
        usage = say.usage if say.usage is not None else self._usage(seen.prompt, prompt, text + (say.thinking or ""))
        thinking = None if say.thinking is None else (say.thinking_field, say.thinking)
        reply = Reply(seen.path.endswith("/chat/completions"), text, thinking, say.finish_reason or "stop", usage)
        if seen.body.get("stream"):
            return await reply.stream(request)
        head = {"id": f"call-{seen.number}", "model": self.models[0]}
        return as_json(200, {**head, **reply.whole(), **say.extra})

    def _usage(self, sent: str, read: str, answer: str) -> dict[str, Any] | None:
        if self.usage == "none":
            return None
        if self.usage == "constant":
            return {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200}
        prompt = self.count(sent if self.usage == "sent" else read) + self.overhead
        completion = len(answer.split())
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


@contextlib.contextmanager
def running(server: ModelServer) -> Iterator[ModelServer]:
    """The server in a thread of its own, for code that is not asynchronous."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _serve(arguments: argparse.Namespace) -> None:
    server = ModelServer(
        latency=arguments.latency,
        window=arguments.window,
        slots=arguments.slots,
        port=arguments.port,
        models=(arguments.model,),
        log_bodies=False,
    )
    async with server:
        print(f"READY {server.base_url}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds a call takes")
    parser.add_argument("--window", type=int, default=None, help="refuse longer prompts (tokens: half the bytes)")
    parser.add_argument("--slots", type=int, default=None, help="calls worked on at once")
    parser.add_argument("--model", default="test-model", help="the model's id")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))
