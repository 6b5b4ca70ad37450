"""Essays as a haystack: words, sentences and token counts of a corpus, repeated as often as a prompt needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import sentences
from benchmarks.errors import InvalidAsset
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.fitting import Costs, Meter
from benchmarks.tokenizers import Cut

_VERSION = 3  # of the cached files
_WINDOW = 2000  # words checked at once


@dataclass(frozen=True, slots=True, eq=False)
class Essays:
    """A corpus with white space collapsed, endlessly repeated.

    `starts[i]` is the character at which word i begins, `spans[i]` are the characters from which to which sentence i
    goes, `breaks` the words with which sentences begin, `costs[i]` the tokens that the first i words add, each after
    a space; `first` what the first word adds at the start of a line. `exact` says that these sums are the counts.
    """

    text: str
    starts: Costs
    spans: Costs
    breaks: Costs
    costs: Costs
    first: int
    exact: bool

    @property
    def words(self) -> int:
        return len(self.starts)

    def cost(self, words: int) -> int:
        """Tokens of the first `words` words, each after a space."""
        rounds, rest = divmod(words, self.words)
        return rounds * int(self.costs[-1]) + int(self.costs[rest])

    def within(self, tokens: int) -> int:
        """How many words at most stay within that many tokens."""
        rounds, rest = divmod(max(tokens, 0), int(self.costs[-1]))
        return rounds * self.words + int(np.searchsorted(self.costs, rest, side="right")) - 1

    def sentences(self, words: int) -> int:
        """Sentences in the first `words` words, an unfinished last one counted."""
        rounds, rest = divmod(words, self.words)
        return rounds * len(self.breaks) + int(np.searchsorted(self.breaks, rest, side="left"))

    def sentence_start(self, sentence: int) -> int:
        """The word with which a sentence begins."""
        rounds, rest = divmod(sentence, len(self.breaks))
        return rounds * self.words + int(self.breaks[rest])

    def slice(self, start: int, stop: int) -> str:
        """Words start to stop - 1, joined by spaces."""
        parts = []
        while start < stop:
            rounds, first = divmod(start, self.words)
            last = min(stop - rounds * self.words, self.words)
            end = int(self.starts[last]) - 1 if last < self.words else len(self.text)
            parts.append(self.text[int(self.starts[first]) : end])
            start = rounds * self.words + last
        return " ".join(parts)


def collapse(text: str) -> str:
    """White space runs become one space, as the reference reads its essays."""
    return re.sub(r"\s+", " ", text)


def load_essays(text: str, sha256: str, splitter: str, meter: Meter, cache: Cache) -> Essays:
    """Essays from a corpus text. Sentence split and counts are cached by hash. Raises InvalidAsset for an empty text."""
    text = collapse(text).strip(" ")
    if not text:
        raise InvalidAsset("essays", "the corpus holds no words")
    layout = cache.arrays(("essays", _VERSION, sha256, splitter), lambda: _layout(text, splitter))
    identity = meter.identity
    counts = cache.arrays(("essay-costs", _VERSION, sha256, identity), lambda: _costs(text, meter))
    return Essays(text, layout["starts"], layout["spans"], layout["breaks"], counts["costs"], int(counts["first"][0]),
                  bool(counts["exact"][0]))  # fmt: skip


def _layout(text: str, splitter: str) -> dict[str, Costs]:
    words = text.split(" ")
    starts = np.array(list(accumulate((len(word) + 1 for word in words), initial=0))[:-1])
    spans, at = [], 0
    for sentence in sentences.split(text, splitter):
        at = text.index(sentence, at)
        spans.append((at, at + len(sentence)))
        at += len(sentence)
    # Punkt also ends sentences within a word, as in `good.[2]`; needles go between words only.
    firsts = np.array([start for start, _ in spans])
    words_of = np.searchsorted(starts, firsts, side="right") - 1
    return {"starts": starts, "spans": np.array(spans), "breaks": words_of[starts[words_of] == firsts]}


def _costs(text: str, meter: Meter) -> dict[str, NDArray[Any]]:
    """Each different word is counted once; that their sums are the counts of the text is checked all along it."""
    words = text.split(" ")
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(word, len(numbers)) for word in words])
    each = meter.spaces([" " + word for word in numbers])
    costs = np.concatenate([[0], np.cumsum(each[codes])])
    windows = [(at, min(at + _WINDOW, len(words))) for at in range(0, len(words), _WINDOW)]
    exact = meter.exact(Cut.SPACE) and all(
        meter.space(" " + " ".join(words[start:stop])) == costs[stop] - costs[start] for start, stop in windows
    )
    return {"costs": costs, "first": np.array([meter.line(words[0])]), "exact": np.array([exact])}
