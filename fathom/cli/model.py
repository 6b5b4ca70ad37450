"""Register models and look at them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from fathom.cli.common import (
    Command,
    connect,
    json_option,
    json_or_text,
    json_pairs,
    key_values,
    print_json,
    print_table,
    server_options,
)
from fathom.errors import BadInput, Failed, Refused

if TYPE_CHECKING:
    from fathom.sync import SyncClient
    from protocol.models import Model, ModelRequest, Probe

APIS = ("openai-chat", "openai-completions", "ollama", "koboldcpp", "anthropic", "spnl", "command")
_GENERATION = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "system")
_FINDINGS = ("engine", "version", "model_ids", "model_id", "context_window", "slots", "overhead_tokens", "tokenizer_fits",
             "tokenize", "usage", "cached_tokens", "long_prompts", "prefill", "ping_ms")  # fmt: skip
_TIMEOUTS = ("connect", "first_byte", "idle", "total", "per_1k_tokens")


@click.group()
def model() -> None:
    """Register models, look at them, probe and remove them.

    A model is a registered way to call one language model: an API kind, an address or a command, the driver that
    reaches its machine, its tokenizer and its limits. Workers make the calls, so addresses are as a worker sees them.
    """


_ADD_OPTIONS = (
    click.option("--api", type=click.Choice(APIS), required=True, help="How to talk to it."),
    click.option("--base-url", metavar="URL", help="E.g. http://127.0.0.1:8000/v1, as the worker sees it."),
    click.option("--model-id", help="The id the server knows it by. Default: the only one it has."),
    click.option("--command", help="Program and arguments (API kind command), quoted as one text."),
    click.option("--driver", default="local", show_default=True, help="local, ssh, or a plug-in."),
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
    click.option("--replace", is_flag=True, help="Overwrite a model of the same name."),
    click.option("--probe/--no-probe", "probing", default=True, help="Have a worker look at it now."),
)  # fmt: skip
"""The flags of `fathom model add`: all fields of a ModelRequest."""


def _add_options(function: Command) -> Command:
    for option in reversed(_ADD_OPTIONS):
        function = option(function)
    return function


@model.command()
@click.argument("name")
@_add_options
@server_options
@json_option
def add(name: str, server: str | None, token: str | None, as_json: bool, **given: Any) -> None:
    """Register a model and have a worker probe it.

    fathom model add llama --api openai-chat --base-url http://127.0.0.1:8000/v1 --tokenizer tokenizer.json
    """
    with connect(server, token) as client:
        client.health()
        request = _request(client, name, given)
        added = client.add_model(request, replace=given["replace"])
        problem = _probe_new(client, added) if given["probing"] else None
        added = client.model(name)
    if as_json:
        print_json(added)
    else:
        click.echo(f"model {added.name} registered: {added.spec.api.value} at {_where(added)}")
        _print_findings(added.probe)
    if problem:
        raise Failed(f"model {name} is registered, but {problem}; fix it with `fathom model add {name} … --replace`")


def _request(client: SyncClient, name: str, given: dict[str, Any]) -> ModelRequest:
    from pydantic import ValidationError

    from fathom.tokenizer_sources import reference
    from protocol.models import ModelRequest

    generation = {k: given[k] for k in _GENERATION if given[k] is not None} | {"stop": list(given["stop"])}
    if given["extra_body"] is not None:
        generation["extra_body"] = json_or_text(given["extra_body"])
    limits = {k: given[k] for k in ("max_concurrency", "requests_per_minute", "tokens_per_minute") if given[k]}
    plain = ("base_url", "model_id", "context_window", "api_key_env")
    fields: dict[str, Any] = {k: given[k] for k in plain if given[k] is not None}
    fields |= {"name": name, "api": given["api"], "generation": generation, "limits": limits}
    fields |= {k: given[k] for k in ("headers", "timeouts", "labels")}
    fields["driver"] = {"kind": given["driver"], "host": given["host"], "options": given["driver_options"]}
    fields["command"] = shlex.split(given["command"] or "")
    fields["price"] = given["price"] or None
    try:
        request = ModelRequest.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadInput(f"{where} = {first['input']!r}: {first['msg']}") from error
    if given["tokenizer"] is None:
        return request
    return request.model_copy(update={"tokenizer": reference(client, given["tokenizer"], name)})


def _probe_new(client: SyncClient, added: Model) -> str | None:
    """Probe a model just registered; returns what is wrong with it. No worker to probe it is no fault of the model."""
    try:
        found = client.probe_model(added.name)
    except Refused as error:
        if error.status not in (409, 503):
            raise
        click.echo(f"fathom: warning: not probed: {error}", err=True)
        return None
    return None if found.ok else f"a worker cannot use it: {found.problem}"


@model.command("list")
@server_options
@json_option
def list_models(server: str | None, token: str | None, as_json: bool) -> None:
    """List the registered models."""
    with connect(server, token) as client:
        found = client.models()
    if as_json:
        print_json(found)
        return
    columns = ["model", "api", "where", "window", "tokenizer", "in flight", "limit", "state"]
    right = ["window", "in flight", "limit"]
    print_table(columns, [_row(m) for m in found], right, empty="no models yet: fathom model add --help")


@model.command()
@click.argument("name")
@server_options
@json_option
def show(name: str, server: str | None, token: str | None, as_json: bool) -> None:
    """All that is known of a model."""
    with connect(server, token) as client:
        found = client.model(name)
    if as_json:
        print_json(found)
        return
    spec = found.spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    for key, value in spec.items():
        click.echo(f"{key}: {value}")
    click.echo(f"tokenizer sha256: {found.tokenizer_sha256 or 'none'}")
    click.echo(f"circuit: {found.circuit.state}" + (f" ({found.circuit.reason})" if found.circuit.reason else ""))
    _print_findings(found.probe)


@model.command()
@click.argument("name")
@server_options
@json_option
def probe(name: str, server: str | None, token: str | None, as_json: bool) -> None:
    """Have a worker find out what the model is: engine, window, limits of its prompts, and how each was found."""
    with connect(server, token) as client:
        found = client.probe_model(name)
    if as_json:
        print_json(found)
    else:
        _print_findings(found)
    if not found.ok:
        raise Failed(f"model {name}: a worker cannot use it: {found.problem}")


@model.command()
@click.argument("name")
@server_options
@json_option
def remove(name: str, server: str | None, token: str | None, as_json: bool) -> None:
    """Remove a model. Refused while a job runs on it."""
    with connect(server, token) as client:
        client.remove_model(name)
    if as_json:
        print_json({"removed": name})
    else:
        click.echo(f"model {name} removed")


def _print_findings(found: Probe | None) -> None:
    if found is None:
        click.echo("not probed yet")
        return
    order = {name: place for place, name in enumerate(_FINDINGS)}
    known = sorted(found.findings.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))
    print_table(["finding", "value", "how"], [[name, finding.value, finding.how] for name, finding in known])


def _row(found: Model) -> list[Any]:
    probe_window = found.probe.findings.get("context_window") if found.probe else None
    tokenizer = found.spec.tokenizer
    state: str = "ok" if found.circuit.state == "closed" else found.circuit.state
    if found.probe is None:
        state = "not probed"
    elif not found.probe.ok:
        state = f"unusable: {found.probe.problem}"
    return [
        found.name,
        found.spec.api.value,
        _where(found),
        found.spec.context_window or (probe_window.value if probe_window else None),
        (tokenizer.asset or tokenizer.kind) if tokenizer else None,
        found.in_flight,
        found.spec.limits.max_concurrency,
        state,
    ]


def _where(found: Model) -> str:
    spec = found.spec
    place = spec.base_url or shlex.join(spec.command)
    return f"{place} via {spec.driver.kind} {spec.driver.host or ''}".rstrip() if spec.driver.kind != "local" else place
