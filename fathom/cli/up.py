"""`fathom up`: everything on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli.common import json_option, print_json
from fathom.cli.worker import CONCURRENCY

if TYPE_CHECKING:
    from fathom.local import Plan, Running


@click.command()
@click.option("--workers", type=click.IntRange(0, 64), default=1, show_default=True, help="Workers to start here.")
@click.option("--concurrency", type=CONCURRENCY, default="auto", show_default=True, help="Calls in flight a worker.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the database, caches and logs. Default: FATHOM_DATA, else /var/lib/fathom as root and the user's "
    "data folder otherwise.",
)
@click.option("--show-token", is_flag=True, help="Print the dashboard's address with its token again.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning"]), default="warning", show_default=True)
@json_option
def up(
    workers: int,
    concurrency: int | None,
    host: str,
    port: int,
    data: Path | None,
    show_token: bool,
    log_level: str,
    as_json: bool,
) -> None:
    """Start everything on this machine: database, service, dashboard and workers.

    The database is a Postgres of its own in the data folder, unless DATABASE_URL names another (14 or newer). The
    first start makes an admin token, saves it for this user and prints the dashboard's address with it. Ctrl-C stops
    everything that was started, and nothing else; what was in flight is handed back to the queue.
    """
    from fathom.config import data_folder
    from fathom.local import Plan, default_database_url

    plan = Plan(data_folder(data), host, port, workers, concurrency, default_database_url(), log_level)
    asyncio.run(_up(plan, show_token=show_token, as_json=as_json))


async def _up(plan: Plan, *, show_token: bool, as_json: bool) -> None:
    from fathom.local import running
    from fathom.logs import start_logging

    start_logging(plan.log_level)
    async with running(plan) as now:
        _announce(now, show_token=show_token, as_json=as_json)
        await now.interrupted.wait()
        if not as_json:
            click.echo("\nstopping (Ctrl-C again: at once)", err=True)


def _announce(now: Running, *, show_token: bool, as_json: bool) -> None:
    shown = now.token_is_new or show_token
    plan = now.plan
    if as_json:
        dashboard = now.dashboard if shown else now.address
        print_json({"server": now.address, "dashboard": dashboard, "data": plan.data, "workers": plan.workers,
                    "token_file": now.token_file, "log": plan.data / "logs"})  # fmt: skip
        return
    click.echo(f"service    {now.address}  (API: {now.address}/docs)")
    click.echo(f"dashboard  {now.dashboard if shown else now.address}")
    click.echo(f"token      saved in {now.token_file}" + ("" if shown else "; --show-token prints it"))
    click.echo(f"database   {'DATABASE_URL' if plan.database_url else plan.data / 'postgres'}")
    click.echo(f"workers    {plan.workers}, logs in {plan.data / 'logs'}")
    click.echo("Ctrl-C stops all of it.")
