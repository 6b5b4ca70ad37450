"""Workers: start one here; list, deploy, drain and stop those elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.cli.common import json_option, key_values, server_options
from fathom.cli.lazy import LazyCommand
from fathom.errors import BadInput, Failed

COMMANDS = {
    name: LazyCommand(f"fathom.cli.deploy:{attribute}", text)
    for name, attribute, text in (
        ("deploy", "deploy", "Install and start a worker on another machine over SSH."),
        ("list", "list_workers", "List the workers the service knows."),
        ("logs", "logs", "Show the log of a deployed worker."),
        ("drain", "drain", "Let a worker finish what it has and leave."),
        ("stop", "stop", "Stop a deployed worker."),
    )
}


class Concurrency(click.ParamType[int | None]):
    """A whole number, or `auto` (None)."""

    name = "N|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value is None or value == "auto":
            return None
        try:
            number = int(value)
        except ValueError:
            number = 0
        if not 1 <= number <= 10_000:
            self.fail(f"{value!r}: must be auto or a whole number from 1 to 10000", param, ctx)
        return number


CONCURRENCY = Concurrency()


class WorkerGroup(click.Group):
    """`fathom worker` starts a worker; its subcommands look after others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return COMMANDS[cmd_name].load() if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Other workers"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])


@click.group(cls=WorkerGroup, invoke_without_command=True)
@click.option("--concurrency", type=CONCURRENCY, default="auto", show_default=True, help="Calls in flight.")
@click.option("--name", help="Name shown in lists. Default: host and process number.")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="KEY=VALUE",
    callback=key_values,
    help="What this worker offers, e.g. gpu=h100.",
)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Folder for cached assets and unsent outcomes."
)
@click.option(
    "--grace", type=click.FloatRange(0), default=30, show_default=True, help="Seconds to finish after SIGTERM."
)
@click.option("--stream", is_flag=True, help="Ask for streamed replies, so that times to first token are known.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning"]), default="info", show_default=True)
@server_options
@json_option
def worker(server: str | None, token: str | None, as_json: bool, **given: Any) -> int:
    """Start a worker: it leases samples from the service, asks the models and reports.

    It only calls out, over HTTP(S), so it runs anywhere: on a laptop, behind NAT, on the GPU box itself. SIGTERM or
    Ctrl-C makes it finish or hand back what it has. Exits with 0 when it has left in order. --json writes its log as
    lines of JSON.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    from fathom.config import data_folder, find_token, server_address

    address = server_address(server)
    found = find_token(address, token)
    if found is None:
        raise BadInput(f"no token for {address}: give --token or FATHOM_TOKEN, or save it once with `fathom login`")

    from fathom.children import hold_lifeline
    from fathom.logs import start_logging
    from workers.errors import WorkerError
    from workers.main import run
    from workers.settings import WorkerSettings

    named = {"name": given["name"]} if given["name"] else {}
    settings = WorkerSettings(
        server=address,
        data=given["data"] or data_folder() / "workers",
        token=found,
        concurrency=given["concurrency"],
        labels=given["labels"],
        grace_seconds=given["grace"],
        stream=given["stream"],
        **named,
    )
    hold_lifeline()
    start_logging(given["log_level"], as_json=as_json)
    try:
        return run(settings)
    except WorkerError as error:
        raise Failed(str(error)) from error
