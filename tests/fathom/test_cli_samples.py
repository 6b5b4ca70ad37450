"""`fathom samples ruler`: data sets in the reference's format, without any service."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tokenizers import Tokenizer

from fathom.cli import main
from tests.support.small_tokenizer import write_small_tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_tokenizer(tmp_path_factory.mktemp("tokenizer"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(tokenizer: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["samples", "ruler", "--tokenizer", str(tokenizer), *arguments])


def lines(tokenizer: Path, *arguments: str) -> list[dict[str, Any]]:
    result = run(tokenizer, *arguments)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_lines_have_the_references_fields_in_its_order_and_keep_to_the_length(tokenizer: Path) -> None:
    found = lines(tokenizer, "--task", "niah_single_1", "--length", "2048", "--count", "3", "--seed", "42")
    count = Tokenizer.from_file(str(tokenizer))
    assert [line["index"] for line in found] == [0, 1, 2]
    for line in found:
        assert list(line) == [
            "index", "input", "outputs", "length", "length_w_model_temp", "answer_prefix", "token_position_answer",
        ]  # fmt: skip
        assert line["length"] == len(count.encode(line["input"] + line["answer_prefix"]).ids) + 128
        assert 2048 - 60 < line["length"] <= 2048
        before = line["input"][: line["input"].index(line["outputs"][0])]
        assert line["token_position_answer"] == len(count.encode(before).ids)


def test_profile_paper_has_the_older_fields(tokenizer: Path) -> None:
    (line,) = lines(tokenizer, "--task", "niah_multikey_2", "--length", "1k", "--count", "1", "--profile", "paper")
    assert list(line) == ["index", "input", "outputs", "length"]
    assert line["input"].endswith("mentioned in the provided text is")


def test_any_sample_is_made_without_those_before_it(tokenizer: Path) -> None:
    task = ("--task", "niah_multikey_3", "--length", "1024")
    whole = lines(tokenizer, *task, "--count", "4")
    assert lines(tokenizer, *task, "--first", "3", "--count", "1") == whole[3:]


def test_fixed_depths_make_a_block_of_samples_each(tokenizer: Path) -> None:
    task = ("--task", "niah_single_1", "--length", "1024", "--count", "1")
    start, end = lines(tokenizer, *task, "--depths", "0,100")
    assert start["token_position_answer"] < 200 < 700 < end["token_position_answer"]


def test_options_of_the_benchmark_are_flags(tokenizer: Path) -> None:
    (line,) = lines(
        tokenizer, "--task", "niah_single_1", "--length", "2048", "--count", "1", "--language", "da", "--num-needle-v", "2",
        "--value-kind", "words", "--model-template", "meta-chat", "--buffer", "100",
    )  # fmt: skip
    assert line["input"].startswith("[INST] Nogle særlige magiske ord er skjult")
    assert line["input"].endswith(" [/INST]")
    assert line["answer_prefix"].startswith(" De særlige magiske ord for")
    assert len(line["outputs"]) == 2
    assert line["length"] <= 1948


def test_a_language_of_ones_own_comes_from_a_file(tokenizer: Path, tmp_path: Path) -> None:
    danish = (files("benchmarks.ruler.languages") / "da.toml").read_text(encoding="utf-8")
    own = tmp_path / "nn.toml"
    own.write_text(danish.replace('code = "da"', 'code = "nn"').replace("Græsset er grønt", "Graset er grønt"), "utf-8")
    task = ("--task", "niah_single_1", "--length", "1024", "--count", "1", "--language", "nn")
    (line,) = lines(tokenizer, *task, "--asset", f"language={own}")
    assert "Graset er grønt" in line["input"]
    own.write_text(own.read_text("utf-8").replace("{key}", "{nøkkel}"), "utf-8")
    result = run(tokenizer, *task, "--asset", f"language={own}")
    assert result.exit_code == 2
    assert "needle: placeholder {key} is missing" in result.stderr


def test_essays_come_from_a_file(tokenizer: Path, tmp_path: Path) -> None:
    essays = tmp_path / "essays.txt"
    essays.write_text(" ".join(f"Sentence number {n} says that the sky is blue." for n in range(300)))
    task = ("--task", "niah_single_2", "--length", "1024", "--count", "2", "--asset", f"essays={essays}")
    assert all("says that the sky is blue." in line["input"] for line in lines(tokenizer, *task))


def test_a_tokenizer_is_named_in_the_ways_of_a_model(tokenizer: Path) -> None:
    task = ("--task", "vt", "--length", "1024", "--count", "1")
    assert lines(tokenizer.parent, *task) == lines(tokenizer, *task)
    result = run(Path("nowhere"), *task)
    assert result.exit_code == 2
    assert "no such file; give a tokenizer.json, a folder that holds one, a .gguf file" in result.stderr


def test_a_collection_is_written_to_files_that_samples_are_built_from_without_a_service(
    tokenizer: Path, tmp_path: Path
) -> None:
    command = ["assets", "install", "ruler-example-da", "--output", str(tmp_path / "texts"), "--json"]
    written = CliRunner().invoke(main, command)
    assert "not reviewed by native speakers" in written.stderr
    files = {text["role"]: text["file"] for text in json.loads(written.stdout)}
    assert sorted(files) == ["essays", "hotpotqa", "squad"]
    question = ("--task", "qa_1", "--length", "2048", "--count", "1", "--language", "da")
    refused = run(tokenizer, *question)
    assert "`fathom assets install ruler-example-da --output FOLDER` writes a small one" in refused.stderr
    (line,) = lines(tokenizer, *question, "--asset", f"squad={files['squad']}")
    assert line["outputs"] == ["Kongehøj"]
    assert line["input"].count("Dokument ") > 5


def test_a_file_is_written_whole_and_told_about(tokenizer: Path, tmp_path: Path) -> None:
    target = tmp_path / "data" / "niah_single_1" / "validation.jsonl"
    arguments = ("--task", "niah_single_1", "--length", "1024", "--count", "2", "--output", str(target), "--json")
    report = json.loads(run(tokenizer, *arguments).stdout)
    assert (report["samples"], report["output"]) == (2, str(target))
    assert len(target.read_text().splitlines()) == 2
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--task", "niah_single_2", "--length", "4096"), "niah_single_2 needs --asset essays=FILE"),
        (("--task", "niah_single_2", "--length", "4k", "--asset", "essays=nowhere.txt"), "nowhere.txt: no such file"),
        (("--task", "niah_single_1", "--length", "4k", "--asset", "novels=x"), "there are: essays, squad"),
        (("--task", "niah_single_1", "--length", "300"), "too short for niah_single_1"),
        (
            ("--task", "niah_single_1", "--length", "4k", "--num-needle-q", "3", "--num-needle-k", "2"),
            "num_needle_q = 3",
        ),
        (("--task", "niah_single_1", "--length", "4k", "--haystack", "essay"), "--asset essays=FILE"),
        (("--task", "niah_single_1", "--length", "4k", "--seed", "soon"), "seed = 'soon': must be a whole number"),
        (("--task", "niah_single_1", "--length", "4k", "--depths", "0,120"), "depths"),
        (("--task", "niah_single_1", "--length", "many"), "lengths.0 = 'many': "),
        (
            ("--task", "niah_single_1", "--length", "4k", "--language", "tlh"),
            "languages without a file: da, de, en, es, fr",
        ),
    ],
)
def test_what_cannot_work_ends_with_exit_code_2_and_one_line(
    tokenizer: Path, arguments: tuple[str, ...], part: str
) -> None:
    result = run(tokenizer, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert part in result.stderr
    assert len(result.stderr.splitlines()) == 1
