"""A job as it stands, or one of its samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fathom.cli.common import connect, json_option, plain, print_json, server_options
from fathom.cli.text import reason_text, visible

if TYPE_CHECKING:
    from fathom.sync import SyncClient
    from protocol.results import PromptText, SampleDetail


@click.command()
@click.argument("job")
@click.argument("cell", type=click.IntRange(min=0), required=False)
@click.argument("index", type=click.IntRange(min=0), required=False)
@click.option("--prompt/--no-prompt", default=True, help="Rebuild and show the sample's prompt.")
@server_options
@json_option
def show(
    job: str, cell: int | None, index: int | None, prompt: bool, server: str | None, token: str | None, as_json: bool
) -> None:
    """A job as it stands; or one sample: prompt (rebuilt and checked by its hash), needles, answer, score, every attempt.

    Of a job that was submitted with --debug, the first sample of each cell is shown too, with the prompt as it was sent.
    CELL and INDEX of a sample stand in the results (`fathom results JOB --format csv`).
    """
    if cell is not None and index is None:
        raise click.UsageError("a sample is named by CELL and INDEX", click.get_current_context())
    with connect(server, token) as client:
        if cell is None or index is None:
            _show_job(client, job, as_json)
            return
        sample = client.sample(job, cell, index)
        text = client.prompt(job, cell, index) if prompt else None
    if as_json:
        print_json({**plain(sample), "prompt": plain(text)})
        return
    click.echo(
        f"job {job}, cell {cell} ({sample.task} at {sample.length}), sample {index}: {sample.state}"
        + (f", {reason_text(sample.waiting)}" if sample.waiting else "")
    )
    if text is not None:
        _print_prompt(text)
    _print_outcome(sample)


def _show_job(client: SyncClient, job: str, as_json: bool) -> None:
    from fathom.cli.results import print_results
    from fathom.cli.text import progress_line, waiting_lines, warning_lines

    found = client.job(job)
    if as_json:
        print_json(found)
        return
    for line in (progress_line(found), *waiting_lines(found), *warning_lines(found)):
        click.echo(line)
    print_results(found)
    if found.run.debug:
        for cell in found.cells:
            _print_first(client.sample(job, cell.cell, 0))


def _print_first(sample: SampleDetail) -> None:
    """What `--debug` kept of a cell's first sample: head and tail of what was sent, and how it went."""
    click.echo(f"\n=== {sample.task} at {sample.length}, first sample: {sample.state} ===")
    sent = sample.result.detail.get("debug") if sample.result is not None else None
    if isinstance(sent, dict):
        head, tail = str(sent.get("head", "")), str(sent.get("tail", ""))
        click.echo(visible(head) + (f"\n[…]\n{visible(tail)}" if tail else ""))
    _print_outcome(sample)


def _print_prompt(text: PromptText) -> None:
    same = {True: "matches the result's", False: "DIFFERS from the result's", None: "no result yet"}[text.matches]
    click.echo(f"\nprompt: {text.tokens} tokens, {text.bytes} bytes, sha256 {text.sha256[:16]}… ({same})")
    if text.system:
        click.echo(f"system: {visible(text.system)}")
    click.echo(visible(text.head) + (f"\n[…]\n{visible(text.tail)}" if text.tail else ""))


def _print_outcome(sample: SampleDetail) -> None:
    if (result := sample.result) is not None:
        click.echo(f"\nexpected: {visible(', '.join(result.expected))}")
        click.echo(f"answer:   {visible(result.answer)}")
        for depth, text in _needles(result.detail.get("needles")):
            click.echo(f"needle:   {depth}, {visible(text)}")
        if result.thinking:
            click.echo(f"thinking: {visible(result.thinking)}")
        score = "not a measurement" if result.score is None else f"score {result.score:.3f}"
        click.echo(f"{result.status.value}, {score}" + (f": {visible(result.error)}" if result.error else ""))
    for attempt in sample.attempts:
        click.echo(f"attempt {attempt.attempt} by {attempt.worker or '?'}: {attempt.kind} {visible(attempt.message)}")


def _needles(found: Any) -> Iterator[tuple[str, str]]:
    """Depth and text of the needles in a result's detail, whatever else a benchmark says of them."""
    for needle in found if isinstance(found, list) else []:
        if isinstance(needle, dict):
            depth = needle.get("depth")
            text = needle.get("text") or ", ".join(f"{key}: {value}" for key, value in needle.items() if key != "depth")
            yield (f"depth {depth:.1f} %" if isinstance(depth, int | float) else "somewhere"), str(text)
        else:
            yield "somewhere", str(needle)
