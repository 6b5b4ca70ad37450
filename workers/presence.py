"""Whether the service is there, as far as a worker's calls to it tell."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

log = logging.getLogger(__name__)


class Presence:
    """`on_away` and `on_back` are called when it changes; `returned` is set for those who hold it when the service is back."""

    def __init__(self, on_away: Callable[[], None], on_back: Callable[[], None]) -> None:
        self._on_away, self._on_back = on_away, on_back
        self._since: float | None = None
        self.returned = asyncio.Event()

    @property
    def away(self) -> bool:
        return self._since is not None

    def note_away(self, why: str) -> None:
        """A call got no answer."""
        if self._since is None:
            self._since = time.monotonic()
            log.warning("%s; outcomes wait in the spool meanwhile", why)
            self._on_away()

    def note_back(self) -> None:
        """A call was answered."""
        if self._since is not None:
            log.warning("the service is back after %.0f s", time.monotonic() - self._since)
            self._since = None
            self.returned.set()
            self.returned = asyncio.Event()
            self._on_back()
