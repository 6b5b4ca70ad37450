"""RULER as a benchmark: its grid, the files it needs, its scores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import registry
from benchmarks.base import Benchmark, Cell, Prompt, Resources, Sample
from benchmarks.errors import MissingAsset
from benchmarks.ruler import BENCHMARK
from benchmarks.ruler.options import parse_options


class _Words:
    """Counts words."""

    identity = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def _sample(*expected: str) -> Sample:
    return Sample(Prompt("question"), expected, 10, 1)


def test_the_registry_finds_it_and_it_keeps_the_contract() -> None:
    found: Benchmark = registry.get("ruler")
    assert found is BENCHMARK
    assert len(found.tasks()) == 13


def test_cells_go_length_by_length_and_task_by_task() -> None:
    options = parse_options({"tasks": ["vt", "cwe"], "lengths": [8192, 4096], "samples": 3})
    cells = BENCHMARK.cells(options)
    assert [(c.length, c.task, c.size) for c in cells] == [
        (8192, "vt", 3), (8192, "cwe", 3), (4096, "vt", 3), (4096, "cwe", 3),
    ]  # fmt: skip


def test_fixed_depths_make_a_cell_each_for_niah_tasks_alone() -> None:
    options = parse_options({"tasks": ["niah_single_1", "vt"], "lengths": [4096], "depths": [0, 12.5, 100]})
    assert [(c.task, c.variant) for c in BENCHMARK.cells(options)] == [
        ("niah_single_1", {"depth": 0}), ("niah_single_1", {"depth": 12.5}), ("niah_single_1", {"depth": 100}), ("vt", {}),
    ]  # fmt: skip


def test_it_needs_what_its_tasks_need_each_once() -> None:
    needs = BENCHMARK.needs(parse_options({}))
    assert [(n.role, n.kind, n.name, n.optional) for n in needs] == [
        ("essays", "corpus", "ruler-essays-en", False),
        ("squad", "dataset", "ruler-squad-en", False),
        ("hotpotqa", "dataset", "ruler-hotpotqa-en", False),
        ("english_words", "words", "ruler-english-words", True),
    ]
    assert needs[0].hint == "fathom assets install ruler"


@pytest.mark.parametrize("task", ["niah_single_1", "niah_multikey_2", "niah_multikey_3", "vt", "cwe", "fwe"])
def test_danish_needs_no_file_for_noise_needle_vt_cwe_and_fwe(task: str) -> None:
    assert BENCHMARK.needs(parse_options({"tasks": [task], "language": "da"})) == []


def test_an_essay_task_without_a_corpus_is_refused_with_the_command_that_installs_one() -> None:
    options = parse_options({"tasks": ["niah_single_2"], "language": "da"})
    with pytest.raises(MissingAsset, match="fathom assets add ruler-essays-da FILE --kind corpus"):
        BENCHMARK.open(options, Resources(_Words()))


def test_a_named_corpus_is_the_one_that_is_needed() -> None:
    options = parse_options({"tasks": ["niah_single_2"], "essays": "my-essays"})
    assert [n.name for n in BENCHMARK.needs(options)] == ["my-essays"]
    named = parse_options({"tasks": ["cwe"], "english_words": "my-words"})
    assert [(n.name, n.optional) for n in BENCHMARK.needs(named)] == [("my-words", False)]


def test_noise_in_place_of_essays_needs_no_corpus() -> None:
    assert BENCHMARK.needs(parse_options({"tasks": ["niah_single_2"], "haystack": "noise"})) == []


def test_retrieval_is_scored_by_share_and_says_what_is_missing() -> None:
    score = BENCHMARK.score(parse_options({}), Cell("niah_multiquery", 4096, 1), _sample("11", "22"), "It is 11.")
    assert (score.value, score.detail) == (0.5, {"found": 1, "of": 2, "missing": ["22"]})


@pytest.mark.parametrize(
    ("position", "group"), [(0, "0"), (49, "0"), (50, "5"), (555, "55"), (999, "95"), (1000, "95")]
)
def test_retrieval_says_in_which_twentieth_of_the_prompt_its_answer_stands(position: int, group: str) -> None:
    sample = replace(_sample("11"), tokens=1000, detail={"token_position_answer": position})
    assert BENCHMARK.score(parse_options({}), Cell("niah_single_1", 4096, 1), sample, "11").detail["group"] == group


def test_question_answering_is_scored_by_any_alias() -> None:
    score = BENCHMARK.score(parse_options({}), Cell("qa_1", 4096, 1), _sample("France", "Gaul"), "gaul")
    assert score.value == 1.0
    assert "missing" not in score.detail


def test_danish_answers_are_compared_normalised() -> None:
    options = parse_options({"language": "da"})
    assert BENCHMARK.score(options, Cell("cwe", 4096, 1), _sample("blå"), "1. BLA\u030a").value == 1.0


def test_another_language_is_an_asset_and_its_samples_say_how_answers_are_compared() -> None:
    options = parse_options({"language": "nn", "tasks": ["vt"]})
    (need,) = BENCHMARK.needs(options)
    assert (need.role, need.kind, need.name) == ("language", "words", "ruler-language-nn")
    assert "fathom assets add ruler-language-nn nn.toml --kind words" in need.hint
    sample = replace(_sample("blå"), detail={"language": {"normalise": "nfkc-casefold"}})
    assert BENCHMARK.score(options, Cell("vt", 4096, 1), sample, "BLA\u030a").value == 1.0
    assert any(block.id == "scores" for block in BENCHMARK.summarise(options, []))
