"""`fathom samples`: a benchmark's samples as files, without any service."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any

import click

from benchmarks.base import AssetNeed, Cell, Resources, Source, TokenCounter
from benchmarks.errors import BenchmarkError
from benchmarks.ruler import BENCHMARK
from benchmarks.ruler.options import RulerOptions, parse_options
from benchmarks.ruler.tasks import TASKS
from fathom.cli.checking import in_words
from fathom.cli.common import key_values, print_json
from fathom.cli.options import options_of, values_of
from fathom.errors import BadInput, Failed

_OWN = {"preset", "tasks", "lengths", "samples", "threshold", "effective_length"}
_TEXTS = ("essays", "squad", "hotpotqa", "english_words")
_ROLES = (*_TEXTS, "language")


@click.group()
def samples() -> None:
    """Write a benchmark's samples as JSONL; no service is needed."""


def _schema() -> dict[str, Any]:
    """The schema of the options that have a flag here; assets are given as files."""
    schema = RulerOptions.model_json_schema()
    properties = {k: v for k, v in schema["properties"].items() if k not in _OWN and k not in _TEXTS}
    return {**schema, "properties": properties}


@contextmanager
def bad_input() -> Iterator[None]:
    """Turns what a benchmark refuses into bad input."""
    from pydantic import ValidationError

    try:
        yield
    except BenchmarkError as error:
        cause = error.__cause__
        raise (in_words(cause) if isinstance(cause, ValidationError) else BadInput(str(error))) from error


def write_samples(
    task: str,
    length: str,
    tokenizer: str,
    count: int,
    first: int,
    asset: Mapping[str, str],
    output: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Write a data set of RULER: one JSON object a line with the fields of the reference.

    Samples come from the task's own stream; with the default `--stream independent`, `--first 499 --count 1` is the
    500th sample of any data set of that seed. Texts that no package may ship are given as files:
    `--asset essays=FILE`, `squad`, `hotpotqa`, `english-words`; and so is a language of your own,
    `--asset language=FILE`.
    """
    options = {**values_of(_schema(), given), "tasks": [task], "lengths": [length], "samples": first + count}
    with bad_input():
        parsed = parse_options(options)
        cells = BENCHMARK.cells(parsed)
        resources = _resources(tokenizer, _files(asset))
        _refuse_missing(parsed, task, resources)
        source = BENCHMARK.open(parsed, resources)
        for cell in cells:
            source.check(cell)
        with _target(output) as target:
            for line in _lines(parsed, cells, source, resources.counter, range(first, first + count)):
                target.write(line + "\n")
    if as_json:
        report = {
            "task": task,
            "length": parsed.lengths[0],
            "samples": count * len(cells),
            "output": str(output or "-"),
        }
        print_json({**report, "tokenizer": resources.counter.identity, "assets": dict(resources.sha256)})


def _counter(given: str) -> TokenCounter:
    """The tokenizer that a file, a package, or the Hub has."""
    from benchmarks.tokenizers import TokenizerFile, load_tokenizer

    path = Path(given)
    if path.is_file() and path.suffix != ".gguf":
        return load_tokenizer(path)
    from fathom.tokenizer_sources import read

    found = read(given)
    if found is None:
        raise BadInput(
            f"tokenizer = {given!r}: no such file; give a tokenizer.json, a folder that holds one, a .gguf file, "
            "`package:FILE` or a Hub id such as `org/name`"
        )
    return TokenizerFile(found.content)


def _resources(tokenizer: str, files: Mapping[str, Path]) -> Resources:
    return Resources(
        counter=_counter(tokenizer),
        files=files,
        sha256={role: _sha256(path) for role, path in files.items()},
        names={role: path.name for role, path in files.items()},
        cache=_cache(),
    )


def _refuse_missing(options: RulerOptions, task: str, resources: Resources) -> None:
    """A text that the task is built from and that was not given is bad input."""
    for need in BENCHMARK.needs(options):
        if need.role not in resources.files and not need.optional:
            role = need.role.replace("_", "-")
            raise BadInput(f"{task} needs --asset {role}=FILE{_where(options.language, need)}")


def _where(language: str, need: AssetNeed) -> str:
    """The command that writes such a file, where there is one; else how a service gets it."""
    from benchmarks.ruler.corpora import RULER_DOWNLOADS, collection_with

    if language == "en" and need.role in {download.role for download in RULER_DOWNLOADS}:
        return "; `fathom assets install ruler --output FOLDER` writes it"
    if collection := collection_with(f"ruler-{need.role}-example-{language}"):
        return f"; `fathom assets install {collection} --output FOLDER` writes a small one to try with"
    return f" (or, for jobs of a service: {need.hint})"


def _lines(
    options: RulerOptions, cells: list[Cell], source: Source, counter: TokenCounter, indices: range
) -> Iterator[str]:
    from fathom.formats.ruler import dataset_line, encode

    for cell in cells:
        for index in indices:
            yield encode(dataset_line(source.sample(cell, index), index, cell.task, options, counter))


def _files(asset: Mapping[str, str]) -> dict[str, Path]:
    files = {role.replace("-", "_"): Path(name) for role, name in asset.items()}
    for role, path in files.items():
        if role not in _ROLES:
            known = ", ".join(name.replace("_", "-") for name in _ROLES)
            raise BadInput(f"--asset {role}: unknown; there are: {known}")
        if not path.is_file():
            raise BadInput(f"--asset {role.replace('_', '-')}={path}: no such file")
    return files


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def _cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("fathom") / "samples"


@contextmanager
def _target(output: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that is there only once it is whole."""
    if output is None:
        yield sys.stdout
        return
    part = output.with_name(output.name + ".part")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            yield file
        part.replace(output)
    except OSError as error:
        raise Failed(f"can't write {output}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


samples.add_command(
    click.Command(
        "ruler",
        callback=write_samples,
        help=write_samples.__doc__,
        params=[
            click.Option(["--task"], type=click.Choice(list(TASKS)), required=True, help="The task."),
            click.Option(["--length"], required=True, metavar="INT", help="Context length in tokens, e.g. 4096 or 4k."),
            click.Option(
                ["--tokenizer"],
                required=True,
                metavar="TOKENIZER",
                help="What counts: a tokenizer.json, its folder, a .gguf file, package:FILE, or a Hub id.",
            ),
            click.Option(
                ["--count"], type=click.IntRange(min=1), default=10, show_default=True, help="How many samples."
            ),
            click.Option(
                ["--first"], type=click.IntRange(min=0), default=0, show_default=True, help="Index of the first one."
            ),
            click.Option(
                ["--asset"],
                multiple=True,
                metavar="ROLE=FILE",
                callback=key_values,
                help="A text to build samples from: essays, squad, hotpotqa, english-words, language.",
            ),
            click.Option(
                ["--output"],
                type=click.Path(dir_okay=False, path_type=Path),
                help="Write to this file.  [default: stdout]",
            ),
            click.Option(["--json", "as_json"], is_flag=True, help="Print what was written as JSON (with --output)."),
            *options_of(_schema()),
        ],
    )
)
