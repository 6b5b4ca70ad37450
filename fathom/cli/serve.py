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
