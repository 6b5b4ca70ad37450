"""What is kept on disk is what would be counted anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.base import Resources
from benchmarks.ruler import languages
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.common_words import WordsParameters
from benchmarks.ruler.files import Files
from benchmarks.ruler.fitting import Meter
from benchmarks.ruler.languages import WordSource
from benchmarks.ruler.languages.words import load_words
from benchmarks.ruler.listed_words import list_words
from benchmarks.tokenizers import Cut
from tests.benchmarks.ruler.opening import tokenizer

_TEXTS = [" word", " Straße", " 漢字", " 1234567.", " x-y"]
_PARAMETERS = WordsParameters(30, 3, 10, 1, (40, 10, 3))


@pytest.mark.parametrize("name", ["deepseek", "smollm2", "llama2"])
def test_kept_counts_are_the_counts(tmp_path: Path, name: str) -> None:
    plain = Meter(tokenizer(name)).spaces(_TEXTS).tolist()
    for _ in ("made", "read"):
        assert Meter(tokenizer(name), Cache(tmp_path)).kept(Cut.SPACE, _TEXTS).tolist() == plain


def test_counts_are_kept_by_tokenizer_cut_and_texts(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for name in ("deepseek", "llama2"):
        meter = Meter(tokenizer(name), cache)
        meter.kept(Cut.SPACE, _TEXTS)
        assert meter.kept(Cut.SPACE, _TEXTS[::-1]).tolist() == meter.spaces(_TEXTS[::-1]).tolist()
        assert meter.kept(Cut.LINE, _TEXTS).tolist() == meter.lines(_TEXTS).tolist()
        assert meter.kept(Cut.SPACE, _TEXTS).tolist() == meter.spaces(_TEXTS).tolist()


@pytest.mark.parametrize("budget", [300_000, 1_040_000])
def test_listed_words_go_on_with_wordfreq_in_its_order_and_are_the_same_out_of_the_cache(
    tmp_path: Path, budget: int
) -> None:
    language, counter = languages.load("en"), tokenizer("deepseek")
    own = language.words("list")
    more = load_words(WordSource(("wordfreq:en",), min_length=3, max_length=14))
    known = {word.lower() for word in own.words}
    expected = [*own.words, *(word for word in more.words if word not in known)]
    for cache in (None, tmp_path, tmp_path):
        files = Files(Resources(counter=counter, cache=cache))
        lists, words = list_words(language, _PARAMETERS, budget, Meter(counter, files.cache), files, budget)
        assert list(words) == expected[: len(words)]
        assert len(words) > len(own.words)
        assert [used.named() for used in lists] == [own.named(), more.named()]
