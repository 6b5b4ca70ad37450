"""Variable tracking, common words, frequent words and question answering in the independent stream."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import zeta

from benchmarks.base import Sample
from benchmarks.errors import OptionsError
from tests.benchmarks.ruler.opening import FILES, opened, samples, tokenizer


def _context(sample: Sample) -> str:
    return sample.prompt.input[slice(*sample.prompt.context or (0, 0))]


def _resolved(context: str) -> dict[str, str]:
    """The value of every variable, by running the assignments in order."""
    values: dict[str, str] = {}
    for name, source in re.findall(r"VAR ([A-Z]{5}) = (?:VAR )?([A-Z]{5}|\d{5})", context):
        assert name not in values, "assigned twice"
        values[name] = source if source.isdecimal() else values[source]
    return values


@pytest.mark.parametrize("options", [{}, {"num_chains": 3, "num_hops": 6}, {"haystack": "essay", "num_chains": 2}])
def test_vt_expects_every_variable_that_has_the_value_asked_for(folder: Path, options: dict[str, Any]) -> None:
    for sample in samples(opened(folder, "vt", 4096, **options), "vt", 4096, 15):
        values = _resolved(_context(sample))
        asked = re.search(r"assigned the value (\d+) in the text above\.$", sample.prompt.input)
        assert asked is not None
        assert {name for name, value in values.items() if value == asked[1]} == set(sample.expected)
        chains, hops = options.get("num_chains", 1), options.get("num_hops", 4)
        assert len(values) == chains * (hops + 1)
        assert len(set(values.values())) == chains
        for needle in sample.detail["needles"]:
            assert sample.prompt.input[needle["offset"] :].startswith(needle["text"])


def test_the_worked_example_of_vt_is_right_and_shares_no_name_with_the_question(folder: Path) -> None:
    examples = set()
    for sample in samples(opened(folder, "vt", 4096), "vt", 4096, 10):
        start, _ = sample.prompt.context or (0, 0)
        example = sample.prompt.input[:start]
        assert example.count("Memorize and track") == 2
        names = re.findall(r"VAR ([A-Z]{3}) = ", example)
        assert example.split("they are: ")[1].split("\n")[0].split() == names
        assert not set(names) & set(sample.expected)
        examples.add(example)
    assert len(examples) == 10


@pytest.mark.parametrize(("length", "common", "uncommon"), [(2048, 6, 1), (8192, 30, 3)])
def test_cwe_lists_common_words_as_often_as_it_says_and_the_others_less(
    folder: Path, length: int, common: int, uncommon: int
) -> None:
    for sample in samples(opened(folder, "cwe", length), "cwe", length, 5):
        items = re.findall(r"(\d+)\. (.+?)(?= \d+\. |$)", _context(sample))
        assert [int(number) for number, _ in items] == list(range(1, len(items) + 1))
        counts = Counter(word for _, word in items)
        assert {word for word, count in counts.items() if count == common} == set(sample.expected)
        assert {count for word, count in counts.items() if word not in sample.expected} == {uncommon}
        assert len(sample.expected) == 10
        assert len(counts) == sample.detail["different_words"]


def test_the_worked_examples_of_cwe_can_be_left_out_or_doubled(folder: Path) -> None:
    for number in (0, 1, 2):
        (sample,) = samples(opened(folder, "cwe", 8192, num_fewshot=number), "cwe", 8192, 1)
        assert sample.prompt.input.count("Below is a numbered list of words") == number + 1
        assert sample.prompt.input.count("in the list are: 1. ") == number
        assert sample.tokens == tokenizer("deepseek").count(sample.prompt.text)


def test_cwe_counts_worked_examples_with_many_common_words_exactly(folder: Path) -> None:
    for name in ("deepseek", "llama2"):
        source = opened(folder, "cwe", 65_536, tokenizer(name), num_cw=90, model_template="meta-llama3", num_fewshot=2)
        (sample,) = samples(source, "cwe", 65_536, 1)
        assert sample.tokens == tokenizer(name).count(sample.prompt.text)


def test_cwe_takes_more_words_from_wordfreq_when_its_own_run_out(folder: Path) -> None:
    source = opened(folder, "cwe", 400_000)
    (sample,) = samples(source, "cwe", 400_000, 1)
    assert sample.detail["different_words"] > 8169
    assert [words["name"].split()[0] for words in sample.detail["words"]] == ["wonderwords", "wordfreq"]
    assert 400_000 - 60 < sample.tokens + sample.max_tokens <= 400_000


def test_cwe_refuses_more_words_than_there_are(folder: Path) -> None:
    with pytest.raises(OptionsError, match=r"cwe would list about \d+ different words; there are \d+"):
        samples(opened(folder, "cwe", 2_000_000, freq_ucw=1, freq_cw=2), "cwe", 2_000_000, 1)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 3.5])
def test_fwe_words_follow_the_zeta_law_and_the_three_most_frequent_are_expected(folder: Path, alpha: float) -> None:
    for sample in samples(opened(folder, "fwe", 8192, alpha=alpha), "fwe", 8192, 5):
        counts = Counter(_context(sample).split(" "))
        ranked = [word for word, _ in counts.most_common(4)]
        assert ranked[0] == "..."
        assert tuple(ranked[1:]) == sample.expected
        # The law gives the total back: m is between count and count + 1 over the share of the first rank.
        observed = np.array([count for _, count in counts.most_common()])
        low, high = observed[0] * zeta(alpha), (observed[0] + 1) * zeta(alpha)
        shares = np.arange(1, len(observed) + 1) ** -alpha / zeta(alpha)
        assert ((low * shares).astype(int) <= observed).all()
        assert (observed <= (high * shares).astype(int)).all()


def test_qa_prompts_hold_the_answering_documents_and_no_document_twice(folder: Path) -> None:
    data = json.loads(FILES["hotpotqa"].read_text())
    for index, sample in enumerate(samples(opened(folder, "qa_2", 8192), "qa_2", 8192, 8)):
        entry = data[index % len(data)]
        documents = [sample.prompt.input[slice(*span)] for span in sample.prompt.independent]
        assert [document.split("\n")[0] for document in documents] == [
            f"Document {i}:" for i in range(1, len(documents) + 1)
        ]
        bodies = [document.split("\n", 1)[1] for document in documents]
        assert len(set(bodies)) == len(bodies) == sample.detail["documents"]
        gold = {title for title, _ in entry.get("supporting_facts", [])} or {title for title, _ in entry["context"]}
        titles = {body.split("\n")[0] for body in bodies}
        assert gold <= titles
        assert {bodies[place - 1].split("\n")[0] for place in sample.detail["answer_documents"]} == gold
        assert sample.prompt.input.endswith(f"Question: {entry['question']}")
        assert sample.expected == (entry["answer"],)


def test_qa_answers_stand_in_the_documents(folder: Path) -> None:
    for sample in samples(opened(folder, "qa_1", 4096), "qa_1", 4096, 20):
        assert all(answer in sample.prompt.input for answer in sample.expected)
        assert len(sample.detail["answer_documents"]) == 1


def test_the_answering_document_stands_anywhere(folder: Path) -> None:
    made = samples(opened(folder, "qa_1", 4096), "qa_1", 4096, 300)
    depths = [sample.detail["depths"][0] for sample in made]
    assert abs(np.mean(depths) - 50) < 8
    assert min(depths) == 0
    assert max(depths) == 100


def test_qa_repeats_documents_only_when_all_are_in(folder: Path) -> None:
    (sample,) = samples(opened(folder, "qa_1", 60_000), "qa_1", 60_000, 1)
    bodies = Counter(sample.prompt.input[slice(*span)].split("\n", 1)[1] for span in sample.prompt.independent)
    total = len({p["context"] for a in json.loads(FILES["squad"].read_text())["data"] for p in a["paragraphs"]})
    assert len(bodies) == total
    assert max(bodies.values()) - min(bodies.values()) <= 1


def test_a_number_of_documents_may_be_given_and_has_to_exist(folder: Path) -> None:
    (sample,) = samples(opened(folder, "qa_1", 8192, documents=5), "qa_1", 8192, 1)
    assert sample.detail["documents"] == 5
    with pytest.raises(OptionsError, match=r"documents = 100000: the data set has only \d+"):
        samples(opened(folder, "qa_1", 8192, documents=100_000), "qa_1", 8192, 1)
