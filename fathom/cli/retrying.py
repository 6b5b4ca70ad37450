"""The retry policy of a job as options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

_DAY = 86_400
_FIELDS = {"retries": "max_attempts", "retry_base": "base_seconds", "retry_max": "max_seconds"}


def retry_options() -> list[click.Parameter]:
    """Options for each field of the policy. Its defaults are the protocol's: what is not given is not sent."""
    seconds = click.FloatRange(0, _DAY)
    return [
        click.Option(["--retries"], type=click.IntRange(1, 100), help="Attempts a sample.  [default: 5]"),
        click.Option(
            ["--retry-base"],
            type=seconds,
            metavar="SECONDS",
            help="Longest wait before the second attempt; it doubles with each further one.  [default: 1]",
        ),
        click.Option(
            ["--retry-max"], type=seconds, metavar="SECONDS", help="Longest wait before any attempt.  [default: 120]"
        ),
    ]


def retry_policy(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the policy that were given."""
    return {field: given[name] for name, field in _FIELDS.items() if given[name] is not None}
