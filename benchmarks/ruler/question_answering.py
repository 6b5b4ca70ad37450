"""Question answering over documents (RULER, arXiv:2404.06654, section 3.4), in the independent stream.

Sample i asks question i of the file, from the first again when they run out. A prompt holds the documents with the
answer, then those given with the question, those of the same article and others drawn at random, as many as fit, in
random order. Deviations from the reference: where not all given documents fit, those with the answer still do;
prompts are filled to within a document; documents are repeated only when all are in.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.errors import OptionsError
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.counting import DocumentCounter
from benchmarks.ruler.documents import Documents, Question
from benchmarks.ruler.fitting import Costs, Draft, Meter, TooSmall
from benchmarks.ruler.frames import Frame, wrap
from benchmarks.ruler.streams import Draws
from benchmarks.tokenizers import Cut

_JOINT = "\n\n"
_SAVED_AFTER = 128  # new counts
_WORDS = 200_000  # remembered while documents are counted: about 30 MB


class DocumentCosts:
    """Tokens of each document with the blank line after it, counted when first needed and kept on disk."""

    def __init__(self, documents: Documents, meter: Meter, cache: Cache, name: str) -> None:
        self._documents, self._cache = documents, cache
        self._key = ("document-costs", 1, name, meter.identity)
        stored = cache.load(self._key)
        self._counter = DocumentCounter(meter, _JOINT, _WORDS)
        total = len(documents.texts)
        self._costs: Costs = stored["costs"] if stored else np.full(total, -1, dtype=np.int64)
        self._unsaved, self._lock = 0, threading.Lock()

    def of(self, numbers: Costs) -> Costs:
        """Tokens of the documents of these numbers."""
        costs = self._costs[numbers]
        if (costs < 0).any():
            self._count(np.unique(numbers[costs < 0]))
            costs = self._costs[numbers]
        return costs

    def average(self) -> float:
        """Tokens a document, from up to 64 of them."""
        total = len(self._costs)
        return float(self.of(np.arange(0, total, max(1, total // 64))).mean())

    def _count(self, missing: Costs) -> None:
        texts = [text_of(self._documents, number) for number in missing.tolist()]
        counts = self._counter.count(texts)
        with self._lock:
            self._costs[missing] = counts
            self._unsaved += len(missing)
            known = int((self._costs >= 0).sum())
            if self._unsaved >= _SAVED_AFTER or known == len(self._costs):
                self._cache.save(self._key, {"costs": self._costs.copy()})
                self._unsaved = 0


def text_of(documents: Documents, number: int) -> str:
    """A document without white space around it."""
    return documents.texts[number].strip()


@dataclass(slots=True)
class _Labels:
    """`Document 1:`, `Document 2:`, … and the tokens of the first so many."""

    template: str
    texts: list[str] = field(default_factory=list)
    sums: Costs = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    def extend(self, count: int, meter: Meter) -> None:
        if count > len(self.texts):
            more = [self.template.replace("{i}", str(i)) for i in range(len(self.texts) + 1, count + 101)]
            self.sums = np.concatenate([self.sums, self.sums[-1] + np.cumsum(meter.lines(more))])
            self.texts = self.texts + more


class Answering:
    """Builds drafts of one qa cell. Holds tables only, so threads may share it."""

    def __init__(
        self, frame: Frame, exactly: int | None, meter: Meter, documents: Documents, costs: DocumentCosts
    ) -> None:
        self.frame, self.meter, self.documents, self.costs = frame, meter, documents, costs
        self._exactly = exactly
        self._template = frame.language.template("qa", frame.profile)
        label, _, after = frame.language.document.partition("{document}")
        self._after = after
        wrapping = wrap(frame, self._template, query="x")
        letters = label[:1].isalpha() and wrapping.ending.lstrip("\n")[:1].isalpha()
        separable = wrapping.separable(_JOINT) and label.endswith("\n") and not after and letters
        self.exact = meter.exact(Cut.LINE, Cut.BLANK) and separable
        self._labels, self._lock = _Labels(label), threading.Lock()

    def build(self, draws: Draws, budget: int, index: int) -> Draft:
        """The draft of question `index` that fills `budget` tokens. Raises TooSmall."""
        question = self.documents.question(index % self.documents.questions)
        wrapping = wrap(self.frame, self._template, query=question.query)
        fixed = self.meter.start(wrapping.head) + self.meter.end(wrapping.ending.lstrip("\n"))
        needed = len(question.gold)
        wanted = self._exactly or 1 + needed + int((budget - fixed) / self.costs.average())
        while True:
            numbers = self._candidates(draws, question, max(wanted, needed))
            self._labels_for(len(numbers))
            sums = np.cumsum(self.costs.of(numbers)) + self._labels.sums[1 : len(numbers) + 1]
            if sums[-1] + fixed > budget or self._exactly:
                break
            wanted += wanted // 4 + 8
        size = int(np.searchsorted(sums, budget - fixed, side="right"))
        if self._exactly:
            needed = max(needed, self._exactly)
        if size < needed:
            raise TooSmall(fixed + int(sums[needed - 1]))
        size = min(size, self._exactly or size)
        tokens = fixed + int(sums[size - 1])
        unit = int(sums[min(size, len(sums) - 1)] - sums[size - 1]) or int(self.costs.average())
        return self._draft(draws, question, numbers[:size], tokens, unit, index)

    def largest_first(self, size: int) -> Sequence[int]:
        """The first `size` samples by the bytes of the question and its documents with the answer; a sample that asks
        a question again is left out. Tokens are at most as many as bytes, and seldom fewer than an eighth."""
        if self._exactly:  # what else is in is drawn
            return range(size)
        asked = [self.documents.question(index) for index in range(min(size, self.documents.questions))]
        sizes = self.documents.texts.sizes
        weights = [len(question.query.encode()) + int(sizes[question.gold].sum()) for question in asked]
        return sorted(range(len(asked)), key=weights.__getitem__, reverse=True)

    def _draft(self, draws: Draws, question: Question, numbers: Costs, tokens: int, unit: int, index: int) -> Draft:
        order = numbers[draws.permutation(len(numbers))].tolist()
        pieces, spans, at, labels = [], [], 0, self._labels.texts
        for label, number in zip(labels, order, strict=False):
            piece = label + text_of(self.documents, number) + self._after
            spans.append((at, at + len(piece)))
            at += len(piece) + len(_JOINT)
            pieces.append(piece)
        wrapping = wrap(self.frame, self._template, query=question.query)
        gold = set(question.gold)
        places = [place for place, number in enumerate(order) if number in gold]
        detail = {
            "question": index % self.documents.questions,
            "documents": len(order),
            "answer_documents": [place + 1 for place in places],
            "depths": [round(100 * place / max(1, len(order) - 1), 2) for place in places],
        }
        expected = tuple(dict.fromkeys(question.outputs))
        return Draft(wrapping.prompt(_JOINT.join(pieces), tuple(spans)), expected, tokens, unit, detail)

    def _candidates(self, draws: Draws, question: Question, count: int) -> Costs:
        """Numbers of at least `count` documents, the most needed first; repeated only when all are in."""
        given = [number for number in question.context if number not in question.gold]
        first = list(dict.fromkeys([*question.gold, *draws.shuffled(given), *draws.shuffled(question.more)]))
        chosen, total = np.array(first, dtype=np.int64), len(self.documents.texts)
        while len(chosen) < count:
            if (count - len(chosen)) * 3 < total - len(chosen) and len(chosen) < total:
                drawn = np.array(draws.sample(total, count - len(chosen) + len(first)), dtype=np.int64)
            else:
                drawn = draws.permutation(total)
            if len(chosen) < total:
                drawn = drawn[~np.isin(drawn, chosen)]
            chosen = np.concatenate([chosen, drawn])
        return chosen

    def _labels_for(self, count: int) -> None:
        with self._lock:
            self._labels.extend(count, self.meter)


def check_documents(wanted: int | None, documents: Documents) -> None:
    """Raise OptionsError when more documents are asked for than there are."""
    if wanted is not None and wanted > len(documents.texts):
        raise OptionsError("documents", wanted, f"the data set has only {len(documents.texts)} different documents")
