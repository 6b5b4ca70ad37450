"""Loops that run as long as a worker does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from workers.errors import ServiceError

log = logging.getLogger(__name__)


def start(loop: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
    """Run a loop in a task, and again after an error that it did not foresee: a worker must not half die."""
    return asyncio.create_task(_guarded(loop))


async def until(event: asyncio.Event, loops: list[asyncio.Task[None]]) -> None:
    """Wait for the event. Raises what ends a loop before."""
    waiting = asyncio.create_task(event.wait())
    try:
        done, _ = await asyncio.wait([waiting, *loops], return_when=asyncio.FIRST_COMPLETED)
        for task in done - {waiting}:
            task.result()
    finally:
        await stop([waiting])


async def stop(tasks: list[asyncio.Task[Any]]) -> None:
    """End tasks and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _guarded(loop: Callable[[], Coroutine[Any, Any, None]]) -> None:
    while True:
        try:
            return await loop()
        except ServiceError:
            raise
        except Exception:  # the boundary of a loop
            log.exception("the worker goes on after an unexpected error")
            await asyncio.sleep(1.0)
