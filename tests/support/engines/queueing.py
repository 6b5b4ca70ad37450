"""A vLLM that works on a few calls at once, lets all others wait and tells of it at `/metrics`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.support.engines.base import Body
from tests.support.engines.openai_like import Vllm

PAGE = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{engine="0",model_name="{model}"}} {running:.1f}
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{{engine="0",model_name="{model}"}} {waiting:.1f}
# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{{engine="0",model_name="{model}"}} {cache}
"""


@dataclass
class QueueingVllm(Vllm):
    """`slots` calls at once, `seconds` each. `refusals` are the statuses that the next asks for metrics get; with
    `silent` they get no answer at all."""

    slots: int = 4
    seconds: float = 0.02
    cache: float = 0.3
    refusals: tuple[int, ...] = ()
    silent: bool = False
    running = waiting = polls = 0

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(self.slots)

    def routes(self) -> dict[str, Any]:
        return {**super().routes(), "GET /metrics": self.metrics}

    async def metrics(self, request: web.Request) -> web.Response:
        self.polls += 1
        if self.silent:
            await asyncio.Event().wait()
        if self.refusals:
            status, *rest = self.refusals
            self.refusals = tuple(rest)
            return web.Response(status=status)
        told = {"running": self.running, "waiting": self.waiting, "cache": self.cache}
        return web.Response(text=PAGE.format(model=self.models[0], **told))

    async def _answer(self, body: Body, prompt: str, tokens: int) -> web.Response:
        self.waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            await asyncio.sleep(self.seconds)
            return await super()._answer(body, prompt, tokens)
        finally:
            self.running -= 1
            self._turns.release()
