"""Validates a language file: everything that is wrong with it, in plain lines, before anyone runs it."""

from __future__ import annotations

import string
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import punkt

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.languages import FAMILIES, Language, from_dict
from benchmarks.ruler.tasks import DEPTHS

_TEXTS = (
    "code",
    "name",
    "version",
    "source",
    "splitter",
    "normalise",
    "joiner",
    "last_joiner",
    "noise",
    "needle",
    "document",
)
_KINDS = ("numbers", "words", "uuids")
_TABLES = ("labels", "labels_one", "niah", "niah_one", "vt", "cwe", "fwe", "qa", "words")
_WORD_KEYS = ("first", "second", "list", "min_length", "max_length", "exclude")
_SOURCES = ("wonderwords", "wordfreq")

# Placeholders by place: those that must be there, and those that may be.
_PLACEHOLDERS: dict[str, tuple[set[str], set[str]]] = {
    "needle": ({"key", "value"}, {"type_needle_v"}),
    "document": ({"i", "document"}, set()),
    "niah.template": ({"context", "query"}, {"type_needle_v"}),
    "niah.answer_prefix": (set(), {"type_needle_v", "query"}),
    "niah_one.template": ({"context", "query"}, {"type_needle_v"}),
    "niah_one.answer_prefix": (set(), {"type_needle_v", "query"}),
    "vt.template": ({"context", "query"}, {"num_v"}),
    "vt.answer_prefix": (set(), {"num_v", "query"}),
    "cwe.template": ({"context"}, {"num_cw"}),
    "cwe.answer_prefix": (set(), {"num_cw"}),
    "fwe.template": ({"context"}, set()),
    "fwe.answer_prefix": (set(), set()),
    "qa.template": ({"context", "query"}, set()),
    "qa.answer_prefix": (set(), {"query"}),
}

LEAST_KEYS = 100 * len(DEPTHS)
"""Key pairs wanted, so that a key drawn twice for one prompt is a rare thing."""
LEAST_LIST = 1000
"""Words wanted for cwe: a 16,384-token sample with the default frequencies lists about so many."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: the dotted place in the file, and what would be right."""

    place: str
    message: str


