"""A job's scores as a table, its results as files, its summary."""

from __future__ import annotations

import csv
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from fathom.cli.common import connect, json_option, plain, print_json, print_table, server_options
from fathom.errors import BadInput

if TYPE_CHECKING:
    from fathom.sync import SyncClient
    from protocol.jobs import CellProgress, Job, JobDetail
    from protocol.results import Result

FORMATS = ("table", "jsonl", "csv", "ruler")
CSV_COLUMNS = (
    "job",
    "cell",
    "index",
    "task",
    "length",
    "variant",
    "status",
    "score",
    "answer",
    "expected",
    "prompt_tokens",
    "server_prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "thinking_tokens",
    "finish_reason",
    "ttft_ms",
    "duration_ms",
    "attempts",
    "generation",
    "worker",
    "error",
    "prompt_sha256",
    "at",
)


@click.command()
@click.argument("job")
@click.option("--format", "kind", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file (format ruler: this folder).")
@click.option("--cursor", help="Go on from here (jsonl, csv); each run ends by printing its own to stderr.")
@click.option("--follow", is_flag=True, help="Wait for what is still to come (jsonl, csv).")
@click.option("--task", help="Only this task.")
@click.option("--length", type=int, help="Only this context length.")
@click.option("--status", help="Only this status, e.g. error.")
@click.option("--class", "class_", type=click.Choice(["scored", "noted", "not_a_measurement"]), help="Only this class.")
@click.option("--cell", type=int, help="Only this cell.")
@click.option("--worker", help="Only this worker's.")
@click.option("--min-score", type=float)
@click.option("--max-score", type=float)
@click.option("--min-duration-ms", type=int, help="Only what took at least that long.")
@click.option("--max-duration-ms", type=int)
@server_options
@json_option
def results(
    job: str,
    kind: str,
    output: Path | None,
    cursor: str | None,
    follow: bool,
    server: str | None,
    token: str | None,
    as_json: bool,
    class_: str | None,
    **filters: Any,
) -> None:
    """A job's scores as a task x length table, or its results as files. Works while the job runs.

    The table shows each mean with its denominator: measurements of samples planned. --json is --format jsonl;
    `ruler` writes the prediction files that RULER's own evaluate.py reads.
    """
    chosen = {**filters, "class": class_}
    if kind in ("table", "ruler") and not as_json:
        _refuse_unused(kind, {**chosen, "cursor": cursor, "follow": follow or None}, output)
    with connect(server, token) as client:
        if kind == "ruler":
            _write_ruler(client, job, output)
        elif as_json or kind == "jsonl":
            _write_rows(client, job, "jsonl", output, cursor, follow, chosen)
        elif kind == "csv":
            _write_rows(client, job, "csv", output, cursor, follow, chosen)
        else:
            print_results(client.job(job))


@click.command()
@click.argument("job")
@server_options
@json_option
def summary(job: str, server: str | None, token: str | None, as_json: bool) -> None:
    """What a job's results say: statistics, curves and verdicts such as the effective context length."""
    from fathom.cli.blocks import print_block

    with connect(server, token) as client:
        found = client.summary(job)
    if as_json:
        print_json(found)
        return
    for note in found.notes:
        click.echo(note)
    for block in found.blocks:
        print_block(block)


def _refuse_unused(kind: str, given: dict[str, Any], output: Path | None) -> None:
    """No option is dropped in silence: tables show all of a job, `ruler` writes all of it."""
    unused = [name for name, value in given.items() if value is not None]
    if output is not None and kind == "table":
        unused.append("output")
    if unused:
        options = ", ".join(f"--{name.rstrip('_').replace('_', '-')}" for name in unused)
        raise click.UsageError(f"{options}: only with --format jsonl or csv", click.get_current_context())


def print_results(job: JobDetail) -> None:
    """The task x length table, what stands beside the means, and the settings that produced them."""
    from fathom.cli.text import asides, score

    lengths = sorted({c.length for c in job.cells})
    rows: dict[tuple[str, str], dict[int, CellProgress]] = {}
    for cell in job.cells:
        rows.setdefault((cell.task, _variant(cell)), {})[cell.length] = cell
    with_variant = any(variant for _, variant in rows)
    columns = ["task", *(["variant"] if with_variant else []), *map(str, lengths)]
    table = [
        [task, *([variant] if with_variant else []), *(_cell_text(cells.get(length)) for length in lengths)]
        for (task, variant), cells in rows.items()
    ]
    click.echo("")
    print_table(columns, table, right=[str(length) for length in lengths])
    counts = job.counts
    beside = ", ".join(asides(counts))
    click.echo(
        f"\nmean {score(job.mean)} over {counts.scored} measurements of {counts.planned} samples"
        + (f" ({beside})" if beside else "")
    )
    if job.run.count_invalid == "zero":
        click.echo("what is no measurement counts as 0 (--count-invalid zero)")
    for status, count in sorted(counts.by_status.items()):
        if status not in ("ok",) and count:
            click.echo(f"  {status}: {count}")
    click.echo(settings_text(job))


def settings_text(job: Job) -> str:
    """The settings behind the figures, a line a kind."""
    options = ", ".join(f"{k}={_short(v)}" for k, v in _in_order(job) if v is not None)
    run = ", ".join(f"{k}={_short(v)}" for k, v in plain(job.run).items() if v)
    assets = ", ".join(f"{role}={job.asset_names.get(role, '?')} ({sha[:12]})" for role, sha in job.assets.items())
    lines = [
        f"job {job.id}: {job.benchmark} {job.benchmark_version} on {job.model}, {job.state.value}",
        f"options: {options}",
        f"run: {run}",
    ]
    return "\n".join([*lines, f"assets: {assets}"] if assets else lines)


def _in_order(job: Job) -> list[tuple[str, Any]]:
    """The job's options as the benchmark's definition orders them; by name when it is not installed here."""
    from benchmarks.errors import UnknownBenchmark
    from benchmarks.registry import get

    try:
        order = {name: place for place, name in enumerate(get(job.benchmark).options_model.model_fields)}
    except UnknownBenchmark:
        order = {}
    return sorted(job.options.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))


