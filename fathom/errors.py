"""The error tree of the package. Each error is one clear line, with the exit code the command line ends with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.common import FieldProblem


class FathomError(Exception):
    """Base of all errors of this package."""

    exit_code = 1


class BadInput(FathomError):
    """What the user gave cannot work; the message says what would."""

    exit_code = 2


class MissingPart(FathomError):
    """A part of Fathom that this installation does not have; the message says how to install it."""


class Unreachable(FathomError):
    """The service does not answer."""


class Failed(FathomError):
    """The thing was tried and did not succeed."""


class Refused(FathomError):
    """The service answered with a problem document (RFC 9457)."""

    def __init__(self, status: int, title: str, detail: str = "", errors: Sequence[FieldProblem] = ()) -> None:
        self.status, self.title, self.detail, self.errors = status, title, detail, tuple(errors)
        self.exit_code = 2 if 400 <= status < 500 and status not in (408, 429) else 1
        super().__init__(self._line())

    def _line(self) -> str:
        """All of it in one line: the fields when it names some, else the detail."""
        if self.errors:
            return "; ".join(_field_line(e) for e in self.errors)
        return " ".join((self.detail or self.title or f"HTTP {self.status}").split())


def _field_line(problem: FieldProblem) -> str:
    message = " ".join(problem.message.split())
    if not problem.field:
        return message
    if problem.value is None or isinstance(problem.value, dict | list):
        return f"{problem.field}: {message}"
    shown = repr(problem.value)
    return f"{problem.field} = {shown if len(shown) <= 80 else shown[:77] + '...'}: {message}"
