"""What the pages say exists: commands, their flags, linked files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fathom.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(page: Path) -> Iterator[str]:
    """Each `fathom …` in a code span or at the start of a line of a code block (continued lines joined)."""
    text = page.read_text()
    blocks = re.findall(r"^```.*?^```", text, re.M | re.S)
    for block in blocks:
        for line in block.replace("\\\n", " ").splitlines():
            found = re.match(r"^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(fathom [a-z].*)$", line)
            if found:
                yield found[1]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    yield from re.findall(r"`(fathom [a-z][^`]*)`", prose)


def problem(line: str) -> str | None:
    """What is wrong with a command line: an unknown command, or a flag it does not have."""
    words = shlex.split(line.split(" #")[0].split(" | ")[0].split(" > ")[0], posix=True)
    command: click.Command = main
    flags: set[str] = set()
    for word in words[1:]:
        if word.startswith("-"):
            if word.startswith("--") and word.partition("=")[0] not in flags:
                return f"no flag {word}"
        elif isinstance(command, click.Group) and re.fullmatch(r"[a-z][a-z0-9-]*", word):
            below = command.get_command(click.Context(command), word)
            if below is None:
                return None if flags and command.invoke_without_command else f"no command {word!r}"
            command = below
        flags |= {flag for p in command.params for flag in (*p.opts, *p.secondary_opts)} | {"--help", "--version"}
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_exist_with_the_flags_it_shows(page: Path) -> None:
    wrong = {line: what for line in commands(page) if (what := problem(line))}
    assert wrong == {}


def test_the_check_sees_a_command_and_a_flag_that_do_not_exist() -> None:
    assert problem("fathom submit ruler --model m --tasks vt --watch") is None
    assert problem("fathom submitt ruler") == "no command 'submitt'"
    assert problem("fathom submit ruler --modell m") == "no flag --modell"
    assert problem("fathom worker --server URL --concurrency 4") is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_every_guide_is_in_the_index() -> None:
    listed = set(re.findall(r"\]\(([^)]+\.md)\)", (ROOT / "docs" / "index.md").read_text()))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"} <= listed
