"""Needles in a haystack (RULER, arXiv:2404.06654, section 3.1), in the independent stream.

Deviations from the reference, which its own stream keeps (`benchmarks.ruler.reference`): prompts are filled to within
a word or a line, keys and values never repeat within a prompt, distractors never hold a key that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.base import JsonDict
from benchmarks.ruler.fitting import Costs, Draft, Meter, TooSmall
from benchmarks.ruler.frames import Frame, Wrapping, wrap
from benchmarks.ruler.haystacks import Essays
from benchmarks.ruler.languages import Language, Template
from benchmarks.ruler.streams import Draws
from benchmarks.ruler.tasks import DEPTHS
from benchmarks.ruler.words import Kind, distinct
from benchmarks.tokenizers import Cut

MIN_LINES, MIN_WORDS = 5, 50


@dataclass(frozen=True, slots=True)
class NiahParameters:
    """What is hidden in what. `depth` in percent puts all needles there; None draws places as the reference does."""

    haystack: str
    key_kind: str
    value_kind: str
    keys: int
    values: int
    queries: int
    depth: float | None = None


@dataclass(frozen=True, slots=True)
class Needles:
    """Needles in the order in which they come in the text, what is asked, and what surrounds the context.

    `key_of` and `value_of` give each needle's key and value.
    """

    texts: list[str]
    key_of: list[str]
    value_of: list[str]
    expected: tuple[str, ...]
    wrapping: Wrapping
    keys: list[str]


class Niah:
    """Builds drafts of one NIAH cell. Holds tables only, so threads may share it."""

    def __init__(
        self, frame: Frame, parameters: NiahParameters, meter: Meter, kinds: tuple[Kind, Kind], essays: Essays | None
    ) -> None:
        self.frame, self.parameters, self.meter, self.essays = frame, parameters, meter, essays
        self.key_kind, self.value_kind = kinds
        language, one = frame.language, parameters.queries * parameters.values == 1
        self._label = language.label(parameters.value_kind)
        self._asked = language.label(parameters.value_kind, 1 if one else 2)
        template = language.niah_template(1 if one else 2)
        self._template = _singular(language, template) if one else template
        self._needle = language.needle.replace("{type_needle_v}", self._label)
        self._distractors = LineCosts(self._needle)
        sample = wrap(frame, self._template, type_needle_v=self._asked, query="x")
        cuts = (Cut.SPACE, Cut.LINE) if essays else (Cut.LINE,)
        self.exact = meter.exact(*cuts) and sample.separable("\n")
        self._noise = meter.line(language.noise + "\n")

    def build(self, draws: Draws, budget: int) -> Draft:
        """The draft that fills `budget` tokens. Raises TooSmall."""
        needles = self._needles(draws)
        if self.essays is not None:
            return self._in_essays(needles, draws, budget, self.essays)
        if self.parameters.haystack == "needle":
            return self._in_distractors(needles, draws, budget)
        return self._in_noise(needles, draws, budget)

    def _needles(self, draws: Draws) -> Needles:
        p, language = self.parameters, self.frame.language
        _, keys = distinct(draws, self.key_kind, p.keys)
        _, values = distinct(draws, self.value_kind, p.keys * p.values, keys)
        texts = [self._fill(keys[i // p.values], value) for i, value in enumerate(values)]
        order = draws.sample(len(texts), len(texts))
        asked = draws.sample(p.keys, p.queries)
        query = language.join([keys[i] for i in asked])
        return Needles(
            texts=[texts[i] for i in order],
            key_of=[keys[i // p.values] for i in order],
            value_of=[values[i] for i in order],
            expected=tuple(v for i in asked for v in values[i * p.values : (i + 1) * p.values]),
            wrapping=wrap(self.frame, self._template, type_needle_v=self._asked, query=query),
            keys=keys,
        )

    def _fill(self, key: str, value: str) -> str:
        return self._needle.replace("{key}", key).replace("{value}", value)

    def _in_noise(self, needles: Needles, draws: Draws, budget: int) -> Draft:
        noise, added = self.frame.language.noise, self._added(needles)
        fixed = self.meter.start(needles.wrapping.head) + sum(added)
        size = (budget - fixed) // self._noise
        least = max(MIN_LINES, len(needles.texts))
        if size < least:
            raise TooSmall(fixed + least * self._noise)
        places = self._places(draws, len(needles.texts), size)
        return self._lines([noise] * size, needles, places, fixed + size * self._noise, self._noise)

    def _in_distractors(self, needles: Needles, draws: Draws, budget: int) -> Draft:
        fixed = self.meter.start(needles.wrapping.head) + sum(self._added(needles))
        least = max(MIN_LINES, len(needles.texts))
        guess = max(least, 16 + int(1.02 * (budget - fixed) / self._distractors.average(self)))
        while True:
            keys, key_texts = distinct(draws, self.key_kind, guess, needles.keys)
            taken = needles.value_of if self.value_kind is not self.key_kind else needles.value_of + key_texts
            values, value_texts = distinct(draws, self.value_kind, guess, taken)
            costs = self._distractors.costs(self, keys, key_texts, values, value_texts)
            sums = np.cumsum(costs)
            if sums[-1] > budget - fixed:
                break
            guess += 16 + guess // 4
        size = int(np.searchsorted(sums, budget - fixed, side="right"))
        if size < least:
            raise TooSmall(fixed + int(sums[least - 1]))
        lines = self._distractors.texts(key_texts[:size], value_texts[:size])
        places = self._places(draws, len(needles.texts), size)
        return self._lines(lines, needles, places, fixed + int(sums[size - 1]), int(costs.max()))

    def _added(self, needles: Needles) -> list[int]:
        """Tokens that the needles as lines and the text after the context add."""
        rest = needles.wrapping.ending.removeprefix("\n")
        if len(needles.texts) == 1:  # one call: cuts between lines are as good within a text
            return [self.meter.line(needles.texts[0] + "\n" + rest)]
        return [int(n) for n in self.meter.lines([*(text + "\n" for text in needles.texts), rest])]

    def _places(self, draws: Draws, count: int, size: int) -> list[int]:
        """Before which of `size` lines each needle goes, ascending."""
        if self.parameters.depth is not None:
            return [int(size * self.parameters.depth / 100)] * count
        return sorted(draws.sample(size, count))

    def _lines(self, lines: list[str], needles: Needles, places: Sequence[int], tokens: int, unit: int) -> Draft:
        total = len(lines)
        for place, text in zip(reversed(places), reversed(needles.texts), strict=True):
            lines.insert(place, text)
        context = "\n".join(lines)
        depths = [100 * place / total for place in places]
        return self._draft(context, needles, depths, tokens, unit, {"haystack_lines": total})

    def _in_essays(self, needles: Needles, draws: Draws, budget: int, essays: Essays) -> Draft:
        depths = self._depths(draws, len(needles.texts))
        lead = needles.wrapping.head
        start = self.meter.start(lead if lead.endswith("\n") else lead.rstrip(" "))
        added = [int(n) for n in self.meter.spaces([" " + text for text in needles.texts])]
        known = start + sum(added) + self.meter.line(needles.wrapping.ending.lstrip("\n"))
        size = essays.within(budget - known) + 2
        while True:
            if size < MIN_WORDS:
                raise TooSmall(known + essays.cost(MIN_WORDS) + 8)
            places = [int(essays.sentences(size) * depth / 100) for depth in depths]
            tokens = known + essays.cost(size) + self._seams(needles, essays, places, size)
            if tokens <= budget:
                break
            size -= 1
        pieces, at = [], 0
        for place, text in zip(places, needles.texts, strict=True):
            stop = essays.sentence_start(place) if place < essays.sentences(size) else size
            if stop > at:
                pieces.append(essays.slice(at, stop))
            pieces.append(text)
            at = max(at, stop)
        if size > at:
            pieces.append(essays.slice(at, size))
        return self._draft(" ".join(pieces), needles, depths, tokens, 8, {"haystack_words": size})

    def _seams(self, needles: Needles, essays: Essays, places: list[int], size: int) -> int:
        """What changes because the first piece stands after a newline and the last one before newlines."""
        ending = needles.wrapping.ending
        newlines = ending[: len(ending) - len(ending.lstrip("\n"))]
        last = needles.texts[-1] if places[-1] >= essays.sentences(size) else essays.slice(size - 1, size)
        seams = [f" {last}{newlines}", f" {last}"]
        first = needles.texts[0] if places[0] == 0 else essays.slice(0, 1)
        after = self.meter.spaces([*seams, f" {first}"])
        change = int(after[0] - after[1])
        if needles.wrapping.head.endswith("\n"):
            change += self.meter.line(first) - int(after[2])
        return change

    def _depths(self, draws: Draws, count: int) -> list[float]:
        if self.parameters.depth is not None:
            return [self.parameters.depth] * count
        return sorted(float(DEPTHS[i]) for i in draws.sample(len(DEPTHS), count))

    def _draft(
        self, context: str, needles: Needles, depths: Sequence[float], tokens: int, unit: int, detail: JsonDict
    ) -> Draft:
        prompt = needles.wrapping.prompt(context)
        head = len(needles.wrapping.head)
        found, at = [], 0
        asked = set(needles.expected)
        for text, key, value, depth in zip(needles.texts, needles.key_of, needles.value_of, depths, strict=True):
            at = context.index(text, at)
            found.append({"key": key, "value": value, "depth": round(depth, 2), "offset": head + at,
                          "asked": value in asked})  # fmt: skip
            at += len(text)
        return Draft(prompt, needles.expected, tokens, unit, {"needles": found, **detail})


class LineCosts:
    """Token counts of many needles with other keys and values, from tables where the needle's text allows it."""

    def __init__(self, needle: str) -> None:
        self._needle = needle
        self._average: float | None = None
        before, _, after = needle.partition("{key}")
        middle, _, end = after.partition("{value}")
        self._parts = (before, middle, end)
        glue, space, rest = middle.partition(" ")
        self._glue, self._middle = glue, space + rest
        tabled = before.endswith(" ") and middle.endswith(" ") and before.strip() != "" and "{" not in before
        self._tabled = tabled and self._middle.strip() != ""

    def texts(self, keys: Sequence[str], values: Sequence[str]) -> list[str]:
        if not self._tabled:
            pairs = zip(keys, values, strict=True)
            return [self._needle.replace("{key}", k).replace("{value}", v) for k, v in pairs]
        before, middle, end = self._parts
        return [f"{before}{key}{middle}{value}{end}" for key, value in zip(keys, values, strict=True)]

    def costs(
        self, niah: Niah, keys: Costs, key_texts: Sequence[str], values: Costs, value_texts: Sequence[str]
    ) -> Costs:
        """Tokens that each line, newline included, adds."""
        if not self._tabled or not niah.meter.exact(Cut.SPACE, Cut.LINE):
            return niah.meter.lines([text + "\n" for text in self.texts(key_texts, value_texts)])
        before, _, end = self._parts
        constant = niah.meter.line(before.rstrip(" ")) + niah.meter.space(self._middle.rstrip(" "))
        total: Costs = (
            niah.key_kind.costs(niah.meter, keys, key_texts, self._glue)
            + niah.value_kind.costs(niah.meter, values, value_texts, end + "\n")
            + constant
        )
        return total

    def average(self, niah: Niah) -> float:
        """Tokens a line adds on average, from 64 lines that are always the same."""
        if self._average is None:
            draws = Draws("average")
            keys, key_texts = distinct(draws, niah.key_kind, 64)
            values, value_texts = distinct(draws, niah.value_kind, 64)
            self._average = float(self.costs(niah, keys, key_texts, values, value_texts).mean())
        return self._average


def _singular(language: Language, template: Template) -> Template:
    return Template(language.singularise(template.template), language.singularise(template.answer_prefix))
