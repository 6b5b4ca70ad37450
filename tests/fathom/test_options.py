"""Command-line options out of a benchmark's definition."""

from __future__ import annotations

from typing import Any, Literal

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from benchmarks.registry import get
from fathom.cli.options import lengths_of, options_of, values_of
from fathom.errors import BadInput


class Options(BaseModel):
    """A benchmark's options with every kind of field."""

    tasks: list[str] = Field(default_factory=lambda: ["a", "b"], description="What to run.")
    lengths: list[int] = [4096]
    samples: int = Field(default=10, description="How many.")
    share: float | None = None
    mode: Literal["fast", "slow"] = "fast"
    other: Literal["x", "y"] | None = None
    strict: bool = True
    budgets: int | dict[str, int] | None = None
    note: str = ""


SCHEMA = Options.model_json_schema()


def parse(*arguments: str) -> dict[str, Any]:
    """The JSON values that a command line gives."""
    command = click.Command("c", params=list(options_of(SCHEMA)), callback=lambda **given: values_of(SCHEMA, given))
    values: dict[str, Any] = command.main(list(arguments), standalone_mode=False)
    return values


def test_options_that_are_not_given_are_not_sent() -> None:
    assert parse() == {}


def test_lists_are_comma_separated_and_numbers_become_numbers() -> None:
    values = parse("--tasks", "a, b", "--lengths", "4096,8192", "--samples", "3", "--share", "0.5")
    assert values == {"tasks": ["a", "b"], "lengths": [4096, 8192], "samples": 3, "share": 0.5}
    assert Options.model_validate(values).lengths == [4096, 8192]


def test_what_is_no_number_goes_to_the_validation_as_it_was_written() -> None:
    assert parse("--lengths", "4k,8192", "--samples", "many") == {"lengths": ["4k", 8192], "samples": "many"}


def test_lists_and_objects_may_be_json() -> None:
    assert parse("--tasks", '["a,b"]', "--budgets", '{"a": 3}') == {"tasks": ["a,b"], "budgets": {"a": 3}}
    assert parse("--budgets", "7") == {"budgets": 7}
    assert parse("--budgets", "a=3,b=4") == {"budgets": "a=3,b=4"}


def test_flags_can_be_switched_off_and_choices_are_checked() -> None:
    assert parse("--no-strict", "--mode", "slow", "--other", "y") == {"strict": False, "mode": "slow", "other": "y"}
    with pytest.raises(click.UsageError, match="'idle' is not one of 'fast', 'slow'"):
        parse("--mode", "idle")


def test_the_help_shows_what_the_definition_says() -> None:
    text = click.Command("c", params=list(options_of(SCHEMA))).get_help(click.Context(click.Command("c")))
    assert "How many.  [default: 10]" in text
    assert "[fast|slow]" in text


def test_every_option_of_ruler_has_a_flag_and_help() -> None:
    schema = get("ruler").options_model.model_json_schema()
    options = {option.name: option for option in options_of(schema)}
    assert set(options) == set(schema["properties"])
    assert all(option.help for option in options.values())


@given(st.lists(st.integers(1, 4_000_000), min_size=1))
def test_lengths_are_read_as_they_are_written(lengths: list[int]) -> None:
    assert lengths_of(",".join(map(str, lengths))) == lengths


def test_lengths_may_be_written_short() -> None:
    assert lengths_of("4k, 128K,1m") == [4096, 131072, 1_048_576]
    for wrong in ("4x", "k", "-4", "4.5k"):
        with pytest.raises(BadInput, match="must be whole numbers of tokens"):
            lengths_of(wrong)
