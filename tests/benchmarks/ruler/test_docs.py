"""docs/ruler.md agrees with the code."""

from __future__ import annotations

import re

from benchmarks.ruler import languages
from benchmarks.ruler.languages.schema import LanguageFile
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.tasks import TASKS
from tests.support.option_table import PAGE, option_table, parts


def test_the_table_of_options_is_what_their_definition_makes() -> None:
    assert parts()[1] == option_table(), "run: python -m tests.support.option_table"


def test_the_table_of_tasks_is_the_task_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (\w*) ?\| (\d+) \| (all|part) \|$", PAGE.read_text(), re.MULTILINE)
    assert [(name, int(tokens), metric) for name, _, tokens, metric in rows] == [
        (t.name, t.output_tokens, t.metric) for t in TASKS.values()
    ]
    named = {"noise": "noise", "essays": "essay", "needles": "needle"}
    assert [named.get(haystack) for _, haystack, _, _ in rows] == [t.haystack for t in TASKS.values()]


def test_every_setting_of_the_rust_port_has_its_line_and_names_an_option() -> None:
    lines = re.findall(r"^\| `(BENCH_\w+)` \| .* \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert [name for name, _ in lines] == [
        "BENCH_SAMPLE_SIZE", "BENCH_MEASUREMENT_TIME", "BENCH_CONTEXT_LENGTHS", "BENCH_MODEL", "BENCH_TOKENIZER_MODEL",
        "BENCH_FINAL_CONTEXT_LENGTH_BUFFER", "BENCH_DEBUG", "BENCH_TASKS", "BENCH_NIAH_NUM_NEEDLE_K",
        "BENCH_NIAH_NUM_NEEDLE_V", "BENCH_NIAH_NUM_NEEDLE_Q", "BENCH_NIAH_DEPTH_PERCENTAGES", "BENCH_VT_NUM_CHAINS",
        "BENCH_VT_NUM_HOPS",
    ]  # fmt: skip
    ours = [name for _, text in lines for name in re.findall(r"^`(\w+)`", text)]
    assert set(ours) <= set(RulerOptions.model_fields)


def test_every_key_of_a_language_file_is_described() -> None:
    section = PAGE.read_text().partition("## Languages")[2].partition("## Statistics")[0]
    for key, field in LanguageFile.model_fields.items():
        is_table = field.annotation not in (str, bool) and key != "normalise"
        assert (f"`[{key}]`" if is_table else f"`{key}`") in section
    assert all(f"`{code}`" in section for code in languages.names())
