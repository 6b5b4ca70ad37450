"""Waiting on conditions, never on time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Return as soon as the condition holds; TimeoutError when it does not for `seconds`."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - conditions of plain objects have no event to wait for
            await asyncio.sleep(0.01)
