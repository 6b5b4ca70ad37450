"""Languages of RULER: one TOML file each, with the wording, the labels and where words come from.

`docs/ruler.md` describes the format; `fathom languages check FILE` validates a file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from benchmarks.errors import InvalidAsset, OptionsError
from benchmarks.ruler.languages.schema import LanguageFile, PaperWording, Wording, Words, WordTable
from benchmarks.ruler.languages.words import WordList, load_words

WordRole = Literal["first", "second", "list"]
FAMILIES = ("niah", "vt", "cwe", "fwe", "qa")


@dataclass(frozen=True, slots=True)
class Template:
    """What one family of tasks asks, with its placeholders, and the answer prefix (which starts with a space)."""

    template: str
    answer_prefix: str


@dataclass(frozen=True, slots=True)
class WordSource:
    """Where words come from and which of them are taken. `limit` keeps the first (most frequent) ones.

    `words` are given in the file itself and come before those of the sources.
    """

    sources: tuple[str, ...] = ()
    min_length: int = 1
    max_length: int = 1000
    limit: int | None = None
    exclude: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Language:
    """A language as its TOML file says.

    `niah_one` is the wording when one value is asked for: a template of its own, or `replacements` made, in order, in
    the whole template, or neither (then the plural serves).
    """

    code: str
    name: str
    version: str
    reviewed: bool
    source: str
    splitter: str
    normalise: Literal["lower", "nfkc-casefold"]
    joiner: str
    last_joiner: str
    noise: str
    needle: str
    document: str
    labels: Mapping[str, str]
    labels_one: Mapping[str, str]
    niah: Template
    niah_one: Template | None
    replacements: tuple[tuple[str, str], ...]
    vt: Template
    cwe: Template
    fwe: Template
    qa: Template
    word_sources: Mapping[str, WordSource]
    paper: Mapping[str, Template] = field(default_factory=dict)

    def template(self, family: str, profile: str = "head") -> Template:
        """The wording of a family of tasks in a profile."""
        if profile == "paper" and family in self.paper:
            return self.paper[family]
        template: Template = getattr(self, family)
        return template

    def niah_template(self, count: int) -> Template:
        """The NIAH wording when `count` values are asked for; `singularise` still applies when `count` is 1."""
        return self.niah_one if count == 1 and self.niah_one else self.niah

    def singularise(self, text: str) -> str:
        """The reference's way to the singular: replacements in the whole template (none in most languages)."""
        for old, new in self.replacements:
            text = text.replace(old, new)
        return text

    def label(self, kind: str, count: int = 2) -> str:
        """What values of a kind are called in the prompt; `count` values are asked for. Needles use the plural."""
        return (self.labels_one if count == 1 else self.labels)[kind]

    def join(self, items: Sequence[str]) -> str:
        """Items as a list in a sentence: `a`, `a, and b`, `a, b, and c`."""
        if len(items) < 2:
            return "".join(items)
        return self.joiner.join(items[:-1]) + self.last_joiner + items[-1]

    def describe(self) -> dict[str, str]:
        """What a result says of it; `normalise` is how its answers are compared."""
        return {"code": self.code, "version": self.version, "normalise": self.normalise}

    def words(self, role: WordRole) -> WordList:
        """Words for key pairs (`first`, `second`) or for the lists of cwe (`list`), with name and SHA-256."""
        return load_words(self.word_sources[role])


def names() -> list[str]:
    """Codes of the languages that come with the package, sorted."""
    folder = files("benchmarks.ruler.languages")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


@cache
def load(code: str) -> Language:
    """A language of the package by code; raises OptionsError that lists those there are."""
    return from_dict(tomllib.loads(text_of(code)))


def text_of(code: str) -> str:
    """The file of a language of the package; raises OptionsError that lists those there are."""
    if code not in names():
        raise OptionsError("language", code, f"no such language; there are: {', '.join(names())}")
    return (files("benchmarks.ruler.languages") / f"{code}.toml").read_text(encoding="utf-8")


def opened(code: str, given: Mapping[str, Path]) -> Language:
    """A language of the package, else of the file given for the role `language`.

    Raises OptionsError when there is neither, InvalidAsset when the file is not in order (see `check`).
    """
    if code in names() or "language" not in given:
        return load(code)
    from benchmarks.ruler.languages import check  # it imports this module

    data, found = check.read(given["language"])
    found = found or check.problems(data)
    if found:
        raise InvalidAsset("language", "; ".join(f"{problem.place}: {problem.message}" for problem in found))
    if data["code"] != code:
        raise InvalidAsset("language", f"is of language {data['code']!r}, and {code!r} is wanted")
    return from_dict(data)


def from_dict(data: Mapping[str, Any]) -> Language:
    """A language from the content of its TOML file; raises pydantic's ValidationError when it is not in the format."""
    file = LanguageFile.model_validate(data)
    one = file.niah_one
    fields: dict[str, Any] = {key: getattr(file, key) for key in _PLAIN}
    wordings: dict[str, Wording] = {family: getattr(file, family) for family in FAMILIES}
    fields |= {family: Template(wording.template, wording.answer_prefix) for family, wording in wordings.items()}
    return Language(
        **fields,
        labels=file.labels.model_dump(),
        labels_one=(file.labels_one or file.labels).model_dump(),
        niah_one=Template(one.template, one.answer_prefix) if one.template and one.answer_prefix else None,
        replacements=tuple((old, new) for old, new in one.replace),
        word_sources={
            role: _word_source(getattr(file.words, role), file.words) for role in ("first", "second", "list")
        },
        paper={family: _paper(wording) for family, wording in wordings.items() if wording.paper},
    )


_PLAIN = (
    "code", "name", "version", "reviewed", "source", "splitter", "normalise", "joiner", "last_joiner", "noise",
    "needle", "document",
)  # fmt: skip


def _paper(wording: Wording) -> Template:
    changed = wording.paper or PaperWording()
    return Template(changed.template or wording.template, changed.answer_prefix or wording.answer_prefix)


def _word_source(table: WordTable, defaults: Words) -> WordSource:
    return WordSource(
        sources=tuple(table.sources),
        words=tuple(table.words),
        min_length=table.min_length or defaults.min_length,
        max_length=table.max_length or defaults.max_length,
        limit=table.limit,
        exclude=defaults.exclude,
    )
