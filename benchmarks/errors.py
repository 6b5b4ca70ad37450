"""The error tree of the package."""

from __future__ import annotations


class BenchmarkError(Exception):
    """Base of all errors of this package."""


class OptionsError(BenchmarkError):
    """An option, or a combination of options, that cannot work.

    `field` is the dotted path below `options` (`lengths.0`), `value` what was given; the message says the limit
    that was hit and what would be right.
    """

    def __init__(self, field: str, value: object, message: str) -> None:
        super().__init__(f"{field} = {value!r}: {message}")
        self.field, self.value, self.message = field, value, message


class MissingAsset(BenchmarkError):
    """A file that the samples are built from was not given. Says the role and how to install it."""

    def __init__(self, role: str, message: str) -> None:
        super().__init__(f"asset {role!r}: {message}")
        self.role, self.message = role, message


class InvalidAsset(BenchmarkError):
    """A file that is not what its role wants, or whose SHA-256 differs."""

    def __init__(self, role: str, message: str) -> None:
        super().__init__(f"asset {role!r}: {message}")
        self.role, self.message = role, message


class UnknownBenchmark(BenchmarkError):
    """No benchmark of that name; the message names those that exist."""
