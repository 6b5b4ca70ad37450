"""Input that cannot work, in one line that says what would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fathom.errors import BadInput

if TYPE_CHECKING:
    from pydantic import ValidationError


@contextmanager
def checked() -> Iterator[None]:
    """Turns what the protocol's models refuse into BadInput."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        raise in_words(error) from error


def in_words(error: ValidationError) -> BadInput:
    """The first thing that is wrong: field, value, and what would be right."""
    from protocol.wording import blamed, worded

    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"]))
    value = "" if (wrong := blamed(first)) is None else f" = {_short(wrong)}"
    return BadInput(f"{field}{value}: {worded(first)}" if field else worded(first))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