def read(path: Path) -> tuple[dict[str, Any], list[Problem]]:
    """The file's content, or why it can't be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except (OSError, UnicodeDecodeError) as error:
        return {}, [Problem("file", f"can't be read: {error}")]
    except tomllib.TOMLDecodeError as error:
        return {}, [Problem("file", f"is not TOML: {error}")]


def problems(data: Mapping[str, Any]) -> list[Problem]:
    """All that is wrong with the content of a language file."""
    found = [*_structure(data), *_templates(data), *_meanings(data)]
    return found or list(_words(from_dict(data)))


def _structure(data: Mapping[str, Any]) -> Iterator[Problem]:
    for key in _TEXTS:
        if not isinstance(data.get(key), str) or not data[key]:
            yield Problem(key, "missing, or not a text")
    if not isinstance(data.get("reviewed"), bool):
        yield Problem("reviewed", "missing: true when a native speaker has read it, else false")
    for key in data:
        if key not in (*_TEXTS, *_TABLES, "reviewed"):
            yield Problem(key, f"unknown; there are: {', '.join((*_TEXTS, 'reviewed', *_TABLES))}")
    for table in ("labels", "labels_one"):
        labels = data.get(table, {} if table == "labels" else dict.fromkeys(_KINDS, "-"))
        for kind in _KINDS:
            if not isinstance(labels, Mapping) or not isinstance(labels.get(kind), str) or not labels[kind]:
                yield Problem(f"{table}.{kind}", "missing: what values of that kind are called")
    for family in FAMILIES:
        for part in ("template", "answer_prefix"):
            table = data.get(family, {})
            if not isinstance(table, Mapping) or not isinstance(table.get(part), str):
                yield Problem(f"{family}.{part}", "missing, or not a text")
    yield from _word_structure(data.get("words"))


def _word_structure(words: Any) -> Iterator[Problem]:
    if not isinstance(words, Mapping):
        yield Problem("words", "missing: a table with `first`, `second` (key pairs) and `list` (cwe)")
        return
    for key in words:
        if key not in _WORD_KEYS:
            yield Problem(f"words.{key}", f"unknown; there are: {', '.join(_WORD_KEYS)}")
    for role in ("first", "second", "list"):
        value = words.get(role)
        table = value if isinstance(value, Mapping) else {"sources": value}
        sources, own = table.get("sources", []), table.get("words", [])
        if not _texts(sources) or not _texts(own) or not (sources or own):
            yield Problem(
                f"words.{role}", "missing: a list of sources, or a table with `sources` or `words` (lists of texts)"
            )
            continue
        for source in map(str, sources or ()):
            kind, _, rest = source.partition(":")
            if kind not in _SOURCES or not rest:
                yield Problem(
                    f"words.{role}",
                    f"unknown source {source!r}; write wordfreq:LANGUAGE or wonderwords:LIST",
                )


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _templates(data: Mapping[str, Any]) -> Iterator[Problem]:
    for place, (needed, allowed) in _PLACEHOLDERS.items():
        text = _at(data, place)
        if not isinstance(text, str):
            continue
        try:
            names = Counter(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)
        except ValueError as error:
            yield Problem(place, f"braces do not pair up ({error}); write {{{{ for a brace")
            continue
        for name in sorted(needed - set(names)):
            yield Problem(place, f"placeholder {{{name}}} is missing")
        for name in sorted(set(names) - needed - allowed):
            known = ", ".join(f"{{{n}}}" for n in sorted(needed | allowed)) or "none"
            yield Problem(place, f"placeholder {{{name}}} is unknown here; there are: {known}")
        if names["context"] > 1:
            yield Problem(place, "placeholder {context} is there more than once: the context would be too")
        if place.endswith("answer_prefix") and not text.startswith(" "):
            yield Problem(place, "must start with a space: it follows the question")


def _meanings(data: Mapping[str, Any]) -> Iterator[Problem]:
    splitter, normalise = data.get("splitter"), data.get("normalise")
    if isinstance(splitter, str) and splitter not in punkt.available_languages():
        yield Problem("splitter", f"unknown {splitter!r}; there are: {', '.join(sorted(punkt.available_languages()))}")
    if isinstance(normalise, str) and normalise not in ("lower", "nfkc-casefold"):
        yield Problem("normalise", f"unknown {normalise!r}; there are: lower, nfkc-casefold")
    labels = data.get("labels")
    if isinstance(labels, Mapping) and len({str(v) for v in labels.values()}) < len(labels):
        yield Problem("labels", "two kinds of values have the same name")
    for place in ("noise", "needle"):
        text = _at(data, place)
        if isinstance(text, str) and "\n" in text:
            yield Problem(place, "must be one line: haystacks are made of lines")
    noise = data.get("noise")
    if isinstance(noise, str) and any(character.isdecimal() for character in noise):
        yield Problem("noise", "holds a number, which could pass for a value")
    replace = _at(data, "niah_one.replace")
    if replace is not None and not (isinstance(replace, list) and all(_pair(item) for item in replace)):
        yield Problem("niah_one.replace", "must be a list of pairs of texts: [[old, new], …]")


def _pair(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item)


def _words(language: Language) -> Iterator[Problem]:
    try:
        first, second, listed = (language.words(role).words for role in ("first", "second", "list"))
    except InvalidAsset as error:
        yield Problem("words", error.message)
        return
    pairs = len(first) * len(second)
    if pairs < LEAST_KEYS:
        yield Problem(
            "words", f"{len(first)} x {len(second)} words make {pairs} keys; at least {LEAST_KEYS} are needed"
        )
    if len(listed) < LEAST_LIST:
        yield Problem("words.list", f"holds {len(listed)} words; cwe needs at least {LEAST_LIST}")
    for role, words in (("first", first), ("second", second), ("list", listed)):
        source = language.word_sources[role]
        twice = _twice(source.words)
        if twice:
            yield Problem(f"words.{role}", f"holds {len(twice)} words twice: {', '.join(twice[:5])}")
        own = source.words or not all(s.startswith("wonderwords:") for s in source.sources)
        collisions = _collisions(words) if own else []
        if collisions:
            shown = "; ".join(" = ".join(group) for group in collisions[:3])
            yield Problem(f"words.{role}", f"{len(collisions)} words collide when compared (NFKC, casefold): {shown}")


def _twice(words: Iterable[str]) -> list[str]:
    counts = Counter(word.strip().lower() for word in words if word.strip())
    return sorted(word for word, count in counts.items() if count > 1)


def _collisions(words: tuple[str, ...]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(unicodedata.normalize("NFKC", word).casefold(), []).append(word)
    return [group for group in groups.values() if len(group) > 1]


def _at(data: Mapping[str, Any], place: str) -> Any:
    value: Any = data
    for part in place.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
