from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from benchmarks.base import Sample
from benchmarks.ruler.tasks import DEPTHS
from tests.benchmarks.ruler.opening import opened, samples, tokenizer

NEEDLE = re.compile(r"One of the special magic (\w+) for (.+?) is: (\S+)\.")


def _needles(sample: Sample) -> list[tuple[str, str, str]]:
    return NEEDLE.findall(sample.prompt.input)


@pytest.mark.parametrize(
    ("task", "keys", "values", "asked"),
    [
        ("niah_single_1", 1, 1, 1),
        ("niah_single_2", 1, 1, 1),
        ("niah_single_3", 1, 1, 1),
        ("niah_multikey_1", 4, 1, 1),
        ("niah_multivalue", 1, 4, 4),
        ("niah_multiquery", 4, 1, 4),
    ],
)
def test_needles_stand_where_the_detail_says_and_hold_what_is_expected(
    folder: Path, task: str, keys: int, values: int, asked: int
) -> None:
    for sample in samples(opened(folder, task, 4096), task, 4096, 20):
        text, needles = sample.prompt.input, sample.detail["needles"]
        assert len(needles) == len(_needles(sample)) == keys * values
        assert len(sample.expected) == len(set(sample.expected)) == asked
        for needle in needles:
            found = NEEDLE.match(text, needle["offset"])
            assert found is not None
            assert found.groups()[1:] == (needle["key"], needle["value"])
            assert needle["asked"] == (needle["value"] in sample.expected)
            assert (needle["key"] in text[slice(*sample.prompt.question or (0, 0))]) == needle["asked"]
        assert [n["offset"] for n in needles] == sorted(n["offset"] for n in needles)
        assert all(text.count(value) == 1 for value in sample.expected)


@pytest.mark.parametrize("task", ["niah_multikey_2", "niah_multikey_3"])
def test_distractors_never_repeat_a_key_or_a_value(folder: Path, task: str) -> None:
    for sample in samples(opened(folder, task, 16384), task, 16384, 5):
        found = _needles(sample)
        assert len(found) == sample.detail["haystack_lines"] + 1
        keys, values = Counter(key for _, key, _ in found), Counter(value for _, _, value in found)
        assert max(keys.values()) == max(values.values()) == 1
        assert len({*keys, *values}) == 2 * len(found)


@pytest.mark.parametrize("task", ["niah_single_1", "niah_single_3", "niah_multikey_2", "niah_multivalue"])
def test_the_token_position_is_that_of_the_first_expected_value(folder: Path, task: str) -> None:
    for name in ("cl100k", "smollm2"):
        for depth in (None, 0, 50, 100):
            variant = {} if depth is None else {"depth": depth}
            for sample in samples(opened(folder, task, 2048, tokenizer(name)), task, 2048, 5, **variant):
                before = sample.prompt.input[: sample.prompt.input.index(sample.expected[0])]
                assert sample.detail["token_position_answer"] == tokenizer(name).count(before)


@pytest.mark.parametrize("task", ["niah_single_1", "niah_single_2", "niah_multikey_2"])
def test_a_given_depth_is_where_the_needle_goes(folder: Path, task: str) -> None:
    for depth in (0, 25, 50, 100):
        for sample in samples(opened(folder, task, 8192), task, 8192, 4, depth=depth):
            start, stop = sample.prompt.context or (0, 0)
            needle = sample.detail["needles"][0]
            share = 100 * (needle["offset"] - start) / (stop - start)
            assert abs(share - depth) < 4
            assert depth != 0 or needle["offset"] == start
            assert depth != 100 or sample.prompt.input[needle["offset"] : stop].endswith(f"{needle['value']}.")


def test_essay_needles_are_drawn_from_the_references_forty_depths_alike(folder: Path) -> None:
    made = samples(opened(folder, "niah_single_2", 1500), "niah_single_2", 1500, 1200)
    counts = Counter(sample.detail["needles"][0]["depth"] for sample in made)
    assert set(counts) <= {float(depth) for depth in DEPTHS}
    assert stats.chisquare([counts[float(depth)] for depth in DEPTHS]).pvalue > 0.001


def test_four_needles_are_never_at_one_depth_and_each_pair_is_as_likely(folder: Path) -> None:
    made = samples(opened(folder, "niah_multikey_1", 1500), "niah_multikey_1", 1500, 500)
    asked_rank: Counter[int] = Counter()
    for sample in made:
        depths = [needle["depth"] for needle in sample.detail["needles"]]
        assert len(set(depths)) == 4
        asked_rank[[needle["asked"] for needle in sample.detail["needles"]].index(True)] += 1
    assert stats.chisquare([asked_rank[rank] for rank in range(4)]).pvalue > 0.001


def test_needles_among_lines_are_uniform_over_the_lines_as_in_the_reference(folder: Path) -> None:
    task = "niah_single_1"
    ours = [s.detail["needles"][0]["depth"] for s in samples(opened(folder, task, 2048), task, 2048, 500)]
    theirs = [
        s.detail["needles"][0]["depth"]
        for s in samples(opened(folder, task, 2048, stream="reference"), task, 2048, 500)
    ]
    assert stats.ks_2samp(ours, theirs).pvalue > 0.001


def test_one_value_is_asked_for_in_the_singular_and_the_chat_template_is_left_alone(folder: Path) -> None:
    template = "Some people are all here. {task_template} They are"
    (sample,) = samples(opened(folder, "niah_single_1", 2048, model_template=template), "niah_single_1", 2048, 1)
    assert sample.prompt.input.startswith("Some people are all here. A special magic number is hidden within")
    assert sample.prompt.input.endswith(" mentioned in the provided text? They are")
    assert sample.prompt.answer_prefix.endswith(" mentioned in the provided text is")


def test_more_keys_values_and_queries_may_be_asked_for(folder: Path) -> None:
    source = opened(folder, "niah_single_1", 4096, num_needle_k=6, num_needle_v=3, num_needle_q=2, value_kind="words")
    (sample,) = samples(source, "niah_single_1", 4096, 1)
    assert len(sample.detail["needles"]) == 18
    assert len(sample.expected) == 6
    assert re.search(r"all the special magic words for \S+, and \S+ mentioned", sample.prompt.input)
