"""Sentences of the first words of the essays, as the reference splits them for every prompt."""

from __future__ import annotations

import math
import threading

import numpy as np

from benchmarks import sentences as splitter
from benchmarks.ruler.haystacks import Essays, collapse

_AGAIN = 4  # sentences before the cut that are split again: what Punkt decides depends on the next word only
_KEPT = 4


class ReferenceEssays:
    """The corpus as the reference reads it. `layout` (if the whole text is split already) saves splitting prefixes."""

    def __init__(self, text: str, language: str, layout: Essays | None = None) -> None:
        self._words = collapse(text).split(" ")
        self._language, self._layout = language, layout
        if layout is not None and collapse(text) != layout.text:
            self._layout = None  # leading or trailing space: words would be counted differently
        self._known: dict[int, list[str]] = {}
        self._lock = threading.Lock()

    @property
    def words(self) -> int:
        return len(self._words)

    def sentences(self, size: int, repeat: bool) -> list[str]:
        """Sentences of the first `size` words; a corpus that is too short is repeated or ends."""
        if not repeat:
            size = min(size, self.words)
        with self._lock:
            if size not in self._known:
                while len(self._known) >= _KEPT:
                    self._known.pop(next(iter(self._known)))
                self._known[size] = self._split(size)
            return self._known[size]

    def _split(self, size: int) -> list[str]:
        layout = self._layout
        if layout is None or size > self.words:
            words = self._words * math.ceil(size / self.words) if size > self.words else self._words
            return splitter.split(" ".join(words[:size]).strip(), self._language)
        end = int(layout.starts[size]) - 1 if size < self.words else len(layout.text)
        kept = max(0, int(np.searchsorted(layout.spans[:, 1], end, side="right")) - _AGAIN)
        whole = [layout.text[start:stop] for start, stop in layout.spans[:kept].tolist()]
        start = int(layout.spans[kept, 0])
        return whole + splitter.split(layout.text[start:end].strip(), self._language)
