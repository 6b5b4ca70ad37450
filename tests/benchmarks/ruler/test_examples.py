"""The small texts of our own: what they claim, and that they are what the tasks read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.base import Cell, Resources
from benchmarks.errors import MissingAsset
from benchmarks.ruler import BENCHMARK
from benchmarks.ruler.corpora import EXAMPLES, collection_with, read_essays
from benchmarks.ruler.options import parse_options
from benchmarks.ruler.tasks import TASKS
from tests.benchmarks.ruler.opening import tokenizer

DANISH = {example.role: example for example in EXAMPLES["ruler-example-da"]}
NAMED = {role: example.name for role, example in DANISH.items()}


def content(role: str) -> Any:
    return json.loads(DANISH[role].content())


@pytest.mark.parametrize("task", TASKS)
def test_every_task_fills_4096_tokens_with_the_danish_examples_without_repeating_them(
    tmp_path: Path, task: str
) -> None:
    folder = Path(__file__).parents[3] / "benchmarks" / "ruler" / "examples"
    files = {role: folder / example.file for role, example in DANISH.items()}
    options = parse_options({"tasks": [task], "lengths": [4096], "language": "da", "num_fewshot": 0, **NAMED})
    names = {role: example.name for role, example in DANISH.items()}
    source = BENCHMARK.open(options, Resources(tokenizer("smollm2"), files=files, names=names, cache=tmp_path))
    sample = source.sample(Cell(task, 4096, 3), 2)
    assert sample.tokens + sample.max_tokens > 0.9 * 4096
    text = sample.prompt.input
    assert text.count("Den, der går en tur uden mål, kommer altid frem.") <= 1
    documents = [text[slice(*span)].partition("\n")[2] for span in sample.prompt.independent]
    assert len(set(documents)) == len(documents)
    role = TASKS[task].dataset or ("essays" if TASKS[task].haystack == "essay" else None)
    assert role is None or sample.detail[role]["name"] == f"ruler-{role}-example-da"


def test_answers_of_the_danish_squad_file_stand_where_it_says() -> None:
    paragraphs = [p for article in content("squad")["data"] for p in article["paragraphs"]]
    asked = [(p["context"], q) for p in paragraphs for q in p["qas"]]
    for context, question in asked:
        for answer in question["answers"]:
            assert context[answer["answer_start"] :].startswith(answer["text"]), question
    assert (len(paragraphs), len(asked), len({q["question"] for _, q in asked})) == (35, 70, 70)


def test_each_danish_hotpotqa_question_is_answered_by_two_of_its_ten_documents() -> None:
    entries = content("hotpotqa")
    for entry in entries:
        documents = dict(entry["context"])
        facts = [documents[title][sentence] for title, sentence in entry["supporting_facts"]]
        assert (len(documents), len({title for title, _ in entry["supporting_facts"]})) == (10, 2)
        titles = [title for title, _ in entry["supporting_facts"]]
        assert any(entry["answer"].lower() in text.lower() for text in (*facts, *titles)), entry["question"]
    assert len({title for entry in entries for title, _ in entry["context"]}) == 59
    assert len({entry["question"] for entry in entries}) == 20


def test_the_danish_essays_are_as_long_as_their_page_says() -> None:
    assert round(len(read_essays(DANISH["essays"].content())), -2) == 14_500


def test_an_example_is_taken_only_when_it_is_named_and_the_refusal_names_it() -> None:
    options = parse_options({"tasks": ["qa_1"], "language": "da"})
    with pytest.raises(MissingAsset, match=r"'ruler-squad-da'.*fathom assets install ruler-example-da, then --squad"):
        BENCHMARK.open(options, Resources(tokenizer("smollm2"), files={}))
    named = parse_options({"tasks": ["qa_1"], "language": "da", "squad": NAMED["squad"]})
    assert BENCHMARK.needs(named)[0].hint == "fathom assets install ruler-example-da"
    assert collection_with("ruler-squad-da") is None
