"""Needles in a haystack (RULER, arXiv:2404.06654, section 3.1), in the independent stream.

Deviations from the reference, which its own stream keeps (`benchmarks.ruler.reference`): prompts are filled to within
a word or a line, keys and values never repeat within a prompt, distractors never hold a key that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.base import JsonDict
from benchmarks.ruler.fitting import Costs, Draft, Meter
from benchmarks.ruler.frames import Frame, Wrapping, wrap
from benchmarks.ruler.haystacks import Essays
from benchmarks.ruler.languages import Language, Template
from benchmarks.ruler.placing import MIN_LINES, Placed, fixed_tokens, in_essays, in_lines, in_noise
from benchmarks.ruler.streams import Draws
from benchmarks.ruler.tasks import DEPTHS
from benchmarks.ruler.words import Kind, distinct
from benchmarks.tokenizers import Cut


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
        self.exact = meter.exact(*cuts) and sample.separable("\n") and (essays is None or essays.exact)
        self._noise = meter.line(language.noise + "\n")

    def build(self, draws: Draws, budget: int, index: int = 0) -> Draft:
        """The draft that fills `budget` tokens. Raises TooSmall."""
        needles = self._needles(draws)
        meter, wrapping, texts = self.meter, needles.wrapping, needles.texts
        if self.essays is not None:
            depths = self._depths(draws, len(texts))

            def places(count: int) -> list[int]:
                return [int(count * depth / 100) for depth in depths]

            placed = in_essays(meter, wrapping, self.essays, texts, budget, places)
            return self._draft(needles, placed, depths, 8, "haystack_words")

        def drawn(count: int) -> list[int]:
            if self.parameters.depth is not None:
                return [int(count * self.parameters.depth / 100)] * len(texts)
            return sorted(draws.sample(count, len(texts)))

        if self.parameters.haystack == "needle":
            lines, costs = self._distractor_lines(needles, draws, budget)
            placed = in_lines(meter, wrapping, lines, costs, texts, budget, drawn)
            unit = int(costs.max())
        else:
            placed = in_noise(meter, wrapping, self.frame.language.noise, self._noise, texts, budget, drawn)
            unit = self._noise
        depths = [100 * place / placed.of for place in placed.places]
        return self._draft(needles, placed, depths, unit, "haystack_lines")

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

    def _distractor_lines(self, needles: Needles, draws: Draws, budget: int) -> tuple[list[str], Costs]:
        """Lines with other keys and values, enough for the budget, and their tokens. Raises OptionsError when there are
        not so many different keys and values."""
        alike = self.parameters.key_kind == self.parameters.value_kind
        room = budget - fixed_tokens(self.meter, needles.wrapping, needles.texts)
        least = max(MIN_LINES, len(needles.texts))
        most = self._most_lines(alike, needles)
        size = min(max(least, 16 + int(1.02 * room / self._distractors.average(self))), max(least, most))
        while True:
            keys, key_texts = distinct(draws, self.key_kind, size, needles.keys + (needles.value_of if alike else []))
            taken = needles.value_of + (needles.keys + key_texts if alike else [])
            values, value_texts = distinct(draws, self.value_kind, size, taken)
            costs = self._distractors.costs(self, keys, key_texts, values, value_texts)
            if costs.sum() > room:
                return self._distractors.texts(key_texts, value_texts), costs
            grown = size + 16 + size // 4
            size = min(grown, most) if size < most else grown

    def _most_lines(self, alike: bool, needles: Needles) -> int:
        """How many lines there can be whose keys and values are all different, from the needles' as well."""
        keys, values = len(needles.keys), len(needles.value_of)
        if alike:
            return (self.key_kind.size - keys - values) // 2
        return min(self.key_kind.size - keys, self.value_kind.size - values)

    def _depths(self, draws: Draws, count: int) -> list[float]:
        if self.parameters.depth is not None:
            return [self.parameters.depth] * count
        return sorted(float(DEPTHS[i]) for i in draws.sample(len(DEPTHS), count))

    def _draft(self, needles: Needles, placed: Placed, depths: Sequence[float], unit: int, measure: str) -> Draft:
        prompt = needles.wrapping.prompt(placed.context)
        start, asked = len(needles.wrapping.head), set(needles.expected)
        found: list[JsonDict] = [
            {"key": key, "value": value, "depth": round(depth, 2), "offset": start + offset, "asked": value in asked}
            for key, value, depth, offset in zip(needles.key_of, needles.value_of, depths, placed.offsets, strict=True)
        ]
        detail = {"needles": found, measure: placed.size}
        if self.exact:
            detail["token_position_answer"] = self._answer_position(needles, placed, needles.expected[0])
        return Draft(prompt, needles.expected, placed.tokens, unit, detail)

    def _answer_position(self, needles: Needles, placed: Placed, value: str) -> int:
        """Tokens of the prompt before the first expected value, as the reference counts them."""
        number = needles.value_of.index(value)
        text = needles.texts[number]
        begun = text[: text.index(value)]
        after_line = self.essays is None or (placed.offsets[number] == 0 and needles.wrapping.head.endswith("\n"))
        return placed.before[number] + (self.meter.line(begun) if after_line else self.meter.space(" " + begun))


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
