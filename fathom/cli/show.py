"""A job as it stands, or one of its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    """A job as it stands; or one sample: prompt (rebuilt and checked by its hash), answer, score, every attempt.

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
        if result.thinking:
            click.echo(f"thinking: {visible(result.thinking)}")
        score = "not a measurement" if result.score is None else f"score {result.score:.3f}"
        click.echo(f"{result.status.value}, {score}" + (f": {visible(result.error)}" if result.error else ""))
    for attempt in sample.attempts:
        click.echo(f"attempt {attempt.attempt} by {attempt.worker or '?'}: {attempt.kind} {visible(attempt.message)}")
