from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import sentences
from benchmarks.errors import InvalidAsset, OptionsError
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.counting import DocumentCounter, RememberingCounter
from benchmarks.ruler.fitting import Meter
from benchmarks.ruler.haystacks import collapse, load_essays
from benchmarks.ruler.reference.essays import ReferenceEssays
from tests.benchmarks.ruler.opening import essay_file, tokenizer


def test_slices_costs_and_sentences_agree_with_the_text_also_beyond_its_end(folder: Path) -> None:
    text = essay_file(folder).read_text()
    counter = tokenizer("deepseek")
    essays = load_essays(text, "agree", "english", Meter(counter), Cache(None))
    words = collapse(text).split(" ")
    for size in (1, 50, 999, essays.words, essays.words + 1, 2 * essays.words + 77):
        expected = " ".join((words * 3)[:size])
        assert essays.slice(0, size) == expected
        assert essays.cost(size) == counter.count(" " + expected)
        assert essays.within(essays.cost(size)) == size
        start = essays.sentence_start(essays.sentences(size) - 1)
        assert start < size
    assert essays.exact


def test_sentences_of_a_prefix_equal_those_of_splitting_it(folder: Path) -> None:
    text = essay_file(folder).read_text() + " It was good.[2] Then more."
    essays = load_essays(text, "prefix", "english", Meter(tokenizer("deepseek")), Cache(None))
    fast, plain = ReferenceEssays(text, "english", essays), ReferenceEssays(text, "english", None)
    for size in [*range(1, 120, 7), 500, 2500, essays.words - 2, essays.words, essays.words + 500]:
        assert fast.sentences(size, repeat=True) == plain.sentences(size, repeat=True)


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(InvalidAsset, match="no words"):
        load_essays(" \n ", "", "english", Meter(tokenizer("deepseek")), Cache(None))


def test_an_unknown_splitter_is_refused() -> None:
    with pytest.raises(OptionsError, match="no sentence splitter"):
        sentences.split("One. Two.", "klingon")


def test_danish_abbreviations_do_not_end_sentences() -> None:
    assert sentences.split("Det er f.eks. sandt. Ja.", "danish") == ["Det er f.eks. sandt.", "Ja."]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text("ab .,\n1é", min_size=0, max_size=60), min_size=1, max_size=6))
def test_documents_counted_by_their_words_have_the_counts_of_whole_documents(texts: list[str]) -> None:
    documents = [text.strip() for text in texts if text.strip() and text.strip()[0].isalpha()]
    for name in ("deepseek", "smollm2", "llama2"):
        meter = Meter(tokenizer(name))
        counted = DocumentCounter(meter, "\n\n", 1000).count(documents)
        assert counted.tolist() == meter.lines([text + "\n\n" for text in documents]).tolist()


@settings(deadline=None, max_examples=50)
@given(st.text("ab .,\n1é", min_size=0, max_size=3000))
def test_remembered_counts_are_the_counts(text: str) -> None:
    text = "word " + text + " word. " + "and more words\n" * 300
    for name in ("cl100k", "smollm2"):
        assert RememberingCounter(Meter(tokenizer(name))).count(text) == tokenizer(name).count(text)


def test_cached_arrays_come_back_and_damaged_files_are_made_again(tmp_path: Path) -> None:
    cache, made = Cache(tmp_path), []

    def make() -> dict[str, np.ndarray]:
        made.append(1)
        return {"a": np.arange(5), "b": np.zeros((2, 3))}

    for _ in range(2):
        assert cache.arrays(("x", 1), make)["a"].tolist() == [0, 1, 2, 3, 4]
        assert cache.mapped(("y", 1), make)["b"].shape == (2, 3)
    assert len(made) == 2
    for path in tmp_path.iterdir():
        path.write_bytes(b"PK damaged")
    assert cache.arrays(("x", 1), make)["a"].tolist() == [0, 1, 2, 3, 4]
    assert cache.mapped(("y", 1), make)["b"].shape == (2, 3)
    assert len(made) == 4
