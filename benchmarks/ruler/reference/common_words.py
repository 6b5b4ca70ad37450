"""Common words as the reference draws them (common_words_extraction.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.ruler.reference.search import linear_search, until_it_fits
from benchmarks.ruler.reference.state import Made, Record, Run, State, fill, record

_STEP = 10


@dataclass(frozen=True, slots=True)
class CommonWords:
    """How often common and other words are repeated, and how many common ones there are."""

    common_repeats: int = 30
    uncommon_repeats: int = 3
    common: int = 10


class ReferenceCommonWords:
    """Draws samples one after the other. `words` are the shuffled short list, `more` gives the long one."""

    def __init__(
        self, run: Run, words: Sequence[str], parameters: CommonWords, more: Callable[[], Sequence[str]]
    ) -> None:
        self.run, self.parameters, self._more = run, parameters, more
        self._words = sorted(set(words))
        run.fixed().shuffle(self._words)
        self._example = (20, 3, 1) if run.limit < 4096 else (40, 10, 3)
        self._repeats = (6, 1) if run.limit < 4096 else (parameters.common_repeats, parameters.uncommon_repeats)
        self._mark = run.language.template("cwe", run.profile).answer_prefix[:10]

    def prepare(self, state: State) -> int:
        """Find the number of words."""
        run = self.run
        if run.profile == "paper":

            def paper_cost(size: int) -> int:
                made = self._make(state, size)
                return run.count(made.text + " " + _numbered(made.outputs)) + run.max_tokens

            return linear_search(paper_cost, run.limit, _STEP, run.max_tokens, self._cap)
        each = run.count(self._make(state, 4096).text) / 4096
        low, high, best = _STEP, max(int(run.limit // each) * 2, _STEP * 2), None
        while low <= high:
            middle = (low + high) // 2
            if run.count(self._make(state, middle).text) + run.max_tokens <= run.limit:
                best, low = middle, middle + 1
            else:
                high = middle - 1
        return best if best is not None else _STEP

    def draw(self, state: State, size: int, index: int) -> Record:
        """The next sample."""
        run = self.run

        def make(used: int) -> tuple[int, Made]:
            made = self._make(state, used)
            return run.count(made.text) + run.max_tokens, made

        length, made = until_it_fits(make, size, run.limit, _STEP)
        assert isinstance(made, Made)
        return record(made, self._mark, length, index)

    def _cap(self, size: int) -> int | None:
        return len(self._words) if size + _STEP > len(self._words) else None

    def _make(self, state: State, size: int) -> Made:
        example, answers = self._list(state, *self._example)
        context, outputs = self._list(state, size, *self._repeats)
        template = self.run.template("cwe")
        num = self.parameters.common
        joint = " " if self.run.profile == "head" else ""
        before = template.format(context=example, query="", num_cw=num) + joint + _numbered(answers) + "\n"
        text, (start, stop) = fill(template, context, query="", num_cw=num)
        return Made(before + text, outputs, (len(before) + start, len(before) + stop))

    def _list(self, state: State, size: int, common_repeats: int, uncommon_repeats: int) -> tuple[str, list[str]]:
        words = self._words
        if self.run.profile == "head" and size > len(words):
            chosen = state.random.sample(self._more(), size)
        else:
            chosen = state.random.sample(words, size)
        common, uncommon = chosen[: self.parameters.common], chosen[self.parameters.common :]
        listed = common * common_repeats + uncommon * uncommon_repeats
        self.run.fixed().shuffle(listed)
        return _numbered(listed), common


def _numbered(words: Sequence[str]) -> str:
    return " ".join([f"{number}. {word}" for number, word in enumerate(words, 1)])
