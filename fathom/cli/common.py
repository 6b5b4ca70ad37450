"""What commands share: the service's address and token, JSON output, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from fathom.sync import SyncClient

Command = TypeVar("Command", bound=Callable[..., Any])


def server_options(function: Command) -> Command:
    """--server and --token; the command opens its client with `connect(server, token)`."""
    function = click.option(
        "--token", metavar="TOKEN", envvar="FATHOM_TOKEN", help="Its token. Default: FATHOM_TOKEN, else the saved one."
    )(function)
    return click.option(
        "--server",
        metavar="URL",
        envvar="FATHOM_SERVER",
        help="The service. Default: FATHOM_SERVER, else http://127.0.0.1:8765.",
    )(function)


def json_option(function: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


@contextmanager
def connect(server: str | None, token: str | None) -> Iterator[SyncClient]:
    """A client of the service, closed at the end."""
    from fathom.sync import SyncClient

    with SyncClient(server, token) as client:
        yield client


def warn(line: str) -> None:
    """A line on stderr that is not the end."""
    click.echo(f"fathom: warning: {line}", err=True)


def print_json(value: Any) -> None:
    """One line of JSON: models, lists of models, plain values."""
    import orjson

    click.echo(orjson.dumps(plain(value)).decode())


def plain(value: Any) -> Any:
    """JSON values of models, paths, lists and dicts of them."""
    from pathlib import Path

    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return str(value) if isinstance(value, Path) else value


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = (), empty: str | None = None
) -> None:
    """A plain table on stdout; the columns named in `right` are right-aligned. Without rows, the line `empty`."""
    if not rows and empty is not None:
        click.echo(empty)
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*("-" if value is None else str(value) for value in row))
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = 10_000  # never folded where a program or a file reads it
    with console.capture() as captured:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def key_values(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """Callback of options given as `key=value`."""
    pairs: dict[str, str] = {}
    for value in values:
        key, separator, text = value.partition("=")
        if not separator or not key:
            raise click.BadParameter(f"{value!r}: must be KEY=VALUE", ctx, parameter)
        pairs[key] = text
    return pairs


def json_pairs(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, Any]:
    """Callback of options given as `key=JSON`; what is no JSON is taken as text."""
    return {key: json_or_text(text) for key, text in key_values(ctx, parameter, values).items()}


def json_or_text(text: str) -> Any:
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
