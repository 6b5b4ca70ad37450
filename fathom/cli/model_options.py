"""The flags of a model's fields, for `fathom model add` and `fathom model set`."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fathom.cli.common import Command, json_or_text, json_pairs, key_values
from fathom.errors import BadInput

APIS = ("openai-chat", "openai-completions", "ollama", "koboldcpp", "anthropic", "spnl", "command")
_GENERATION = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "system")
_LIMITS = ("max_concurrency", "requests_per_minute", "tokens_per_minute")
_TIMEOUTS = ("connect", "first_byte", "idle", "total", "per_1k_tokens")
_PLAIN = ("base_url", "model_id", "context_window", "api_key_env")

_OPTIONS = (
    click.option("--driver", help="local (the default), ssh, or a plug-in."),
    click.option("--base-url", metavar="URL", help="E.g. http://127.0.0.1:8000/v1, as the worker sees it."),
    click.option("--model-id", help="The id the server knows it by. Default: the only one it has."),
    click.option("--command", help="Program and arguments (API kind command), quoted as one text."),
    click.option("--host", help="user@host[:port] or an alias of ~/.ssh/config (driver ssh)."),
    click.option(
        "--driver-option", "driver_options", multiple=True, metavar="KEY=JSON", callback=json_pairs,
        help="What else the driver takes, e.g. host_key_sha256=…",
    ),
    click.option("--tokenizer", help="A tokenizer.json or .gguf file, package:FILE, a Hub id, an asset, or `server`."),
    click.option("--context-window", type=click.IntRange(min=1), help="Tokens; overrides what the probe finds."),
    click.option("--api-key-env", metavar="NAME", help="The worker's environment variable that holds the key."),
    click.option(
        "--header", "headers", multiple=True, metavar="KEY=VALUE", callback=key_values,
        help="Extra request header; no secrets, they are shown.",
    ),
    click.option("--temperature", type=float, help="Default: 0."),
    click.option("--top-p", type=float),
    click.option("--top-k", type=int),
    click.option("--min-p", type=float),
    click.option("--repetition-penalty", type=float),
    click.option("--seed", type=int),
    click.option("--stop", multiple=True, help="Stop sequence (may be repeated)."),
    click.option("--system", help="System prompt; a benchmark's own comes first."),
    click.option("--extra-body", metavar="JSON", help="Merged into each request body."),
    click.option("--max-concurrency", type=click.IntRange(1, 100_000), help="Calls in flight over all workers."),
    click.option("--requests-per-minute", type=click.IntRange(min=1)),
    click.option("--tokens-per-minute", type=click.IntRange(min=1)),
    click.option(
        "--timeout", "timeouts", multiple=True, metavar="KEY=SECONDS", callback=json_pairs,
        help=f"One of {', '.join(_TIMEOUTS)}.",
    ),
    click.option(
        "--price", "price", multiple=True, metavar="KEY=VALUE", callback=json_pairs,
        help="input, cached_input and output per million tokens, and currency.",
    ),
    click.option(
        "--label", "labels", multiple=True, metavar="KEY=VALUE", callback=key_values,
        help="What a worker must offer to run it.",
    ),
)  # fmt: skip
"""All fields of a ModelRequest but its name, API kind and tokenizer's upload."""


def model_options(function: Command) -> Command:
    """Give a command the flags above."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def fields_of(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a model that were given, nested as in a ModelRequest. Raises BadInput."""
    fields: dict[str, Any] = {key: given[key] for key in _PLAIN if given[key] is not None}
    generation = {key: given[key] for key in _GENERATION if given[key] is not None}
    if given["stop"]:
        generation["stop"] = list(given["stop"])
    if given["extra_body"] is not None:
        generation["extra_body"] = json_or_text(given["extra_body"])
    driver = {"kind": given["driver"], "host": given["host"], "options": given["driver_options"] or None}
    nested = {
        "generation": generation,
        "limits": {key: given[key] for key in _LIMITS if given[key] is not None},
        "driver": {key: value for key, value in driver.items() if value is not None},
        **{key: given[key] for key in ("headers", "timeouts", "labels", "price")},
    }
    fields |= {key: value for key, value in nested.items() if value}
    if given["command"]:
        fields["command"] = _words(given["command"])
    return fields


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise BadInput(f"command = {command!r}: cannot be split into program and arguments: {error}") from error
