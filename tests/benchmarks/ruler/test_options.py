"""RULER's options: what is accepted, what presets fill in, what is refused and how it is said."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.errors import OptionsError
from benchmarks.ruler import BENCHMARK
from benchmarks.ruler.options import RulerOptions, parse_options, settings
from benchmarks.ruler.tasks import DEPTHS, TASKS, model_templates


def test_the_defaults_are_all_13_tasks_at_4k_to_128k() -> None:
    options = RulerOptions()
    assert options.tasks == list(TASKS)
    assert options.lengths == [4096, 8192, 16384, 32768, 65536, 131072]
    assert (options.seed, options.profile, options.language, options.stream) == (42, "head", "en", "independent")


def test_every_option_is_described() -> None:
    assert all(field.description for field in RulerOptions.model_fields.values())


def test_a_preset_fills_in_what_is_left_out_and_no_more() -> None:
    quick = parse_options({"preset": "quick", "samples": 3})
    assert (quick.samples, quick.lengths) == (3, [4096, 8192])
    assert not BENCHMARK.needs(quick) or all(need.optional for need in BENCHMARK.needs(quick))
    paper = parse_options({"preset": "paper"})
    assert (paper.profile, paper.stream, paper.samples, paper.tasks) == ("paper", "reference", 500, list(TASKS))


def test_stored_options_read_back_as_they_were() -> None:
    options = parse_options({"preset": "quick", "seed": 7, "depths": [0, 50.5], "output_tokens": {"vt": 60}})
    assert RulerOptions.model_validate_json(options.model_dump_json()) == options


@pytest.mark.parametrize(
    ("given", "expected"),
    [("4k, 8k,1m", [4096, 8192, 1048576]), ([4096, "128K"], [4096, 131072]), ("5000", [5000]), (4096, [4096])],
)
def test_lengths_are_read_as_people_write_them(given: Any, expected: list[int]) -> None:
    assert parse_options({"lengths": given}).lengths == expected


def test_group_names_and_long_names_stand_for_tasks() -> None:
    assert parse_options({"tasks": "qa,variable_tracking"}).tasks == ["qa_1", "qa_2", "vt"]
    assert len(parse_options({"tasks": ["niah"]}).tasks) == 8


def test_answer_budgets_for_all_or_by_task() -> None:
    assert parse_options({"output_tokens": "256"}).output_tokens_of("vt") == 256
    by_task = parse_options({"output_tokens": "cwe=200, vt=60"})
    assert (by_task.output_tokens_of("cwe"), by_task.output_tokens_of("qa_1")) == (200, 32)


def test_the_task_table_is_the_references() -> None:
    plain = RulerOptions()
    multiquery = settings(plain, "niah_multiquery")
    assert (multiquery.keys, multiquery.values, multiquery.queries, multiquery.haystack) == (4, 1, 4, "essay")
    assert settings(plain, "niah_multivalue").values == 4
    assert settings(plain, "niah_multikey_3").key_kind == "uuids"
    assert [task.output_tokens for task in TASKS.values()] == [128] * 8 + [30, 120, 50, 32, 32]
    assert [name for name, task in TASKS.items() if task.metric == "part"] == ["qa_1", "qa_2"]


def test_the_40_depths_are_the_references() -> None:
    import numpy as np

    assert list(DEPTHS) == np.round(np.linspace(0, 100, 40)).astype(int).tolist()


def test_a_model_template_is_a_name_or_a_text() -> None:
    assert parse_options({"model_template": "meta-chat"}).template() == "[INST] {task_template} [/INST]"
    assert parse_options({"model_template": "Q: {task_template}\nA:"}).template() == "Q: {task_template}\nA:"
    assert all(template.count("{task_template}") == 1 for template in model_templates().values())


@pytest.mark.parametrize(
    ("given", "field", "part"),
    [
        ({"tasks": ["niah_single_9"]}, "tasks", "niah_single_1, niah_single_2"),
        ({"tasks": ["vt", "vt"]}, "tasks", "vt is there twice"),
        ({"tasks": []}, "tasks", "at least 1"),
        ({"lengths": ["4k", 4096]}, "lengths", "4096 is there twice"),
        ({"lengths": [4096, 100]}, "lengths.1", "128"),
        ({"lengths": ["4q"]}, "lengths.0", "integer"),
        ({"lengths": [3_000_000]}, "lengths.0", "2097152"),
        ({"haystack": "books"}, "haystack", "'noise', 'essay' or 'needle'"),
        ({"key_kind": "emoji"}, "key_kind", "'words', 'numbers' or 'uuids'"),
        ({"language": "Danish"}, "language", "pattern"),
        ({"model_template": "gpt"}, "model_template", "meta-llama3"),
        ({"depths": [50, 101]}, "depths.1", "100"),
        ({"depths": "50,50"}, "depths", "50.0 is there twice"),
        ({"samples": 0}, "samples", "1"),
        ({"alpha": 1.0}, "alpha", "greater than 1"),
        ({"output_tokens": {"cwe": 0}}, "output_tokens", "from 1"),
        ({"output_tokens": {"cew": 10}}, "output_tokens", "unknown task 'cew'"),
        ({"output_tokens": True}, "output_tokens", "whole number"),
        ({"number_of_needles": 3}, "number_of_needles", "not permitted"),
        ({"preset": "huge"}, "preset", "'quick', 'full' or 'paper'"),
    ],
)
def test_a_bad_option_is_refused_with_field_and_what_would_be_right(given: Any, field: str, part: str) -> None:
    with pytest.raises(OptionsError) as caught:
        parse_options(given)
    assert caught.value.field == field
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("given", "field", "part"),
    [
        ({"tasks": ["niah_single_1"], "num_needle_q": 3, "num_needle_k": 2}, "num_needle_q", "only 2 are hidden"),
        ({"tasks": ["niah_multiquery"], "num_needle_k": 2}, "num_needle_k", "ask for 4 keys"),
        ({"tasks": ["niah_single_2"], "num_needle_k": 41}, "num_needle_k", "at most 40 needles"),
        ({"tasks": ["niah_multikey_1"], "num_needle_v": 11}, "num_needle_v", "4 x 11 = 44 needles"),
        ({"tasks": ["vt"], "haystack": "needle"}, "haystack", "noise"),
        ({"tasks": ["vt"], "depths": [50]}, "depths", "no NIAH task"),
        ({"tasks": ["cwe"], "freq_ucw": 30}, "freq_ucw", "below freq_cw (30)"),
        ({"tasks": ["fwe"], "coded_wordlen": 2, "lengths": [131072]}, "coded_wordlen", "676 words"),
        ({"tasks": ["fwe"], "coded_wordlen": 2, "vocab_size": 68}, "coded_wordlen", "at most 67"),
        ({"tasks": ["niah_single_1"], "lengths": [4096, 150]}, "lengths.1", "at least 160"),
        ({"tasks": ["vt"], "lengths": [4096], "buffer": 4090}, "lengths.0", "4090 as buffer"),
        ({"tasks": ["vt"], "language": "da", "profile": "paper"}, "profile", "en only"),
        ({"tasks": ["vt"], "language": "da", "stream": "reference"}, "language", "independent"),
        ({"tasks": ["niah"], "depths": [50], "stream": "reference"}, "depths", "independent"),
        ({"tasks": ["cwe"], "num_fewshot": 2, "stream": "reference"}, "num_fewshot", "independent"),
        ({"tasks": ["vt"], "haystack": "essay", "stream": "reference"}, "haystack", "noise"),
    ],
)
def test_an_impossible_combination_is_refused_with_the_limit_that_was_hit(given: Any, field: str, part: str) -> None:
    with pytest.raises(OptionsError) as caught:
        BENCHMARK.cells(parse_options(given))
    assert caught.value.field == field
    assert part in caught.value.message


def test_forty_needles_and_more_at_a_fixed_depth_are_allowed() -> None:
    BENCHMARK.cells(parse_options({"tasks": ["niah_single_2"], "num_needle_k": 40}))
    BENCHMARK.cells(parse_options({"tasks": ["niah_single_2"], "num_needle_k": 60, "depths": [50]}))
    BENCHMARK.cells(parse_options({"tasks": ["niah_single_1"], "num_needle_k": 60}))
