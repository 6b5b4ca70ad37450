"""A data set of the reference, one sample after the other, with any earlier one to be had again."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from benchmarks.ruler.reference.state import Record, State


class Drawer(Protocol):
    """One task: `prepare` searches the size, `draw` makes the next sample; both draw from the state."""

    def prepare(self, state: State) -> Any: ...
    def draw(self, state: State, prepared: Any, index: int) -> Record: ...


class DataSet:
    """Samples by index. The random state before each is kept (3 kB a sample), the samples are not. Thread-safe."""

    def __init__(self, drawer: Drawer, seed: int) -> None:
        self._drawer, self._seed = drawer, seed
        self._state = State(seed)
        self._before: list[Any] = []
        self._prepared: Any = None
        self._lock = threading.Lock()

    def sample(self, index: int) -> Record:
        """Sample `index`; draws those before it first where that was not done. Raises TooSmall."""
        with self._lock:
            if not self._before:
                self._prepared = self._drawer.prepare(self._state)
                self._keep()
            while len(self._before) <= index:
                self._draw(len(self._before) - 1)
            return self._draw(index)

    def _draw(self, index: int) -> Record:
        state, order = self._before[index]
        self._state.restore(state)
        if order is not None:
            self._drawer.order[:] = order  # type: ignore[attr-defined]
        record = self._drawer.draw(self._state, self._prepared, index)
        if len(self._before) == index + 1:
            self._keep()
        return record

    def _keep(self) -> None:
        order = getattr(self._drawer, "order", None)
        last = self._before[-1][1] if self._before else None
        self._before.append((self._state.save(), last if order is None or order == last else list(order)))
