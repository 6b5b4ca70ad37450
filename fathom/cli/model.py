"""Register models and look at them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from fathom.cli.checking import checked
from fathom.cli.common import connect, json_option, print_json, print_table, server_options, warn
from fathom.cli.model_options import APIS, fields_of, model_options
from fathom.errors import BadInput, Failed, Refused

if TYPE_CHECKING:
    from fathom.sync import SyncClient
    from protocol.models import Model, ModelRequest, Probe

_FINDINGS = ("engine", "version", "model_ids", "model_id", "context_window", "slots", "overhead_tokens", "tokenizer_fits",
             "tokenize", "usage", "cached_tokens", "long_prompts", "prefill", "ping_ms")  # fmt: skip


@click.group()
def model() -> None:
    """Register models, look at them, change, probe and remove them.

    A model is a registered way to call one language model: an API kind, an address or a command, the driver that
    reaches its machine, its tokenizer and its limits. Workers make the calls, so addresses are as a worker sees them.
    """


@model.command()
@click.argument("name")
@click.option("--api", type=click.Choice(APIS), required=True, help="How to talk to it.")
@model_options
@click.option("--replace", is_flag=True, help="Overwrite a model of the same name.")
@click.option("--probe/--no-probe", "probing", default=True, help="Have a worker look at it now.")
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
    from fathom.tokenizer_sources import reference
    from protocol.models import ModelRequest

    with checked():
        request = ModelRequest.model_validate({"name": name, "api": given["api"], **fields_of(given)})
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
        warn(f"not probed: {error}")
        return None
    return None if found.ok else f"a worker cannot use it: {found.problem}"


@model.command("set")
@click.argument("name")
@model_options
@click.option(
    "--unset", multiple=True, metavar="FIELD", help="Take a field back to its default, e.g. limits.requests_per_minute."
)
@server_options
@json_option
def change(name: str, server: str | None, token: str | None, as_json: bool, **given: Any) -> None:
    """Change a registered model; what is not given stays. Running jobs go on with the new settings.

    Changes the address, the command or the driver? Look at it again with `fathom model probe NAME`.
    """
    from fathom.tokenizer_sources import reference

    changes = fields_of(given)
    if not changes and not given["unset"] and given["tokenizer"] is None:
        raise click.UsageError("nothing to change", click.get_current_context())
    with connect(server, token) as client:
        spec = client.model(name).spec.model_dump(mode="json")
        for path in given["unset"]:
            _unset(changes, spec, path)
        if given["tokenizer"] is not None:
            changes["tokenizer"] = reference(client, given["tokenizer"], name).model_dump(mode="json")
        changed = client.change_model(name, changes)
    if as_json:
        print_json(changed)
    else:
        click.echo(f"model {changed.name} changed: {changed.spec.api.value} at {_where(changed)}")


def _unset(changes: dict[str, Any], spec: Any, path: str) -> None:
    """Put null at a dotted path of a merge patch; `spec` has the fields there are."""
    *groups, last = path.split(".")
    for group in groups:
        spec = spec.get(group) if isinstance(spec, dict) else None
        changes = changes.setdefault(group, {})
    if not isinstance(spec, dict) or last not in spec:
        raise BadInput(f"unset = {path!r}: there is no such field" + (f" among {', '.join(spec)}" if spec else ""))
    changes[last] = None


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
    if found.problem:
        click.echo(f"a worker cannot use it: {found.problem}")
    if not found.findings:
        return
    order = {name: place for place, name in enumerate(_FINDINGS)}
    known = sorted(found.findings.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))
    print_table(["finding", "value", "how"], [[name, _found(finding.value), finding.how] for name, finding in known])


def _found(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


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
