"""Follow a job: one live line in a terminal, a line a change elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from fathom.cli.common import connect, json_option, print_json, server_options, warn
from fathom.errors import Failed

if TYPE_CHECKING:
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
        follow(client, job, as_json=as_json)


def follow(client: SyncClient, job: str, *, as_json: bool) -> None:
    """Show a job's progress until it is finished, then its table; raises Failed unless it completed without errors."""
    last: JobDetail | None = None
    try:
        with Display(as_json=as_json) as display:
            for last in client.watch(job, on_gap=display.gap):
                display.show(last)
    except KeyboardInterrupt:
        raise Failed(f"stopped watching; the job goes on: fathom watch {job}") from None
    assert last is not None
    conclude(last, as_json=as_json)


def conclude(job: JobDetail, *, as_json: bool = False) -> None:
    """The table of a finished job; raises Failed unless it completed without errors."""
    if not as_json:
        from fathom.cli.results import print_results

        print_results(job)
    if job.state != "completed":
        raise Failed(_ending(job))


def _ending(job: JobDetail) -> str:
    """Why a finished job is not simply completed, in one line."""
    counts = job.counts
    if job.state == "cancelled":
        return f"job {job.id} was cancelled after {counts.done} of {counts.planned} samples"
    return (
        f"job {job.id} completed with errors: {counts.failed} of {counts.planned} samples failed; "
        f"see `fathom results {job.id} --format jsonl --status error`, then `fathom retry {job.id}`"
    )


class Display:
    """Shows a job as it changes: JSON lines, one live line in a terminal, or a line of text whenever there is news."""

    def __init__(self, *, as_json: bool = False) -> None:
        from rich.console import Console
        from rich.live import Live

        self._json = as_json
        self._console = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
        self._live = Live(console=self._console, refresh_per_second=4) if self._console.is_terminal else None
        self._shown: object = None
        self._warned: set[str] = set()
        self._text = ""
        self._away = False

    def __enter__(self) -> Self:
        if self._live is not None and not self._json:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None and not self._json:
            self._live.stop()

    def show(self, job: JobDetail) -> None:
        from fathom.cli.text import progress_line, waiting_lines, warning_lines

        self._away = False
        if self._json:
            print_json(job)
            return
        self._text = "\n".join([progress_line(job), *waiting_lines(job)])
        news = (
            job.state,
            job.counts.model_copy(update={"in_flight": 0, "pending": 0}),
            [w.reason for w in job.waiting],
        )
        if self._live is not None:
            self._live.update("\n".join([self._text, *warning_lines(job)]))
            return
        for warning in job.warnings:
            if warning not in self._warned:
                warn(warning)
        self._warned.update(job.warnings)
        if news != self._shown:
            self._console.print(self._text)
            self._shown = news

    def gap(self, why: str) -> None:
        """The service does not answer; the watching goes on by itself."""
        line = f"{why}; trying again"
        if self._live is not None and not self._json:
            self._live.update("\n".join(filter(None, [self._text, line])))
        elif not self._away:
            click.echo(f"fathom: {line}", err=True)
        self._away = True
