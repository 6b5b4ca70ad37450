"""What stands around the context of a prompt: task template, chat template, answer prefix."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.base import Prompt
from benchmarks.ruler.languages import Language, Template


@dataclass(frozen=True, slots=True)
class Frame:
    """What all samples of a cell share: wording and budget. `budget` counts prompt tokens, answer prefix included."""

    language: Language
    profile: str
    model_template: str
    budget: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Wrapping:
    """Text before the context, text after it to the end of the user's turn, and the answer prefix.

    `question` is how many characters of `tail` belong to the task (the rest is the chat template's), `head_tokens`
    the tokens of `head` where they are known.
    """

    head: str
    tail: str
    prefix: str
    question: int
    head_tokens: int | None = None

    @property
    def ending(self) -> str:
        """All that follows the context."""
        return self.tail + self.prefix

    def separable(self, joint: str) -> bool:
        """True when the head ends at a cut and the ending starts with `joint` (newlines) and a visible character."""
        rest = self.ending[len(joint) :]
        return self.head[-1:] in ("\n", " ") and self.ending.startswith(joint) and rest[:1].strip() != ""

    def prompt(self, context: str, independent: tuple[tuple[int, int], ...] = ()) -> Prompt:
        """The prompt around a context; `independent` are spans of the context."""
        start, stop = len(self.head), len(self.head) + len(context)
        lead = len(self.tail) - len(self.tail.lstrip("\n"))
        return Prompt(
            input=self.head + context + self.tail,
            answer_prefix=self.prefix,
            context=(start, stop),
            question=(stop + lead, stop + self.question),
            independent=tuple((start + a, start + b) for a, b in independent),
        )


def wrap(frame: Frame, template: Template, **fields: str | int) -> Wrapping:
    """Fill in everything but the context."""
    before, _, after = template.template.partition("{context}")
    outer, _, outer_end = frame.model_template.partition("{task_template}")
    question = after.format(**fields)
    prefix = template.answer_prefix.format(**fields)
    return Wrapping(outer + before.format(**fields), question + outer_end, prefix, len(question))
