"""Every language builds every task that needs no download: within budget, answerable, in its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.base import Resources, Sample
from benchmarks.ruler import BENCHMARK, languages
from benchmarks.ruler.options import RulerOptions, parse_options
from benchmarks.tokenizers import TokenizerFile, load_tokenizer
from tests.support.small_tokenizer import write_small_tokenizer

TASKS = ("niah_single_1", "niah_multikey_2", "niah_multikey_3", "vt", "cwe", "fwe")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> TokenizerFile:
    return load_tokenizer(write_small_tokenizer(tmp_path_factory.mktemp("tokenizer")))


def _samples(options: RulerOptions, resources: Resources) -> list[tuple[str, Sample]]:
    source = BENCHMARK.open(options, resources)
    cells = BENCHMARK.cells(options)
    for cell in cells:
        source.check(cell)
    return [(cell.task, source.sample(cell, index)) for cell in cells for index in range(cell.size)]


@pytest.mark.parametrize("code", languages.names())
def test_samples_fit_hold_their_answers_and_score_as_they_should(code: str, tokenizer: TokenizerFile) -> None:
    options = parse_options({"tasks": list(TASKS), "lengths": [2048], "samples": 3, "language": code})
    cells = {cell.task: cell for cell in BENCHMARK.cells(options)}
    for task, sample in _samples(options, Resources(tokenizer)):
        assert sample.tokens == tokenizer.count(sample.prompt.text)
        assert sample.tokens + sample.max_tokens <= 2048
        assert all(text in sample.prompt.input for text in sample.expected)
        perfect = ", ".join(sample.expected)
        assert BENCHMARK.score(options, cells[task], sample, perfect).value == 1
        assert BENCHMARK.score(options, cells[task], sample, "").value == 0
        assert sample.detail["language"] == languages.load(code).describe()


@pytest.mark.parametrize("code", languages.names())
def test_the_wording_is_the_languages_own(code: str, tokenizer: TokenizerFile) -> None:
    language = languages.load(code)
    options = parse_options({"tasks": list(TASKS), "lengths": [2048], "samples": 1, "language": code})
    made = dict(_samples(options, Resources(tokenizer)))
    assert language.noise in made["niah_single_1"].prompt.input
    assert language.noise in made["vt"].prompt.input
    needle = language.needle.format(
        type_needle_v=language.label("numbers"), key="KEY", value=made["niah_single_1"].expected[0]
    )
    assert needle.partition("KEY")[0] in made["niah_single_1"].prompt.input
    assert made["cwe"].prompt.answer_prefix == language.template("cwe").answer_prefix.format(num_cw=10)
    assert made["fwe"].prompt.text.startswith(language.template("fwe").template.partition("{context}")[0].rstrip())
    listed = set(language.words("list").words)
    assert set(made["cwe"].expected) <= listed
    assert made["cwe"].detail["words"][0]["sha256"] == language.words("list").sha256


def test_danish_keys_are_two_words_with_a_hyphen_and_all_different(tokenizer: TokenizerFile) -> None:
    options = parse_options({"tasks": ["niah_multikey_2"], "lengths": [4096], "samples": 1, "language": "da"})
    ((_, sample),) = _samples(options, Resources(tokenizer))
    start, stop = sample.prompt.context or (0, 0)
    before, after = languages.load("da").needle.replace("{type_needle_v}", "tal").split("{key}")
    keys = [
        line.removeprefix(before).split(after.partition("{")[0])[0]
        for line in sample.prompt.input[start:stop].split("\n")
    ]
    first, second = set(languages.load("da").words("first").words), set(languages.load("da").words("second").words)
    assert len(keys) == len(set(keys)) > 20
    assert all(a in first and b in second for a, b in (key.split("-") for key in keys))


def test_long_english_lists_go_on_with_wordfreq_and_say_so(tokenizer: TokenizerFile) -> None:
    options = parse_options({"tasks": ["cwe"], "lengths": ["256k"], "samples": 1})
    ((_, sample),) = _samples(options, Resources(tokenizer))
    assert sample.tokens + sample.max_tokens <= 262144
    assert [words["name"].split(" ")[0] for words in sample.detail["words"]] == ["wonderwords", "wordfreq"]


def test_danish_essays_are_split_and_used_as_they_are_given(tokenizer: TokenizerFile, tmp_path: Path) -> None:
    corpus = tmp_path / "essays.txt"
    corpus.write_text(
        " ".join(f"Kl. {n} gik hr. Hansen f.eks. en tur i skoven." for n in range(10, 400)), encoding="utf-8"
    )
    options = parse_options({"tasks": ["niah_single_2"], "lengths": [2048], "samples": 4, "language": "da"})
    for _, sample in _samples(options, Resources(tokenizer, files={"essays": corpus}, sha256={"essays": "0" * 64})):
        assert "gik hr. Hansen f.eks. en tur i skoven." in sample.prompt.input
        assert "f.eks. Et af de" not in sample.prompt.input
        assert sample.detail["essays"]["sha256"] == "0" * 64
