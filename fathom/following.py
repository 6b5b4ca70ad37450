"""Follows an event stream in the background, through its ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from protocol.jobs import Event


class News:
    """Listens to events; goes on after the last one it heard when the stream has to be opened again.

    `stream` opens the stream after an event's id, or from now on.
    """

    def __init__(self, stream: Callable[[int | None], AsyncIterator[Event]]) -> None:
        self._stream = stream
        self._after: int | None = None
        self._heard = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None

    def clear(self) -> None:
        self._heard.clear()

    async def wait(self, seconds: float) -> None:
        """Return when something was heard, the stream ended, or the time is over. Raises what broke the stream."""
        if self._listener is None:
            self._listener = asyncio.create_task(self._listen())
        heard = asyncio.create_task(self._heard.wait())
        await asyncio.wait({heard, self._listener}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        heard.cancel()
        if self._listener.done():
            ended, self._listener = self._listener, None
            ended.result()

    async def _listen(self) -> None:
        async for event in self._stream(self._after):
            self._after = event.id
            self._heard.set()

    async def close(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait({self._listener})
