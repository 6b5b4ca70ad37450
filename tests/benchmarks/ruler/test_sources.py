"""What holds for samples of every task in the independent stream."""

from __future__ import annotations

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.base import Cell, Resources, Source, TokenCounter
from benchmarks.errors import InvalidAsset, MissingAsset, OptionsError
from benchmarks.registry import get
from benchmarks.ruler import languages
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.sources import open_source
from tests.benchmarks.ruler.opening import FILES, TASKS, opened, samples, tokenizer

BENCHMARK = get("ruler")
# The largest step between two sizes: a document, a distractor with two UUIDs, a noise line, a word listed 3 times.
_UNIT = {"qa_1": 700, "qa_2": 400, "niah_multikey_3": 120, "niah_multikey_2": 40, "fwe": 60, "vt": 40}


@cache
def _source(folder: Path, task: str, length: int, name: str) -> Source:
    return opened(folder, task, length, tokenizer(name))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    task=st.sampled_from(TASKS),
    length=st.sampled_from([1500, 2048, 4096, 8192, 20_000]),
    name=st.sampled_from(["cl100k", "deepseek", "smollm2", "llama2"]),
    index=st.integers(0, 10_000),
)
def test_samples_count_their_tokens_exactly_and_fill_their_budget(
    folder: Path, task: str, length: int, name: str, index: int
) -> None:
    sample = _source(folder, task, length, name).sample(Cell(task, length, 1), index)
    assert sample.tokens == tokenizer(name).count(sample.prompt.text)
    free = length - sample.max_tokens - sample.tokens
    assert 0 <= free <= _UNIT.get(task, 40)
    assert sample.detail["length"] == sample.tokens + sample.max_tokens


@pytest.mark.parametrize("task", TASKS)
def test_a_sample_does_not_depend_on_what_was_made_before_it(folder: Path, task: str) -> None:
    cell = Cell(task, 4096, 500)
    first, second = opened(folder, task, 4096), opened(folder, task, 4096)
    order = [499, 3, 0, 1, 250]
    made = {index: first.sample(cell, index) for index in order}
    random.Random(1).shuffle(order)
    assert {index: second.sample(cell, index) for index in order} == made
    with ThreadPoolExecutor(4) as pool:
        assert dict(zip(order, pool.map(lambda index: first.sample(cell, index), order), strict=True)) == made
    assert len({sample.prompt.text for sample in made.values()}) == len(order)


@pytest.mark.parametrize("task", TASKS)
def test_another_seed_gives_other_samples_and_the_same_seed_the_same(folder: Path, task: str) -> None:
    one, again, other = (opened(folder, task, 4096, seed=seed).sample(Cell(task, 4096, 5), 2) for seed in (1, 1, 2))
    assert one == again
    assert one.prompt.text != other.prompt.text


@pytest.mark.parametrize("task", TASKS)
def test_a_perfect_answer_scores_one_and_an_empty_one_zero(folder: Path, task: str) -> None:
    options = RulerOptions(tasks=[task], lengths=[4096])
    cell = Cell(task, 4096, 3)
    for sample in samples(opened(folder, task, 4096), task, 4096, 3):
        assert BENCHMARK.score(options, cell, sample, ", ".join(sample.expected)).value == 1
        assert BENCHMARK.score(options, cell, sample, "").value == 0


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_says_where_its_context_and_its_question_stand(folder: Path, task: str) -> None:
    (sample,) = samples(opened(folder, task, 4096), task, 4096, 1)
    prompt = sample.prompt
    assert prompt.context is not None
    assert prompt.question is not None
    context, question = prompt.input[slice(*prompt.context)], prompt.input[slice(*prompt.question)]
    assert len(context) > 0.6 * len(prompt.input)
    assert question.startswith(("What", "Question", "Answer"))
    assert prompt.input.endswith(question)
    for span in prompt.independent:
        assert prompt.input[slice(*span)].startswith("Document ")


@pytest.mark.parametrize("task", TASKS)
def test_a_length_that_is_too_small_names_the_smallest_one_which_then_works(folder: Path, task: str) -> None:
    too_small = 130
    with pytest.raises(OptionsError, match=rf"lengths = {too_small}: too short for {task}.* at least \d+") as caught:
        opened(folder, task, too_small).check(Cell(task, too_small, 5))
    least = _least(caught.value)
    # Other lengths draw other samples, whose fixed parts differ by some tokens.
    while (more := _needed(folder, task, least)) is not None:
        assert least < more <= 1.2 * least
        least = more
    sample = opened(folder, task, least).sample(Cell(task, least, 5), 0)
    assert sample.tokens + sample.max_tokens <= least


