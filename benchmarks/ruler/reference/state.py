"""The reference's random state: Python's generator, numpy's legacy one, and the settings of a run."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.base import JsonDict
from benchmarks.ruler.languages import Language


@dataclass(frozen=True, slots=True)
class Run:
    """One data set of the reference: a task at a length. `count` gives exact tokens; `limit` is its max_seq_length."""

    language: Language
    profile: str
    model_template: str
    limit: int
    max_tokens: int
    seed: int
    count: Callable[[str], int]

    def template(self, family: str) -> str:
        """What the reference calls the template: chat template around the task's, then the answer prefix."""
        task = self.language.template(family, self.profile)
        return self.model_template.replace("{task_template}", task.template) + task.answer_prefix

    def fixed(self) -> random.Random:
        """The fresh generator of the same seed that the reference makes for every shuffle."""
        return random.Random(self.seed)


class State:
    """Both generators, seeded once a run."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numpy = np.random.RandomState(seed)

    def save(self) -> tuple[Any, ...]:
        """Compact: numpy's form of the 624 words."""
        version, words, gauss = self.random.getstate()
        return (version, np.array(words, dtype=np.uint32), gauss, self.numpy.get_state())

    def restore(self, saved: tuple[Any, ...]) -> None:
        version, words, gauss, legacy = saved
        self.random.setstate((version, tuple(words.tolist()), gauss))
        self.numpy.set_state(legacy)


@dataclass(frozen=True, slots=True)
class Made:
    """A generated prompt: the whole text with the answer prefix, what is expected, and where the context stands."""

    text: str
    outputs: list[str]
    context: tuple[int, int]
    needles: list[JsonDict] = field(default_factory=list)


def fill(template: str, context: str, **fields: object) -> tuple[str, tuple[int, int]]:
    """`template.format(context=context, **fields)`, and the characters at which the context starts and stops."""
    before, _, after = template.partition("{context}")
    head = before.format(**fields)
    return head + context + after.format(**fields), (len(head), len(head) + len(context))


@dataclass(frozen=True, slots=True)
class Record:
    """A line of the reference's data set.

    `input` and `answer_prefix` are apart in both profiles; the reference's files of profile `paper` hold them joined
    in `input`. `token_position_answer` is written for NIAH in profile `head` only.
    """

    input: str
    answer_prefix: str
    outputs: list[str]
    length: int
    index: int
    context: tuple[int, int]
    token_position_answer: int | None = None
    needles: list[JsonDict] = field(default_factory=list)


def record(made: Made, mark: str, length: int, index: int) -> Record:
    """Cut the answer prefix off at the last `mark`, as the reference does."""
    cut = made.text.rfind(mark)
    return Record(made.text[:cut], made.text[cut:], made.outputs, length, index, made.context, None, made.needles)
