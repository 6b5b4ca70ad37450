"""NIAH as the reference draws it (niah.py)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.ruler.niah import NiahParameters
from benchmarks.ruler.reference.essays import ReferenceEssays
from benchmarks.ruler.reference.search import binary_search, linear_search, until_it_fits
from benchmarks.ruler.reference.state import Made, Record, Run, State, fill, record
from benchmarks.ruler.tasks import DEPTHS


class ReferenceNiah:
    """Draws samples one after the other from a state."""

    def __init__(
        self, run: Run, parameters: NiahParameters, words: Sequence[str], essays: ReferenceEssays | None
    ) -> None:
        self.run, self.parameters, self.words, self.essays = run, parameters, words, essays
        self._label = run.language.label(parameters.value_kind)
        template = run.template("niah")
        prefix = run.language.template("niah", run.profile).answer_prefix
        self._asked = self._label
        if parameters.queries * parameters.values == 1:
            template, prefix = run.language.singularise(template), run.language.singularise(prefix)
            self._asked = run.language.label(parameters.value_kind, 1)
        self._template, self._mark = template, prefix.format(type_needle_v=self._asked, query="")[:10]
        self._step = 500 if essays is not None else 25 if run.limit >= 4096 else 5

    def prepare(self, state: State) -> int:
        """Find the size, drawing as the reference does."""
        run = self.run

        def cost(size: int) -> int:
            return run.count(self._make(state, size).text) + run.max_tokens

        if run.profile == "head":
            first = run.count(self._make(state, self._step).text)
            return binary_search(cost, first, run.limit, self._step)

        def paper_cost(size: int) -> int:
            made = self._make(state, size)
            return run.count(made.text + " ".join(made.outputs)) + run.max_tokens

        return linear_search(paper_cost, run.limit, self._step, run.max_tokens, self._cap)

    def draw(self, state: State, size: int, index: int) -> Record:
        """The next sample."""
        run = self.run

        def make(used: int) -> tuple[int, Made]:
            made = self._make(state, used)
            return run.count(made.text) + run.max_tokens, made

        length, made = until_it_fits(make, size, run.limit, self._step)
        assert isinstance(made, Made)
        found = record(made, self._mark, length, index)
        if run.profile == "paper":
            return found
        position = found.input.find(made.outputs[0])
        return replace(found, index=position, token_position_answer=run.count(found.input[:position]))

    def _cap(self, size: int) -> int | None:
        return self.essays.words if self.essays is not None and size > self.essays.words else None

    def _make(self, state: State, size: int) -> Made:
        p = self.parameters
        keys: list[str] = []
        values: list[list[str]] = []
        needles: list[tuple[str, str, str]] = []
        for _ in range(p.keys):
            keys.append(self._item(state, p.key_kind))
            values.append([])
            for _ in range(p.values):
                value = self._item(state, p.value_kind)
                values[-1].append(value)
                needles.append((self._needle(keys[-1], value), keys[-1], value))
        self.run.fixed().shuffle(needles)
        put = self._in_essay if self.essays is not None else self._in_lines
        context, depths = put(state, size, [text for text, _, _ in needles])
        asked = state.random.sample(range(p.keys), p.queries)
        query = self.run.language.join([keys[i] for i in asked])
        text, span = fill(self._template, context, type_needle_v=self._asked, query=query)
        outputs = [value for i in asked for value in values[i]]
        found = [
            {"key": key, "value": value, "depth": depth, "offset": text.find(needle), "asked": value in outputs}
            for (needle, key, value), depth in zip(needles, depths, strict=True)
        ]
        return Made(text, outputs, span, found)

    def _item(self, state: State, kind: str) -> str:
        if kind == "numbers":
            return str(state.random.randint(10**6, 10**7 - 1))
        if kind == "words":
            return state.random.choice(self.words)
        return str(uuid.UUID(int=state.random.getrandbits(128), version=4))

    def _needle(self, key: str, value: str) -> str:
        return self.run.language.needle.format(type_needle_v=self._label, key=key, value=value)

    def _in_essay(self, state: State, size: int, needles: list[str]) -> tuple[str, list[float]]:
        assert self.essays is not None
        sentences = self.essays.sentences(size, repeat=self.run.profile == "head")
        depths = sorted(state.random.sample(DEPTHS, len(needles)))
        places = [int(len(sentences) * (depth / 100)) for depth in depths]
        pieces, at = [], 0
        for place, needle in zip(places, needles, strict=True):
            pieces += [" ".join(sentences[at:place]), needle]
            at = place
        return " ".join([*pieces, " ".join(sentences[at:])]), [float(depth) for depth in depths]

    def _in_lines(self, state: State, size: int, needles: list[str]) -> tuple[str, list[float]]:
        if self.parameters.haystack == "noise":
            lines = [self.run.language.noise] * size
        else:
            p = self.parameters
            lines = [self._needle(self._item(state, p.key_kind), self._item(state, p.value_kind)) for _ in range(size)]
        places = sorted(state.random.sample(range(size), len(needles)), reverse=True)
        for place, needle in zip(places, needles, strict=True):
            lines.insert(place, needle)
        return "\n".join(lines), [round(100 * place / size, 2) for place in places]
