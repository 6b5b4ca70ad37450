from __future__ import annotations

import random
import re
import uuid
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchmarks.errors import OptionsError
from benchmarks.ruler import languages
from benchmarks.ruler.fitting import Meter
from benchmarks.ruler.streams import Draws
from benchmarks.ruler.words import Kind, Numbers, Pairs, SortedPairs, distinct, uuid_pool
from tests.benchmarks.ruler.opening import tokenizer

_WORD = st.text("ab-'", min_size=1, max_size=4)


@settings(deadline=None, max_examples=50)
@given(st.lists(_WORD, min_size=1, max_size=12), st.lists(_WORD, min_size=1, max_size=12))
def test_lazy_pairs_equal_the_sorted_set_of_all_pairs(firsts: list[str], seconds: list[str]) -> None:
    lazy = SortedPairs(firsts, seconds)
    made = sorted({f"{a}-{b}" for a in firsts for b in seconds})
    assert list(lazy) == made
    assert lazy[-1] == made[-1]
    assert lazy[1:3] == made[1:3]


def test_the_references_word_list_has_its_known_size_and_order() -> None:
    english = languages.load("en")
    pairs = SortedPairs(english.words("first").words, english.words("second").words)
    assert len(pairs) == 6_175_260
    places = sorted(random.Random(3).sample(range(len(pairs)), 2000))
    chosen = [pairs[place] for place in places]
    assert chosen == sorted(chosen)
    with pytest.raises(IndexError):
        pairs[len(pairs)]


def test_draws_depend_on_every_part_of_the_name_alone() -> None:
    names = [(42, "vt", 4096, {}, 0), (43, "vt", 4096, {}, 0), (42, "cwe", 4096, {}, 0), (42, "vt", 8192, {}, 0),
             (42, "vt", 4096, {"depth": 5}, 0), (42, "vt", 4096, {}, 1)]  # fmt: skip
    first = [Draws(*name).bytes(16) for name in names]
    assert len(set(first)) == len(names)
    assert [Draws(*name).bytes(16) for name in names] == first


def test_draws_are_the_same_on_every_machine() -> None:
    """Values written down once: a change of them changes every data set."""
    draws = Draws(42, "niah_single_1", 4096, {}, 0)
    seeded = random.Random(int.from_bytes(__import__("hashlib").sha256(b'[42,"niah_single_1",4096,{},0]').digest()))
    assert draws.below(10**6) == int(seeded.random() * 10**6)
    assert draws.bytes(8) == seeded.randbytes(8)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 300), st.integers(0, 1000))
def test_permutations_hold_every_number_once(limit: int, seed: int) -> None:
    assert sorted(Draws(seed).permutation(limit).tolist()) == list(range(limit))


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 200), st.data())
def test_samples_are_without_repetition(limit: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, limit))
    chosen = Draws(data.draw(st.integers(0, 99))).sample(limit, size)
    assert len(set(chosen)) == len(chosen) == size
    assert all(0 <= number < limit for number in chosen)


def test_numbers_permutations_and_samples_are_uniform() -> None:
    draws = Draws("uniform")
    assert stats.chisquare(list(Counter(draws.many(50, 20_000).tolist()).values())).pvalue > 0.001
    assert stats.chisquare(list(Counter(int(draws.permutation(20)[7]) for _ in range(4000)).values())).pvalue > 0.001
    assert stats.chisquare(list(Counter(draws.sample(40, 1)[0] for _ in range(4000)).values())).pvalue > 0.001


@pytest.mark.parametrize("kind", [Numbers(), Pairs(("old", "sly"), tuple("abcdefgh")), uuid_pool(1024)])
def test_distinct_items_differ_from_each_other_and_from_what_is_taken(kind: Kind) -> None:
    _, taken = distinct(Draws("taken"), kind, 5)
    codes, texts = distinct(Draws("more"), kind, 11, taken)
    assert len({*taken, *texts}) == 16
    assert kind.texts(codes) == texts


def test_more_items_than_there_are_are_refused() -> None:
    with pytest.raises(OptionsError, match="only 16 different"):
        distinct(Draws("all"), Pairs(("old", "sly"), tuple("abcdefgh")), 17)


def test_pooled_uuids_are_of_version_four() -> None:
    pool = uuid_pool(1024)
    assert len(set(pool.pool)) == pool.size == 1024
    assert all(str(uuid.UUID(text)) == text and uuid.UUID(text).version == 4 for text in pool.pool)


@pytest.mark.parametrize("name", ["cl100k", "deepseek", "smollm2", "llama2"])
@pytest.mark.parametrize("kind", ["numbers", "words", "uuids"])
def test_table_costs_are_the_counts_of_the_texts(name: str, kind: str) -> None:
    english, meter = languages.load("en"), Meter(tokenizer(name))
    made: Kind = {
        "numbers": Numbers(), "uuids": uuid_pool(2048),
        "words": Pairs(english.words("first").words, english.words("second").words),
    }[kind]  # fmt: skip
    codes, texts = distinct(Draws(name, kind), made, 1000)
    # Behind a word, since Llama 2 puts a space before every text.
    behind = tokenizer(name).count_each([f"word {text}." for text in texts])
    counted = [count - tokenizer(name).count("word") for count in behind]
    assert made.costs(meter, codes, texts, ".").tolist() == counted
    assert all(re.fullmatch(r"\S.*\S", text) for text in texts)
