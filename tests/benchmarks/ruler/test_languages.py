"""Languages: their wording, words, joiners and labels, for English and Danish by what their sources publish."""

from __future__ import annotations

import hashlib
import string
from importlib.resources import files
from pathlib import Path

import pytest

from benchmarks.errors import InvalidAsset, OptionsError
from benchmarks.ruler import languages
from benchmarks.ruler.languages import WordSource
from benchmarks.ruler.languages.words import load_words

_CODES = languages.names()


def test_five_languages_come_with_the_package_and_two_are_reviewed() -> None:
    assert _CODES == ["da", "de", "en", "es", "fr"]
    assert [code for code in _CODES if languages.load(code).reviewed] == ["da", "en"]


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(OptionsError, match="da, de, en, es, fr"):
        languages.load("xx")


def test_the_english_singular_is_made_by_the_references_replacements() -> None:
    english = languages.load("en")
    made = english.singularise(english.niah_template(1).template).format(
        type_needle_v=english.label("numbers", 1), context="C", query="q"
    )
    assert made == (
        "A special magic number is hidden within the following text. Make sure to memorize it. I will quiz you about the "
        "number afterwards.\nC\nWhat is the special magic number for q mentioned in the provided text?"
    )


def test_the_paper_profile_keeps_the_references_slip_in_vt() -> None:
    english = languages.load("en")
    assert "are assgined the value" in english.template("vt", "paper").answer_prefix
    assert "are assigned the value" in english.template("vt", "head").answer_prefix
    assert english.template("niah", "paper") == english.template("niah", "head")


def test_danish_needle_labels_and_joiner_are_those_of_the_adaptation() -> None:
    danish = languages.load("da")
    assert danish.needle == "Et af de særlige magiske {type_needle_v} for {key} er: {value}."
    assert [danish.label(kind) for kind in ("numbers", "words", "uuids")] == ["tal", "ord", "UUID'er"]
    assert danish.join(["a", "b", "c"]) == "a, b, og c"
    assert danish.document.format(i=3, document="tekst") == "Dokument 3:\ntekst"
    assert danish.splitter == "danish"


def test_danish_has_no_singular_wording() -> None:
    danish = languages.load("da")
    assert danish.niah_template(1) == danish.niah_template(4)
    assert danish.label("numbers", 1) == danish.label("numbers", 4)
    assert danish.singularise("Nogle er are") == "Nogle er are"


@pytest.mark.parametrize(("code", "joined"), [("en", "a, b, and c"), ("de", "a, b und c"), ("es", "a, b y c")])
def test_items_are_joined_as_in_the_language(code: str, joined: str) -> None:
    language = languages.load(code)
    assert language.join(["a", "b", "c"]) == joined
    assert language.join(["a"]) == "a"


@pytest.mark.parametrize("code", ["de", "es", "fr"])
def test_one_value_has_a_wording_of_its_own(code: str) -> None:
    language = languages.load(code)
    assert language.niah_template(1) != language.niah_template(2)
    assert language.label("numbers", 1) != language.label("numbers", 2)


@pytest.mark.parametrize("code", _CODES)
def test_every_template_can_be_filled_in(code: str) -> None:
    language = languages.load(code)
    values = {"type_needle_v": "T", "context": "C", "query": "Q", "num_v": 5, "num_cw": 10}
    for family in languages.FAMILIES:
        for profile in ("head", "paper"):
            template = language.template(family, profile)
            text = template.template.format(**values) + template.answer_prefix.format(**values)
            assert text.count("C") >= 1
            assert "{" not in text
            assert template.answer_prefix.startswith(" ")


@pytest.mark.parametrize("code", ["da", "de", "es", "fr"])
def test_words_are_distinct_single_words_named_and_hashed(code: str) -> None:
    language = languages.load(code)
    for role, least in (("first", 4000), ("second", 4000), ("list", 25_000)):
        found = language.words(role)  # type: ignore[arg-type]
        assert len(found.words) == len(set(found.words)) >= least
        assert all(word.isalpha() and word == word.lower() and 3 <= len(word) <= 14 for word in found.words)
        assert found.name.startswith(f"wordfreq 3.1.1 {code}, ")
        assert found.sha256 == hashlib.sha256("\n".join(found.words).encode()).hexdigest()


def test_danish_words_are_the_same_everywhere() -> None:
    assert languages.load("da").words("list").sha256.startswith("e9ce5a0f")


def test_english_words_are_those_of_wonderwords_sorted() -> None:
    listed = languages.load("en").words("list")
    assert len(listed.words) == 8169  # as the reference has with wonderwords 2.2.0
    assert list(listed.words) == sorted(listed.words)
    assert len(languages.load("en").words("first").words) == 910


def test_words_of_the_language_file_are_cleaned_and_kept_in_order() -> None:
    given = ("Kaffe", " te ", "te", "is-te", "bla\u030a", "x", "bandeord")
    source = WordSource(words=given, min_length=2, exclude=("bandeord",))
    assert load_words(source).words == ("kaffe", "te", "blå")
    assert load_words(source).name == "7 words of the language file, 2-1000 letters"


@pytest.mark.parametrize("reference", ["wordfreq:tlh", "wonderwords:adverbs"])
def test_a_source_that_does_not_exist_is_an_error(reference: str) -> None:
    with pytest.raises(InvalidAsset, match=reference.partition(":")[2]):
        load_words(WordSource((reference,)))


def test_no_wording_has_a_digit_that_could_pass_for_a_value() -> None:
    for code in _CODES:
        assert not set(languages.load(code).noise) & set(string.digits)


def _given(tmp_path: Path, old: str, new: str) -> dict[str, Path]:
    """The Danish file under another code, changed, as the asset of role `language`."""
    text = (files("benchmarks.ruler.languages") / "da.toml").read_text(encoding="utf-8")
    path = tmp_path / "nn.toml"
    path.write_text(text.replace('code = "da"', 'code = "nn"').replace(old, new), encoding="utf-8")
    return {"language": path}


def test_a_language_can_be_given_as_a_file(tmp_path: Path) -> None:
    found = languages.opened("nn", _given(tmp_path, "Himlen er blå", "Himmelen er blå"))
    assert (found.code, "Himmelen er blå" in found.noise) == ("nn", True)
    assert found.describe() == {"code": "nn", "version": "1", "normalise": "nfkc-casefold"}


def test_a_file_never_replaces_a_language_of_the_package(tmp_path: Path) -> None:
    assert languages.opened("da", _given(tmp_path, "Himlen", "X")) == languages.load("da")


def test_a_file_that_is_not_in_order_is_refused_with_the_places(tmp_path: Path) -> None:
    with pytest.raises(InvalidAsset, match=r"needle: placeholder \{value\} is missing"):
        languages.opened("nn", _given(tmp_path, "{value}", "{vaerdi}"))
    with pytest.raises(InvalidAsset, match="is of language 'nn', and 'nb' is wanted"):
        languages.opened("nb", _given(tmp_path, "", ""))
