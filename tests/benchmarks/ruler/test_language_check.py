"""The check of a language file: everything wrong with it is said, with its place and what would be right."""

from __future__ import annotations

import copy
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.ruler import languages
from benchmarks.ruler.languages import check


def _data(code: str = "da") -> dict[str, Any]:
    text = (files("benchmarks.ruler.languages") / f"{code}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _changed(place: str, value: Any) -> dict[str, Any]:
    """The Danish file with one place changed, or taken out when the value is None."""
    data = copy.deepcopy(_data())
    *tables, key = place.split(".")
    table = data
    for name in tables:
        table = table.setdefault(name, {})
    if value is None:
        table.pop(key)
    else:
        table[key] = value
    return data


@pytest.mark.parametrize("code", languages.names())
def test_the_languages_of_the_package_are_in_order(code: str) -> None:
    assert check.problems(_data(code)) == []


@pytest.mark.parametrize(
    ("place", "value", "at", "part"),
    [
        ("noise", None, "noise", "missing"),
        ("reviewed", "yes", "reviewed", "must be true or false"),
        ("code", "DA", "code", "such as da or pt-BR, not 'DA'"),
        ("name", "", "name", "must not be empty"),
        ("words.exclude", 4, "words.exclude", "must be a list"),
        ("words.min_length", 0, "words.min_length", "must be at least 1"),
        ("colour", "red", "colour", "unknown; there are: code"),
        ("labels.uuids", None, "labels.uuids", "missing"),
        ("labels.uuids", "tal", "labels", "the same name"),
        ("labels_one.numbers", "tal", "labels_one.words", "missing"),
        ("niah.template", "{context} Hvad?", "niah.template", "{query} is missing"),
        (
            "niah.template",
            "{context} {query} {needle}",
            "niah.template",
            "{needle} is unknown here; there are: {context}",
        ),
        ("niah.template", "{context} {query} {", "niah.template", "braces"),
        ("vt.template", "{context} {context} {query}", "vt.template", "more than once"),
        ("qa.answer_prefix", "Svar:", "qa.answer_prefix", "start with a space"),
        ("qa", None, "qa", "missing"),
        ("needle", "{type_needle_v} er {value}", "needle", "{key} is missing"),
        ("needle", "{key}\n{value}", "needle", "one line"),
        ("noise", "Klokken er 12.", "noise", "a number"),
        ("document", "Dokument:\n{document}", "document", "{i} is missing"),
        ("splitter", "klingon", "splitter", "danish, dutch"),
        ("normalise", "upper", "normalise", "'lower' or 'nfkc-casefold'"),
        ("niah_one.replace", [["a"]], "niah_one.replace.0", "must have 2 entries"),
        ("words", None, "words", "missing"),
        ("words.list", None, "words.list", "missing"),
        ("words.list", ["hunspell:da"], "words.list.sources.0", "wordfreq:LANGUAGE"),
        ("words.list", ["wordfreq:tlh"], "words", "'tlh'"),
        (
            "words.list",
            {"sources": ["wordfreq:da"], "limit": 50},
            "words.list",
            "holds 50 words; cwe needs at least 1000",
        ),
        ("words.third", ["wordfreq:da"], "words.third", "unknown"),
        (
            "words.first",
            {"sources": ["wordfreq:da"], "words": ["abe", "Abe"]},
            "words.first",
            "holds 1 words twice: abe",
        ),
        ("words.first", {"words": [1]}, "words.first.words.0", "must be a text"),
        ("words.first", {"limit": 5}, "words.first", "names no words"),
        ("words.min_length", "x", "words.min_length", "must be a whole number"),
        ("niah_one.template", "{context} {query}", "niah_one", "both `template` and `answer_prefix`"),
        ("vt.paper", {"answer_prefix": " {num_w}"}, "vt.paper.answer_prefix", "{num_w} is unknown"),
        ("labels.colours", "farver", "labels.colours", "there are: numbers, words, uuids"),
        ("words.first", {"source": []}, "words.first.source", "there are: sources, words, min_length"),
    ],
)
def test_a_fault_is_found(place: str, value: Any, at: str, part: str) -> None:
    found = check.problems(_changed(place, value))
    assert any(p.place == at and part in p.message for p in found), found


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "x", "{", "wordfreq:da"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["template", "words", "limit"]), inner),
    max_leaves=4,
)
_PLACES = list(_data()) + [
    f"{key}.{below}" for key, value in _data().items() if isinstance(value, dict) for below in value
]


@given(st.sampled_from(_PLACES), _JSON)
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_a_file_is_a_problem_or_in_order(place: str, value: Any) -> None:
    data = _changed(place, value)
    if not check.problems(data):
        languages.from_dict(data)


def test_too_few_words_for_keys_are_found() -> None:
    data = _changed("words.first", {"sources": ["wordfreq:da"], "limit": 2})
    data["words"]["second"] = {"sources": ["wordfreq:da"], "limit": 3}
    assert [(p.place, p.message) for p in check.problems(data)] == [
        ("words", "2 x 3 words make 6 keys; at least 4000 are needed")
    ]


def test_duplicate_and_colliding_words_of_the_file_itself_are_found() -> None:
    words = [f"{start}{chr(97 + a)}{chr(97 + b)}" for start in ("ord", "navn") for a in range(26) for b in range(26)]
    found = check.problems(_changed("words.list", {"words": [*words, "ordaa", "straße", "strasse"]}))
    assert [p.message for p in found] == [
        "holds 1 words twice: ordaa",
        "1 words collide when compared (NFKC, casefold): straße = strasse",
    ]


def test_what_is_no_toml_is_said_so(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("code = ", encoding="utf-8")
    assert "is not TOML" in check.read(file)[1][0].message
    assert "can't be read" in check.read(tmp_path / "none.toml")[1][0].message
