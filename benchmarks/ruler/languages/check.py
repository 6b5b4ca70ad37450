"""Validates a language file: everything that is wrong with it, in plain lines, before anyone runs it."""

from __future__ import annotations

import string
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import punkt
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.languages import Language, from_dict
from benchmarks.ruler.languages.schema import LanguageFile
from benchmarks.ruler.tasks import DEPTHS

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
    "niah.paper.template": ({"context", "query"}, {"type_needle_v"}),
    "niah.paper.answer_prefix": (set(), {"type_needle_v", "query"}),
    "vt.paper.template": ({"context", "query"}, {"num_v"}),
    "vt.paper.answer_prefix": (set(), {"num_v", "query"}),
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
    try:
        LanguageFile.model_validate(data)
        found = []
    except ValidationError as error:
        found = [_problem(entry) for entry in error.errors(include_url=False)]
    found += [*_templates(data), *_meanings(data)]
    return found or list(_words(from_dict(data)))


def _problem(entry: ErrorDetails) -> Problem:
    """What pydantic says, in words of the file."""
    place = ".".join(str(part) for part in entry["loc"])
    if entry["type"] == "missing":
        return Problem(place, "missing")
    if entry["type"] == "extra_forbidden":
        return Problem(place, f"unknown; there are: {', '.join(_known(entry['loc'][:-1]))}")
    if entry["type"] == "string_pattern_mismatch":
        return Problem(place, f"{_PATTERNS.get(entry['ctx']['pattern'], entry['msg'])}, not {entry['input']!r}")
    return Problem(place, _WORDS.get(entry["type"], "{msg}").format(msg=entry["msg"], **entry.get("ctx", {})))


_WORDS = {
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "too_short": "must have {min_length} entries",
    "too_long": "must have {max_length} entries",
    "model_type": "must be a table",
}
_PATTERNS = {
    r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$": "must be the code of a language such as da or pt-BR",
    r"^ ": "must start with a space, since it follows the question",
    r"^(wordfreq|wonderwords):.+$": "must be wordfreq:LANGUAGE or wonderwords:LIST",
}


def _known(tables: Sequence[str | int]) -> list[str]:
    """The keys of a table of the format."""
    model: type[BaseModel] = LanguageFile
    for table in tables:
        kind = model.model_fields[str(table)].annotation
        options = [kind, *get_args(kind)]
        model = next(option for option in options if isinstance(option, type) and issubclass(option, BaseModel))
    return list(model.model_fields)


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


def _meanings(data: Mapping[str, Any]) -> Iterator[Problem]:
    splitter = data.get("splitter")
    if isinstance(splitter, str) and splitter not in punkt.available_languages():
        yield Problem("splitter", f"unknown {splitter!r}; there are: {', '.join(sorted(punkt.available_languages()))}")
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
