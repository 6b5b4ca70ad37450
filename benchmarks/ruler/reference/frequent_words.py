"""Coded words as the reference draws them (freq_words_extraction.py)."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np

from benchmarks.ruler.fitting import TooSmall
from benchmarks.ruler.frequent_words import zeta
from benchmarks.ruler.reference.state import Made, Record, Run, State, fill, record


@dataclass(frozen=True, slots=True)
class CodedWords:
    """`vocabulary` None is one word for each 50 tokens."""

    alpha: float = 2.0
    letters: int = 6
    vocabulary: int | None = None


class ReferenceCodedWords:
    """Draws samples one after the other from a state."""

    def __init__(self, run: Run, parameters: CodedWords) -> None:
        self.run, self.parameters = run, parameters
        self._limit = run.limit - (run.max_tokens if run.profile == "head" else 0)
        self._vocabulary = parameters.vocabulary or self._limit // 50
        self._step = self._limit // 32
        self._mark = run.language.template("fwe", run.profile).answer_prefix[:10]

    def prepare(self, state: State) -> int:
        """How many words fit, found with a first vocabulary."""
        vocabulary = self._words(state)
        size = self._limit // self.parameters.letters
        while self.run.count(self._text(vocabulary, size)[0]) < self._limit:
            size += self._step
        return size - self._step

    def draw(self, state: State, size: int, index: int) -> Record:
        """The next sample."""
        vocabulary = self._words(state)
        text, span = self._text(vocabulary, size)
        while (tokens := self.run.count(text)) > self._limit:
            size -= self._step
            if size <= 0:
                raise TooSmall(tokens + self.run.max_tokens)
            text, span = self._text(vocabulary, size)
        return record(Made(text, vocabulary[1:4], span), self._mark, tokens + self.run.max_tokens, index)

    def _words(self, state: State) -> list[str]:
        def word() -> str:
            return "".join(state.random.choices(string.ascii_lowercase, k=self.parameters.letters))

        words = [word() for _ in range(self._vocabulary)]
        different = set(words)
        while len(different) < self._vocabulary:
            different.add(word())
        words = sorted(different)
        self.run.fixed().shuffle(words)
        words[0] = "..."
        return words

    def _text(self, vocabulary: list[str], size: int) -> tuple[str, tuple[int, int]]:
        alpha = self.parameters.alpha
        ranks = np.arange(1, len(vocabulary) + 1)
        counts = (size * (ranks**-alpha) / zeta(alpha)).astype(int)
        words = [word for word, count in zip(vocabulary, counts.tolist(), strict=True) for _ in range(count)]
        self.run.fixed().shuffle(words)
        return fill(self.run.template("fwe"), " ".join(words), query="")
