"""Variable tracking as the reference draws it (variable_tracking.py)."""

from __future__ import annotations

import string
from dataclasses import dataclass, replace

from benchmarks.ruler.reference.search import binary_search, linear_search, until_it_fits
from benchmarks.ruler.reference.state import Made, Record, Run, State, fill, record

_EXAMPLE_LIMIT, _EXAMPLE_STEP, _EXAMPLE_VALUE = 500, 5, "12345"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What `prepare` found: the size, the worked example and its tokens."""

    size: int
    example: str
    example_tokens: int


class ReferenceTracking:
    """Draws samples one after the other from a state."""

    def __init__(self, run: Run, chains: int, hops: int) -> None:
        self.run, self.chains, self.hops = run, chains, hops
        self._head = run.profile == "head"
        self._step = 10 if run.limit >= 4096 or not self._head else 5
        self._begin = run.language.template("vt", run.profile).template[:20]
        self._mark = run.language.template("vt", run.profile).answer_prefix[:10]

    def prepare(self, state: State) -> Prepared:
        """Draw the worked example, then find the size."""
        run = replace(self.run, limit=_EXAMPLE_LIMIT, model_template="{task_template}")
        if self._head:
            run = replace(run, max_tokens=0)
        size = self._search(run, state, _EXAMPLE_STEP, 0, example=True)
        made = self._fitting(run, state, size, _EXAMPLE_STEP, 0, example=True)[1]
        example = made.text + " " + " ".join(made.outputs) + ("\n" if self._head else "\n\n")
        tokens = run.count(example)
        return Prepared(self._search(self.run, state, self._step, tokens, example=False), example, tokens)

    def draw(self, state: State, prepared: Prepared, index: int) -> Record:
        """The next sample."""
        run = self.run
        if not self._head:
            length, made = self._fitting(run, state, prepared.size, self._step, prepared.example_tokens, example=False)
            made = self._insert(made, self._other_names(state, prepared.example) + "\n\n")
            return record(made, self._mark, length, index)

        def make(used: int) -> tuple[int, Made]:
            made = self._make(run, state, used, example=False)
            made = self._insert(made, self._other_names(state, prepared.example) + "\n")
            return run.count(made.text) + run.max_tokens, made

        length, drawn = until_it_fits(make, prepared.size, run.limit, self._step)
        assert isinstance(drawn, Made)
        return record(drawn, self._mark, length, index)

    def _search(self, run: Run, state: State, step: int, extra: int, example: bool) -> int:
        def cost(size: int) -> int:
            return run.count(self._drawn(run, state, size, example).text) + extra + run.max_tokens

        if self._head:
            first = run.count(self._drawn(run, state, step, example).text)
            return binary_search(cost, first, run.limit, step)

        def paper_cost(size: int) -> int:
            made = self._drawn(run, state, size, example)
            return run.count(f"{made.text} {made.outputs}") + extra + run.max_tokens

        return linear_search(paper_cost, run.limit, step, extra + run.max_tokens, lambda _: None)

    def _drawn(self, run: Run, state: State, size: int, example: bool) -> Made:
        """A probe of the search. The reference dies of a name drawn twice here; this draws again."""
        while True:
            try:
                return self._make(run, state, size, example)
            except IndexError:
                continue

    def _fitting(self, run: Run, state: State, size: int, step: int, extra: int, example: bool) -> tuple[int, Made]:
        def make(used: int) -> tuple[int, Made]:
            made = self._make(run, state, used, example)
            return run.count(made.text) + run.max_tokens + extra, made

        length, made = until_it_fits(make, size, run.limit, step)
        assert isinstance(made, Made)
        return length, made

    def _chains(self, state: State, example: bool) -> tuple[list[list[str]], list[list[str]]]:
        letters, hops = (3, min(10, self.hops)) if example else (5, self.hops)
        wanted = (hops + 1) * self.chains
        names = ["".join(state.random.choices(string.ascii_uppercase, k=letters)) for _ in range(wanted)]
        while len(set(names)) < wanted:
            names.append("".join(state.random.choices(string.ascii_uppercase, k=letters)))
        groups, chains = [], []
        for start in range(0, len(names), hops + 1):
            group = names[start : start + hops + 1]
            fixed = example and self._head
            value = _EXAMPLE_VALUE if fixed else str(state.numpy.randint(10000, 99999))
            chain = [f"VAR {group[0]} = {value}"]
            chain += [f"VAR {group[j + 1]} = VAR {group[j]} " for j in range(hops)]
            groups.append(group)
            chains.append(chain)
        return groups, chains

    def _make(self, run: Run, state: State, size: int, example: bool) -> Made:
        groups, chains = self._chains(state, example)
        value = chains[0][0].split("=")[-1].strip()
        lines = [run.language.noise + ("" if self._head else "\n")] * size
        if not self._head and len(lines) <= len(chains[0]):
            parts = [part for line in lines for part in line.split(".")]
            lines = [part + "." if part.strip() else part for part in parts]
            if len(lines) <= len(chains[0]):
                chains = [chain[: len(lines) - 1] for chain in chains]
        for chain in chains:
            places = sorted(state.random.sample(range(len(lines)), len(chain)))
            for moved, (place, statement) in enumerate(zip(places, chain, strict=True)):
                lines.insert(place + moved, statement)
        context = ("\n" if self._head else " ").join(lines).replace(". \n", ".\n")
        text, span = fill(run.template("vt"), context, query=value, num_v=self.hops + 1)
        return Made(text, groups[0], span)

    def _insert(self, made: Made, example: str) -> Made:
        """The worked example between chat template and task."""
        cut, (start, stop) = made.text.index(self._begin), made.context
        text = made.text[:cut] + example + made.text[cut:]
        return replace(made, text=text, context=(start + len(example), stop + len(example)))

    def _other_names(self, state: State, example: str) -> str:
        """The worked example with other names (and, in `head`, another value), one replacement after the other."""
        if self._head:
            names = example.strip().split()[-(min(10, self.hops) + 1) :]
        else:
            tail = self.run.language.template("vt", self.run.profile).answer_prefix[-10:]
            names = example[example.index(tail) + 10 :].strip().split()
        for name in names:
            example = example.replace(name, "".join(state.random.choices(string.ascii_uppercase, k=len(name))))
        return example.replace(_EXAMPLE_VALUE, str(state.numpy.randint(10000, 99999))) if self._head else example
