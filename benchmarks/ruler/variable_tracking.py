"""Variable tracking (RULER, arXiv:2404.06654, section 3.2), in the independent stream.

Deviations from the reference: names and values never repeat within a prompt, each prompt's worked example is drawn
anew, and prompts are filled to within a line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.base import JsonDict
from benchmarks.ruler.fitting import Draft, Meter
from benchmarks.ruler.frames import Frame, Wrapping, wrap
from benchmarks.ruler.haystacks import Essays
from benchmarks.ruler.placing import in_essays, in_noise
from benchmarks.ruler.streams import Draws
from benchmarks.tokenizers import Cut

_EXAMPLE_TOKENS = 500  # the reference's size of a worked example
_EXAMPLE_HOPS = 10


@dataclass(frozen=True, slots=True)
class TrackingParameters:
    """`chains` of assignments, each with `hops` after the first; the first chain is asked for."""

    chains: int
    hops: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Names in the order of assignment, and the value they all have."""

    names: list[str]
    value: str

    def statements(self) -> list[str]:
        first = f"VAR {self.names[0]} = {self.value}"
        return [first, *(f"VAR {b} = VAR {a}" for a, b in zip(self.names, self.names[1:], strict=False))]


class Tracking:
    """Builds drafts of one vt cell. Holds tables only, so threads may share it."""

    def __init__(self, frame: Frame, parameters: TrackingParameters, meter: Meter, essays: Essays | None) -> None:
        self.frame, self.parameters, self.meter, self.essays = frame, parameters, meter, essays
        self._template = frame.language.template("vt", frame.profile)
        self._noise = meter.line(frame.language.noise + "\n")
        cuts = (Cut.SPACE, Cut.LINE, Cut.BLANK) if essays else (Cut.LINE, Cut.BLANK)
        first = essays.text if essays else frame.language.noise
        separable = wrap(frame, self._template, query="1", num_v=1).separable("\n")
        self.exact = meter.exact(*cuts) and separable and first[:1].isalpha() and (essays is None or essays.exact)
        limit = _EXAMPLE_TOKENS if frame.budget >= 4 * _EXAMPLE_TOKENS else frame.budget // 4
        self._example_lines = self._size_example(limit)

    def build(self, draws: Draws, budget: int, index: int = 0) -> Draft:
        """The draft that fills `budget` tokens. Raises TooSmall."""
        p, chains = self.parameters, self._chains(draws, self.parameters.chains, self.parameters.hops, 5)
        outer, _, _ = self.frame.model_template.partition("{task_template}")
        taken = {name for chain in chains for name in chain.names}
        example, tokens = self._example(draws, self._example_lines, taken, outer)
        wrapping = wrap(self.frame, self._template, query=chains[0].value, num_v=p.hops + 1)
        head = wrapping.head[len(outer) :]
        wrapping = replace(wrapping, head=outer + example + head, head_tokens=tokens + self.meter.line(head))
        texts, owners = self._interleaved(draws, [chain.statements() for chain in chains])
        if self.essays is not None:
            texts = [text + "." for text in texts]
            drawn = draws.many(1 << 32, len(texts))

            def between(count: int) -> list[int]:
                return sorted(int(value * count) >> 32 for value in drawn.tolist())

            placed = in_essays(self.meter, wrapping, self.essays, texts, budget, between)
        else:
            noise = self.frame.language.noise
            placed = in_noise(
                self.meter, wrapping, noise, self._noise, texts, budget, lambda n: sorted(draws.sample(n, len(texts)))
            )
        needles: list[JsonDict] = [
            {
                "text": text,
                "chain": owner,
                "depth": round(100 * place / placed.of, 2),
                "offset": len(wrapping.head) + at,
            }
            for text, owner, place, at in zip(texts, owners, placed.places, placed.offsets, strict=True)
        ]
        measure = "haystack_words" if self.essays else "haystack_lines"
        detail = {"needles": needles, measure: placed.size}
        return Draft(wrapping.prompt(placed.context), tuple(chains[0].names), placed.tokens, self._noise, detail)

    def _chains(
        self, draws: Draws, count: int, hops: int, letters: int, taken: frozenset[str] | set[str] = frozenset()
    ) -> list[Chain]:
        """Chains with names and values that are all different."""
        names: dict[str, None] = {}
        while len(names) < count * (hops + 1):
            drawn = draws.words("A", count * (hops + 1), letters)
            names.update((name, None) for name in drawn if name not in taken and name != "VAR")
        values = draws.sample(90_000, count)
        each, drawn = hops + 1, list(names)[: count * (hops + 1)]
        return [Chain(drawn[i * each : (i + 1) * each], str(10_000 + value)) for i, value in enumerate(values)]

    def _interleaved(self, draws: Draws, chains: list[list[str]]) -> tuple[list[str], list[int]]:
        """Statements of all chains in random order, those of a chain in theirs; with the number of each one's chain."""
        owners = [number for number, chain in enumerate(chains) for _ in chain]
        if len(chains) > 1:
            owners = draws.shuffled(owners)
        rest = [iter(chain) for chain in chains]
        return [next(rest[owner]) for owner in owners], owners

    def _example(self, draws: Draws, lines: int, taken: set[str], outer: str) -> tuple[str, int]:
        """A worked example with its answer and a blank line, in the plain template, and its tokens after `outer`."""
        hops = min(_EXAMPLE_HOPS, self.parameters.hops)
        (chain,) = self._chains(draws, 1, hops, 3, taken)
        statements = chain.statements()
        context = [self.frame.language.noise] * lines
        for moved, place in enumerate(sorted(draws.sample(lines, len(statements)))):
            context.insert(place + moved, statements[moved])
        plain = replace(self.frame, model_template="{task_template}")
        wrapping: Wrapping = wrap(plain, self._template, query=chain.value, num_v=hops + 1)
        rest = wrapping.tail + wrapping.prefix.rstrip(" ") + " " + " ".join(chain.names) + "\n\n"
        tokens = self.meter.start(outer + wrapping.head) + lines * self._noise
        tokens += sum(self.meter.lines([*(text + "\n" for text in statements), rest.removeprefix("\n")]).tolist())
        return wrapping.head + "\n".join(context) + rest, tokens

    def _size_example(self, limit: int) -> int:
        """Lines of noise in the worked example: as many as `limit` tokens hold, at least one a statement."""
        least = min(_EXAMPLE_HOPS, self.parameters.hops) + 1
        _, smallest = self._example(Draws("example"), least, set(), "")
        return least + max(0, (limit - smallest) // self._noise)
