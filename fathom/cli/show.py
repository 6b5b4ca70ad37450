"""One sample of a job."""

from __future__ import annotations

import click

from fathom.cli.common import connect, json_option, plain, print_json, server_options


@click.command()
@click.argument("job")
@click.argument("cell", type=click.IntRange(min=0))
@click.argument("index", type=click.IntRange(min=0))
@click.option("--prompt/--no-prompt", default=True, help="Rebuild and show the prompt.")
@server_options
@json_option
def show(job: str, cell: int, index: int, prompt: bool, server: str | None, token: str | None, as_json: bool) -> None:
    """One sample: prompt (rebuilt and checked by its hash), answer, score and every attempt.

    CELL and INDEX stand in the results (`fathom results JOB --format csv`).
    """
    with connect(server, token) as client:
        sample = client.sample(job, cell, index)
        text = client.prompt(job, cell, index) if prompt else None
    if as_json:
        print_json({**plain(sample), "prompt": plain(text)})
        return
    click.echo(f"job {job}, cell {cell} ({sample.task} at {sample.length}), sample {index}: {sample.state}")
    if text is not None:
        same = {True: "matches the result's", False: "DIFFERS from the result's", None: "no result yet"}[text.matches]
        click.echo(f"\nprompt: {text.tokens} tokens, {text.bytes} bytes, sha256 {text.sha256[:16]}… ({same})")
        if text.system:
            click.echo(f"system: {text.system}")
        click.echo(text.head + (f"\n[…]\n{text.tail}" if text.tail else ""))
    if (result := sample.result) is not None:
        click.echo(f"\nexpected: {', '.join(result.expected)}")
        click.echo(f"answer:   {result.answer}")
        if result.thinking:
            click.echo(f"thinking: {result.thinking}")
        score = "not a measurement" if result.score is None else f"score {result.score:.3f}"
        click.echo(f"{result.status.value}, {score}" + (f": {result.error}" if result.error else ""))
    for attempt in sample.attempts:
        click.echo(f"attempt {attempt.attempt} by {attempt.worker or '?'}: {attempt.kind} {attempt.message}")
