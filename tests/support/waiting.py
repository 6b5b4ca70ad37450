"""Waiting on conditions, never on time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Return as soon as the condition holds; TimeoutError when it does not for `seconds`."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - conditions of plain objects have no event to wait for
            await asyncio.sleep(0.01)


def until_true(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """The same for tests that are not asynchronous, whose conditions may be commands."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"still not so after {seconds:.0f} s")
        time.sleep(0.05)