def _variant(cell: CellProgress) -> str:
    return " ".join(f"{k}={v}" for k, v in cell.variant.items())


def _cell_text(cell: CellProgress | None) -> str:
    from fathom.cli.text import score

    return "" if cell is None else f"{score(cell.mean)} ({cell.counts.scored}/{cell.counts.planned})"


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "[" + " ".join(map(str, value)) + "]"
    return str(value)


def _write_rows(
    client: SyncClient,
    job: str,
    kind: str,
    output: Path | None,
    cursor: str | None,
    follow: bool,
    filters: dict[str, Any],
) -> None:
    """Results as lines, page by page, so that a cut run can go on from the printed cursor. The file is opened once the
    service has answered: a slip in the command must not empty an older one."""
    reached = None
    with ExitStack() as closing:
        pages = iter(client.result_pages(job, cursor=cursor, follow=follow, filters=filters))
        page = next(pages, None)
        target: IO[str] = sys.stdout
        if output:
            mode = "a" if cursor else "w"
            target = closing.enter_context(output.open(mode, encoding="utf-8", newline=""))
        write = _csv_writer(target, header=cursor is None) if kind == "csv" else _jsonl_writer(target)
        try:
            while page is not None:
                for result in page.items:
                    write(result)
                target.flush()
                reached = page.next_cursor or reached
                page = next(pages, None)
        finally:
            if reached or cursor:
                click.echo(f"cursor: {reached or cursor}", err=True)


def _jsonl_writer(target: IO[str]) -> Any:
    def write(result: Result) -> None:
        target.write(result.model_dump_json() + "\n")

    return write


def _csv_writer(target: IO[str], *, header: bool) -> Any:
    writer = csv.DictWriter(target, CSV_COLUMNS, extrasaction="ignore")
    if header:
        writer.writeheader()

    def write(result: Result) -> None:
        import orjson

        row = result.model_dump(mode="json")
        for column in ("variant", "expected"):
            row[column] = orjson.dumps(row[column]).decode()
        writer.writerow(row)

    return write


def _write_ruler(client: SyncClient, job: str, folder: Path | None) -> None:
    from fathom.formats.ruler import write_predictions

    if folder is None:
        raise BadInput("--format ruler writes a file a task and length: give the folder with --output")
    detail = client.job(job)
    for path in write_predictions(detail, client.results(job), folder):
        click.echo(str(path))
