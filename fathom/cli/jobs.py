"""List jobs and steer them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from fathom.cli.checking import checked
from fathom.cli.common import (
    Command,
    connect,
    json_option,
    json_pairs,
    print_json,
    print_table,
    server_options,
)
from fathom.cli.retrying import retry_options, retry_policy

if TYPE_CHECKING:
    from fathom.sync import SyncClient
    from protocol.jobs import Job

STATES = ("running", "paused", "cancelled", "completed", "completed_with_errors")
STATUSES = (
    "error",
    "cut_answer",
    "empty_answer",
    "truncated_prompt",
    "context_overflow",
    "thinking_cut",
    "no_tokens",
)


@click.command()
@click.option("--state", type=click.Choice(STATES), help="Only jobs in this state.")
@click.option("--model", help="Only jobs on this model.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many, newest first.")
@server_options
@json_option
def jobs(
    state: str | None, model: str | None, limit: int, server: str | None, token: str | None, as_json: bool
) -> None:
    """List jobs, newest first.

    `mean` is over the measurements alone; `scored` says how many there are of the samples planned.
    """
    with connect(server, token) as client:
        found = client.jobs(state=state, model=model, limit=limit)
    if as_json:
        print_json(found)
        return
    columns = ["job", "name", "benchmark", "model", "state", "mean", "scored", "failed", "not measured", "left", "eta"]
    print_table(columns, [_row(job) for job in found], right=columns[5:], empty="no jobs yet: fathom submit --help")


def _row(job: Job) -> list[Any]:
    from fathom.cli.text import duration, score

    counts = job.counts
    return [
        job.id,
        job.name,
        job.benchmark,
        job.model,
        job.state.value,
        score(job.mean),
        f"{counts.scored}/{counts.planned}",
        counts.failed,
        counts.not_a_measurement,
        counts.planned - counts.done,
        duration(job.eta_seconds) if job.eta_seconds is not None else None,
    ]


def _verb(name: str, done: str) -> Callable[[Command], click.Command]:
    """A command that sends one verb to a job and prints what became of it."""

    def decorate(function: Command) -> click.Command:
        @click.command(name, help=function.__doc__)
        @click.argument("job")
        @server_options
        @json_option
        def command(job: str, server: str | None, token: str | None, as_json: bool) -> None:
            with connect(server, token) as client:
                changed: Job = function(client, job)
            _say(changed, done, as_json)

        return command

    return decorate


def _say(job: Job, done: str, as_json: bool) -> None:
    if as_json:
        print_json(job)
    else:
        counts = job.counts
        click.echo(f"job {job.id} {done}: {job.state.value}, {counts.done} of {counts.planned} samples done")


@_verb("pause", "paused")
def pause(client: SyncClient, job: str) -> Job:
    """Hand out no more samples of a job; calls in flight finish."""
    return client.pause(job)


@_verb("resume", "resumed")
def resume(client: SyncClient, job: str) -> Job:
    """Go on with a paused job."""
    return client.resume(job)


@_verb("cancel", "cancelled")
def cancel(client: SyncClient, job: str) -> Job:
    """End a job. Calls in flight are stopped; the results it has stay."""
    return client.cancel(job)


@click.command()
@click.argument("job")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(STATUSES),
    help="Ask samples again that ended with this status (may be repeated). Default: error.",
)
@click.option(
    "--sample",
    "samples",
    multiple=True,
    nargs=2,
    type=click.IntRange(min=0),
    metavar="CELL INDEX",
    help="Ask this sample again whatever its status (may be repeated).",
)
@server_options
@json_option
def retry(
    job: str,
    statuses: tuple[str, ...],
    samples: tuple[tuple[int, int], ...],
    server: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Ask samples of a job again. Every good result stays."""
    from protocol.jobs import Retry, Status

    chosen = [Status(s) for s in statuses] if statuses or samples else [Status.ERROR]
    with checked():
        what = Retry(statuses=chosen, samples=list(samples))
    with connect(server, token) as client:
        _say(client.retry(job, what), "goes on", as_json)


@click.command()
@click.argument("job")
@click.option("--samples", type=click.IntRange(min=1), help="New number of samples a cell; not fewer than now.")
@click.option("--lengths", help="Further lengths in tokens, comma separated.")
@click.option("--tasks", help="Further tasks, comma separated.")
@server_options
@json_option
def extend(
    job: str,
    samples: int | None,
    lengths: str | None,
    tasks: str | None,
    server: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Extend a job without redoing what is done."""
    from fathom.cli.options import lengths_of
    from protocol.jobs import Extension

    if samples is None and lengths is None and tasks is None:
        raise click.UsageError("nothing to extend: give --samples, --lengths or --tasks", click.get_current_context())
    with checked():
        extension = Extension(
            samples=samples,
            lengths=lengths_of(lengths) if lengths else None,
            tasks=[t.strip() for t in tasks.split(",") if t.strip()] if tasks else None,
        )
    with connect(server, token) as client:
        _say(client.extend(job, extension), "extended", as_json)


@click.command()
@click.argument("job")
@click.option("--model", help="Run on this model instead.")
@click.option(
    "--option",
    "options",
    multiple=True,
    callback=json_pairs,
    metavar="KEY=JSON",
    help="Change an option of the benchmark, e.g. --option samples=50 --option 'lengths=[8192]'.",
)
@click.option(
    "--run",
    multiple=True,
    callback=json_pairs,
    metavar="KEY=JSON",
    help="Change how samples are asked, e.g. --run thinking_budget=2000 --run count_invalid=zero.",
)
@click.option("--name", help="Name of the copy.")
@server_options
@json_option
def clone(
    job: str,
    model: str | None,
    options: dict[str, Any],
    run: dict[str, Any],
    name: str | None,
    server: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Submit a copy of a job with changes."""
    from protocol.jobs import Clone

    with checked():
        changes = Clone(model=model, options=options, run=run, name=name)
    with connect(server, token) as client:
        _say(client.clone(job, changes), "submitted", as_json)


@click.command("set", params=retry_options())
@click.argument("job")
@click.option("--name", help="Name shown in lists.")
@click.option("--priority", type=click.IntRange(-1000, 1000), help="Higher goes first.")
@click.option("--max-concurrency", type=click.IntRange(min=0), help="Calls in flight over all workers; 0 is no limit.")
@server_options
@json_option
def change(
    job: str,
    name: str | None,
    priority: int | None,
    max_concurrency: int | None,
    server: str | None,
    token: str | None,
    as_json: bool,
    **retrying: Any,
) -> None:
    """Change a job while it runs: its name, priority, concurrency or retry policy."""
    from protocol.jobs import JobChange

    changes: dict[str, Any] = {k: v for k, v in {"name": name, "priority": priority}.items() if v is not None}
    policy = retry_policy(retrying)
    if max_concurrency is not None:
        changes["max_concurrency"] = max_concurrency or None
    if not changes and not policy:
        raise click.UsageError("nothing to change", click.get_current_context())
    with connect(server, token) as client:
        if policy:
            changes["retry"] = {**client.job(job).retry.model_dump(), **policy}
        with checked():
            change = JobChange(**changes)
        _say(client.change_job(job, change), "changed", as_json)