@pytest.mark.parametrize("counts_add_up", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_every_sample_of_a_length_that_passed_the_check_can_be_built(
    folder: Path, task: str, counts_add_up: bool
) -> None:
    counter, size = tokenizer("smollm2") if counts_add_up else WordCounter(), 40
    length = 130
    while (more := _needed(folder, task, length, size, counter)) is not None:
        assert more > length
        length = more
    source = opened(folder, task, length, counter)
    for sample in samples(source, task, length, size):
        assert counter.count(sample.prompt.text) == sample.tokens <= length - sample.max_tokens


@pytest.mark.parametrize("task", ["qa_1", "qa_2"])
def test_the_question_with_the_longest_documents_decides_which_length_is_enough(folder: Path, task: str) -> None:
    file = json.loads(FILES["squad" if task == "qa_1" else "hotpotqa"].read_text())
    count = sum(len(p["qas"]) for a in file["data"] for p in a["paragraphs"]) if task == "qa_1" else len(file)
    length = 130
    while (more := _needed(folder, task, length, count)) is not None:
        length = more
    free = [length - s.max_tokens - s.tokens for s in samples(opened(folder, task, length), task, length, count)]
    assert min(free) == 0


def test_keys_that_run_out_are_found_by_the_check_and_used_to_the_last_one_before(tmp_path: Path) -> None:
    text = languages.text_of("da").replace("limit = 4000", "limit = 64").replace('code = "da"', 'code = "xx"')
    (tmp_path / "xx.toml").write_text(text, encoding="utf-8")
    options = RulerOptions(tasks=["niah_multikey_2"], language="xx")
    resources = Resources(counter=tokenizer("deepseek"), files={"language": tmp_path / "xx.toml"}, cache=tmp_path)
    source, pairs, works, fails = open_source(options, resources), 64 * 64, 4096, 262_144
    while fails - works > 200:
        middle = (works + fails) // 2
        works, fails = (works, middle) if _lines(source, middle) is None else (middle, fails)
    assert 0.98 * pairs <= (_lines(source, works) or 0) < pairs
    with pytest.raises(OptionsError, match=f"only {pairs} different keys or values exist"):
        source.check(Cell("niah_multikey_2", fails, 3))


def _lines(source: Source, length: int) -> int | None:
    """Lines in the longest of three prompts, if the check is content."""
    cell = Cell("niah_multikey_2", length, 3)
    try:
        source.check(cell)
    except OptionsError:
        return None
    return max(source.sample(cell, index).detail["haystack_lines"] for index in range(3))


def _needed(folder: Path, task: str, length: int, size: int = 5, counter: TokenCounter | None = None) -> int | None:
    """The length that the check asks for, if it is not content."""
    try:
        opened(folder, task, length, counter).check(Cell(task, length, size))
    except OptionsError as error:
        return _least(error)
    return None


def _least(error: OptionsError) -> int:
    """The length that the message asks for."""
    found = re.search(r"at least (\d+);", error.message)
    assert found is not None, error.message
    return int(found[1])


@pytest.mark.parametrize("task", ["niah_single_1", "niah_single_2", "vt", "cwe", "fwe", "qa_1"])
def test_chat_templates_buffers_and_overheads_count_toward_the_length(folder: Path, task: str) -> None:
    source = opened(folder, task, 4096, model_template="meta-llama3", buffer=300)
    (sample,) = samples(source, task, 4096, 1)
    assert sample.prompt.input.startswith("<|begin_of_text|><|start_header_id|>user")
    assert sample.prompt.input.endswith("<|start_header_id|>assistant<|end_header_id|>\n\n")
    assert sample.prompt.input.count("<|eot_id|>") == 1
    assert sample.tokens == tokenizer("deepseek").count(sample.prompt.text)
    assert sample.tokens + sample.max_tokens <= 4096 - 300


class WordCounter:
    """A counter that is no tokenizer file, as a model server's own: every third character is a token."""

    identity = "server:test"

    def __init__(self) -> None:
        self.calls = 0

    def count(self, text: str) -> int:
        self.calls += 1
        return len(text.encode()) // 3 + text.count(" ")


@pytest.mark.parametrize("task", TASKS)
def test_counters_whose_counts_do_not_add_up_are_met_exactly_with_about_one_count_a_sample(
    folder: Path, task: str
) -> None:
    counter = WordCounter()
    source = opened(folder, task, 8192, counter)
    source.check(Cell(task, 8192, 20))
    before = counter.calls
    for sample in samples(source, task, 8192, 20):
        assert sample.tokens == WordCounter().count(sample.prompt.text)
        assert 0.9 * 8192 - 700 <= sample.tokens + sample.max_tokens <= 8192
    assert counter.calls - before <= 60


def test_essays_are_repeated_when_they_run_out(folder: Path) -> None:
    (sample,) = samples(opened(folder, "niah_single_2", 100_000), "niah_single_2", 100_000, 1)
    assert sample.tokens == tokenizer("deepseek").count(sample.prompt.text)
    assert 100_000 - sample.tokens - sample.max_tokens < 8
    opening = sample.prompt.input[slice(*sample.prompt.context or (0, 0))][:200]
    assert sample.prompt.input.count(opening) >= 3


def test_a_million_tokens_are_filled(folder: Path) -> None:
    (sample,) = samples(opened(folder, "niah_single_1", 1_048_576), "niah_single_1", 1_048_576, 1)
    assert 1_048_576 - 40 < sample.tokens + sample.max_tokens <= 1_048_576
    assert sample.prompt.input.count(sample.expected[0]) == 1


def test_a_missing_corpus_is_an_error_with_its_role(folder: Path) -> None:
    source = open_source(RulerOptions(tasks=["niah_single_2"]), Resources(counter=tokenizer("deepseek")))
    with pytest.raises(MissingAsset, match="essays"):
        source.check(Cell("niah_single_2", 4096, 1))


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"data": 3}', b"nonsense"])
def test_a_file_that_is_no_qa_data_set_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "squad.json").write_bytes(content)
    resources = Resources(counter=tokenizer("deepseek"), files={"squad": tmp_path / "squad.json"})
    with pytest.raises(InvalidAsset, match="squad"):
        open_source(RulerOptions(tasks=["qa_1"]), resources).check(Cell("qa_1", 4096, 1))


@pytest.mark.parametrize("task", ["niah_single_1", "niah_multikey_2", "vt", "cwe", "fwe"])
def test_danish_prompts_are_exact_and_need_no_download(folder: Path, task: str) -> None:
    source = opened(folder, task, 4096, tokenizer("cl100k"), language="da")
    for sample in samples(source, task, 4096, 3):
        assert sample.tokens == tokenizer("cl100k").count(sample.prompt.text)
        assert sample.prompt.answer_prefix.startswith((" De ", " Svar:"))
