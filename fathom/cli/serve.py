"""The service in pieces, for deployments that bring their own Postgres: migrate, serve, health, login."""

from __future__ import annotations

import click

from fathom.cli.common import connect, json_option, print_json, server_options
from fathom.errors import BadInput, Failed


@click.command()
@server_options
@json_option
def health(server: str | None, token: str | None, as_json: bool) -> None:
    """Say whether the service and its database answer. Needs no token; exits with 1 when they do not."""
    with connect(server, token) as client:
        found = client.health()
    if as_json:
        print_json(found)
    else:
        click.echo(f"the service at {client.server} is ready")


@click.command()
@server_options
@json_option
def login(server: str | None, token: str | None, as_json: bool) -> None:
    """Save the token of a service for this user, in a file that only this user can read.

    Asks for the token unless --token or FATHOM_TOKEN gives it.
    """
    from fathom.config import save_token

    given = token or click.prompt("token", hide_input=True, err=True)
    if not str(given).strip():
        raise BadInput("token: empty")
    with connect(server, str(given).strip()) as client:
        client.jobs(limit=1)
    path = save_token(client.server, str(given).strip())
    if as_json:
        print_json({"server": client.server, "file": str(path)})
    else:
        click.echo(f"token for {client.server} saved in {path}")


def database_url() -> str:
    """DATABASE_URL, or the error that says what it is for."""
    import os

    if url := os.environ.get("DATABASE_URL"):
        return url
    raise Failed("DATABASE_URL is not set; set it to a Postgres 14 or newer, or use `fathom up`, which brings its own")


@click.command()
@json_option
def migrate(as_json: bool) -> None:
    """Bring the database of DATABASE_URL to this version's schema. Safe to run at any time, from several places."""
    import asyncio

    from fathom.database import database_errors
    from service.db import migrate as migrations

    url = database_url()
    with database_errors():
        asyncio.run(migrations.upgrade(url))
    if as_json:
        print_json({"migrated": True})
    else:
        click.echo("the database has this version's schema")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, envvar="FATHOM_HOST")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, envvar="FATHOM_PORT")
@json_option
def serve(host: str, port: int, as_json: bool) -> None:
    """Start the service alone, on the migrated Postgres of DATABASE_URL.

    FATHOM_TOKEN, when it is set, is let in as an admin's; otherwise the first start makes one and prints it once.
    Other settings: FATHOM_DATA, FATHOM_LOG_FORMAT (text or json), FATHOM_LOG_LEVEL and what docs/deployment.md lists.
    --json prints a line of JSON with the address.
    """
    import asyncio
    import dataclasses
    import os

    from fathom.database import database_errors
    from fathom.logs import start_logging
    from service.serve import bind
    from service.serve import serve as run
    from service.settings import from_environment

    url = database_url()
    with database_errors():
        settings = dataclasses.replace(from_environment(), database_url=url, host=host, port=port)
        start_logging(settings.log_level, as_json=settings.log_format == "json")
        made = asyncio.run(_prepare(url, os.environ.get("FATHOM_TOKEN")))
        listener = bind(settings)
        address = f"http://{host}:{listener.getsockname()[1]}"
        if as_json:
            print_json({"server": address, "token": made})
        else:
            click.echo(f"service {address}" + (f"\ntoken (shown once) {made}" if made else ""))
        run(settings, listener)


async def _prepare(url: str, token: str | None) -> str | None:
    """Check the schema and see to the admin token; returns it when it was made now."""
    from service import auth
    from service.db import migrate as migrations
    from service.db.engine import make_engine

    await migrations.check(url)
    engine = make_engine(url)
    try:
        return await auth.bootstrap(engine, token)
    finally:
        await engine.dispose()
