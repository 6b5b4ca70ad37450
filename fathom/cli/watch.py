"""Follow a job: one live line in a terminal, a line a change elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from fathom.cli.common import connect, json_option, print_json, server_options
from fathom.errors import Failed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

    from fathom.sync import SyncClient
    from protocol.jobs import JobDetail


@click.command()
@click.argument("job")
@server_options
@json_option
def watch(job: str, server: str | None, token: str | None, as_json: bool) -> None:
    """Follow a job until it is finished, then show its table.

    Goes on by itself when the service restarts. Ctrl-C stops the watching, not the job. Exits with 1 when the job
    ended with errors or was cancelled. --json prints a line of JSON for each change.
    """
    with connect(server, token) as client:
        follow(client, job, as_json)


def follow(client: SyncClient, job: str, as_json: bool) -> JobDetail:
    """Show a job's progress until it is finished; raises Failed unless it completed without errors."""
    try:
        last = _follow_json(client, job) if as_json else _follow_text(client, job)
    except KeyboardInterrupt:
        raise Failed(f"stopped watching; the job goes on: fathom watch {job}") from None
    if not as_json:
        from fathom.cli.results import print_results

        print_results(last)
    if last.state != "completed":
        raise Failed(ending(last))
    return last


def ending(job: JobDetail) -> str:
    """Why a finished job is not simply completed, in one line."""
    counts = job.counts
    if job.state == "cancelled":
        return f"job {job.id} was cancelled after {counts.done} of {counts.planned} samples"
    return (
        f"job {job.id} completed with errors: {counts.failed} of {counts.planned} samples failed; "
        f"see `fathom results {job.id} --format jsonl --status error`, then `fathom retry {job.id}`"
    )


def _follow_json(client: SyncClient, job: str) -> JobDetail:
    last: JobDetail | None = None
    for last in client.watch(job, on_gap=lambda why: click.echo(f"fathom: {why}", err=True)):
        print_json(last)
    assert last is not None
    return last


def _follow_text(client: SyncClient, job: str) -> JobDetail:
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
    with _live(console) as live:
        gap: list[str] = []
        last: JobDetail | None = None

        def on_gap(why: str) -> None:
            if live is None and not gap:
                console.print(f"{why}; trying again")
            gap[:] = [why]
            if live is not None:
                live.update(_display(last, gap))

        shown = ""
        for last in client.watch(job, on_gap=on_gap):
            gap.clear()
            text = _display(last, gap)
            if live is not None:
                live.update(text)
            elif _without_clock(text) != shown:
                console.print(text)
                shown = _without_clock(text)
    assert last is not None
    return last


@contextlib.contextmanager
def _live(console: Console) -> Iterator[Live | None]:
    """A live display where there is a terminal."""
    if not console.is_terminal:
        yield None
        return
    from rich.live import Live

    with Live(console=console, refresh_per_second=4) as live:
        yield live


def _display(job: JobDetail | None, gap: list[str]) -> str:
    from fathom.cli.text import progress_line, waiting_lines

    lines = [progress_line(job), *waiting_lines(job)] if job is not None else []
    return "\n".join(lines + [f"{why}; trying again" for why in gap])


def _without_clock(text: str) -> str:
    """The text without what changes by itself, to tell whether there is news."""
    return "|".join(p for p in text.split("|") if not p.strip().startswith(("elapsed", "eta")))
