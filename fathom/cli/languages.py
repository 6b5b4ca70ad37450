"""`fathom languages`: the languages RULER speaks, and the check of a file for a new one."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.cli.common import json_option, print_json, print_table
from fathom.errors import BadInput


@click.group()
def languages() -> None:
    """List the languages of RULER, show one, or check a file for a new one."""


@languages.command("list")
@json_option
def list_languages(as_json: bool) -> None:
    """List the languages: code, name, whether a native speaker reviewed it, where its words come from."""
    from benchmarks.ruler import languages as known

    rows = []
    for code in known.names():
        language = known.load(code)
        words = language.words("list")
        rows.append(
            {
                "code": language.code,
                "name": language.name,
                "version": language.version,
                "reviewed": language.reviewed,
                "source": language.source,
                "words": words.name,
                "words_sha256": words.sha256,
                "number_of_words": len(words.words),
            }
        )
    if as_json:
        print_json(rows)
        return
    columns = ("code", "name", "reviewed", "source", "words", "number_of_words")
    shown = [[("yes" if v else "no") if isinstance(v := row[c], bool) else v for c in columns] for row in rows]
    print_table(("code", "name", "reviewed", "source", "words of cwe", "number"), shown, right=("number",))


@languages.command()
@click.argument("code")
@json_option
def show(code: str, as_json: bool) -> None:
    """Print the file of a language, to begin a new one with: fathom languages show da > sv.toml."""
    from benchmarks.errors import OptionsError
    from benchmarks.ruler.languages import text_of

    try:
        text = text_of(code)
    except OptionsError as error:
        raise BadInput(str(error)) from error
    if as_json:
        import tomllib

        print_json(tomllib.loads(text))
    else:
        click.echo(text, nl=False)


@languages.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def check(file: Path, as_json: bool) -> int:
    """Check a language FILE (TOML): placeholders, labels, words, sentence splitter.

    Ends with exit code 2 when something is wrong. A file in order is registered for jobs with
    `fathom assets add ruler-language-CODE FILE --kind words`.
    """
    from benchmarks.ruler.languages.check import problems, read

    data, found = read(file)
    found = found or problems(data)
    if as_json:
        print_json({"file": str(file), "ok": not found, "problems": [[p.place, p.message] for p in found]})
    elif found:
        for problem in found:
            click.echo(f"{file}: {problem.place}: {problem.message}", err=True)
    else:
        click.echo(f"{file}: in order")
    return 2 if found else 0
