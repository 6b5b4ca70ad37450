"""Common words extraction (RULER, arXiv:2404.06654, section 3.3), in the independent stream.

Prompts are filled to within one word (with its repetitions). As in the reference, prompts below 4096 tokens repeat
words less often and have a smaller worked example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.ruler.fitting import Costs, Draft, Meter, TooSmall
from benchmarks.ruler.frames import Frame, wrap
from benchmarks.ruler.streams import Draws, Indices
from benchmarks.tokenizers import Cut


@dataclass(frozen=True, slots=True)
class WordsParameters:
    """How often common and uncommon words are listed, how many are common, and worked examples with the size of
    their lists (words, repetitions of common and uncommon ones)."""

    common_repeats: int
    uncommon_repeats: int
    common: int
    examples: int
    example: tuple[int, int, int]


class Common:
    """Builds drafts of one cwe cell. Holds tables only, so threads may share it."""

    def __init__(self, frame: Frame, parameters: WordsParameters, meter: Meter, words: Sequence[str]) -> None:
        self.frame, self.parameters, self.meter, self.words = frame, parameters, meter, words
        self._template = frame.language.template("cwe", frame.profile)
        self._wrapping = wrap(frame, self._template, query="", num_cw=parameters.common)
        self.exact = meter.exact(Cut.SPACE, Cut.LINE) and self._wrapping.separable("\n")
        self._costs = meter.kept(Cut.SPACE, [" " + word for word in words])
        self._ended: dict[tuple[int, str], int] = {}
        self._texts = np.array(words, dtype=object)
        self._numbers, self._number_costs = self._count_numbers(self._most())
        each = self._costs.max() + self._number_costs[-1] - self._number_costs[-2]
        self._unit = int(parameters.uncommon_repeats * each)
        self._first = meter.line("1.") - meter.space(" 1.") if self._wrapping.head.endswith("\n") else 0
        self._rest = meter.end(self._wrapping.ending.lstrip("\n"))
        self._outer, _, _ = frame.model_template.partition("{task_template}")
        plain = replace(frame, model_template="{task_template}")
        self._plain = wrap(plain, self._template, query="", num_cw=parameters.common)
        self._heads = [
            meter.line(_counted(head)) for head in (self._plain.head, self._wrapping.head[len(self._outer) :])
        ]
        self._plain_rest = meter.end(self._plain.ending.lstrip("\n"))

    def build(self, draws: Draws, budget: int, index: int = 0) -> Draft:
        """The draft that fills `budget` tokens. Raises TooSmall, and OptionsError when the words run out."""
        p, wrapping, outer = self.parameters, self._wrapping, self._outer
        examples = [self._example(draws) for _ in range(p.examples)]
        wrapping = replace(
            wrapping, head="".join([outer, *(text for text, _ in examples), wrapping.head[len(outer) :]])
        )
        order = draws.permutation(len(self.words))
        fixed = self._start([tokens for _, tokens in examples]) + self._rest + self._first
        sums = self._sums(order)
        size = int(np.searchsorted(sums, budget - fixed, side="right"))
        least = p.common + 10
        while True:
            if size < least:
                raise TooSmall(fixed + int(sums[least - 1]) + 4)
            listed = self._listed(draws, order[:size])
            tokens = fixed + int(sums[size - 1]) + self._ending(int(listed[-1]), wrapping.ending)
            if tokens <= budget:
                break
            size -= 1
        context = self._text(listed)
        expected = tuple(self.words[i] for i in order[: p.common].tolist())
        detail = {"different_words": size, "listed": len(listed)}
        return Draft(wrapping.prompt(context), expected, tokens, self._unit, detail)

    def _most(self) -> int:
        """No list of the cell is longer: a number, its point and a word are two tokens at least."""
        p, words = self.parameters, len(self.words)
        size, common, uncommon = p.example
        possible = p.common * p.common_repeats + words * p.uncommon_repeats
        return max(min(max(self.frame.budget // 2, 1000), possible), size * max(common, uncommon))

    def _count_numbers(self, most: int) -> tuple[list[str], Costs]:
        """`1.`, `2.`, … and the tokens of the first so many of them."""
        numbers = [f"{number}." for number in range(1, most + 1)]
        digits = range(1, len(str(most)) + 1)
        if all(self.meter.fixed_numbers(size) for size in digits):
            each = self.meter.spaces([f" {10 ** (size - 1)}." for size in digits])
            counts = np.repeat(each, [min(most, 10**size - 1) - 10 ** (size - 1) + 1 for size in digits])
        else:
            counts = self.meter.kept(Cut.SPACE, [" " + number for number in numbers])
        return numbers, np.concatenate([[0], np.cumsum(counts)])

    def _sums(self, order: Indices) -> Costs:
        """Tokens of the list made of the first word, of the first two, …"""
        p = self.parameters
        repeats = np.full(len(order), p.uncommon_repeats, dtype=np.int64)
        repeats[: p.common] = p.common_repeats
        length = np.cumsum(repeats)
        length = length[: int(np.searchsorted(length, len(self._numbers), side="right"))]
        sums: Costs = np.cumsum(self._costs[order] * repeats)[: len(length)] + self._number_costs[length]
        return sums

    def _listed(self, draws: Draws, chosen: Indices) -> Indices:
        """Every word as often as it is listed, in random order."""
        p = self.parameters
        listed = np.concatenate(
            [np.tile(chosen[: p.common], p.common_repeats), np.tile(chosen[p.common :], p.uncommon_repeats)]
        )
        shuffled: Indices = listed[draws.permutation(len(listed))]
        return shuffled

    def _text(self, listed: Indices) -> str:
        pieces = np.empty(2 * len(listed), dtype=object)
        pieces[0::2] = self._numbers[: len(listed)]
        pieces[1::2] = self._texts[listed]
        return " ".join(pieces.tolist())

    def _ending(self, word: int, ending: str) -> int:
        """What the newlines with which `ending` begins add to the word before them."""
        newlines = ending[: len(ending) - len(ending.lstrip("\n"))]
        if (word, newlines) not in self._ended:
            added = self.meter.space(" " + self.words[word] + newlines) - int(self._costs[word])
            self._ended[word, newlines] = added
        return self._ended[word, newlines]

    def _start(self, examples: Sequence[int]) -> int:
        """Tokens before the list: worked examples of so many tokens after their heads, and the heads."""
        if not examples:
            return self.meter.start(_counted(self._wrapping.head))
        plain, own = self._heads
        first = self.meter.start(self._outer + _counted(self._plain.head))
        return first + (len(examples) - 1) * plain + sum(examples) + own

    def _example(self, draws: Draws) -> tuple[str, int]:
        """A worked example with its answer, in the plain template, and its tokens after the template's head."""
        size, common, uncommon = self.parameters.example
        chosen = draws.sample(len(self.words), min(size, len(self.words)))
        answer, others = chosen[: self.parameters.common], chosen[self.parameters.common :]
        listed = draws.shuffled(answer * common + others * uncommon)
        head, ending = self._plain.head, self._plain.ending
        text = head + self._numbered(listed) + ending + " " + self._numbered(answer) + "\n"
        tokens = self._first + self._ending(listed[-1], ending) + self._plain_rest + self._ending(answer[-1], "\n")
        for words in (listed, answer):
            tokens += int(self._costs[words].sum() + self._number_costs[len(words)])
        return text, tokens

    def _numbered(self, words: Sequence[int]) -> str:
        return " ".join([f"{number}. {self.words[word]}" for number, word in enumerate(words, 1)])


def _counted(head: str) -> str:
    """A head as it is counted: a space at its end belongs to the first word."""
    return head if head.endswith("\n") else head.rstrip(" ")


def different_words(parameters: WordsParameters, budget: int, tokens_each: float) -> int:
    """About how many different words a budget takes, when a listed word with its number takes so many tokens."""
    listed = budget / tokens_each - parameters.common * parameters.common_repeats
    return parameters.common + max(0, int(listed / parameters.uncommon_repeats))
