"""Command-line options made from the JSON schema of a benchmark's options.

Values are turned into what the schema wants where that is plain; anything else goes to the service as text, whose
validation knows best what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from fathom.cli.common import json_or_text
from fathom.errors import BadInput

Schema = Mapping[str, Any]


def options_of(schema: Schema) -> list[click.Option]:
    """A click option for each property of the schema, in its order."""
    definitions = schema.get("$defs", {})
    return [_option(name, _resolved(prop, definitions)) for name, prop in schema.get("properties", {}).items()]


def values_of(schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON values of the options that were given."""
    definitions = schema.get("$defs", {})
    properties = schema.get("properties", {})
    return {
        name: _value(_resolved(properties[name], definitions), text)
        for name, text in given.items()
        if name in properties and text is not None and text != ()
    }


def lengths_of(text: str) -> list[int]:
    """`4096,8k,128k` as tokens; k is 1024, m is 1048576. Raises BadInput."""
    lengths = []
    for item in (part.strip().lower() for part in text.split(",") if part.strip()):
        factor = {"k": 1024, "m": 1_048_576}.get(item[-1:], 1)
        digits = item[:-1] if factor > 1 else item
        if not digits.isdecimal():
            raise BadInput(f"lengths = {item!r}: must be whole numbers of tokens such as 4096 or 4k")
        lengths.append(int(digits) * factor)
    return lengths


def _option(name: str, prop: Schema) -> click.Option:
    flag = "--" + name.replace("_", "-")
    kinds = _types(prop)
    help_text = _help(prop)
    if kinds == ["boolean"]:
        return click.Option([f"{flag}/--no-{flag[2:]}", name], default=None, help=help_text)
    return click.Option([flag, name], type=_parameter(prop), metavar=_metavar(prop), help=help_text)


def _parameter(prop: Schema) -> click.Choice[str] | click.types.StringParamType:
    choices = _choices(prop)
    return click.Choice(choices) if choices else click.STRING


def _metavar(prop: Schema) -> str | None:
    if _choices(prop):
        return None
    kinds = _types(prop)
    if "array" in kinds:
        return "LIST"
    return {"integer": "INT", "number": "NUMBER", "object": "KEY=VALUE,…"}.get(kinds[0] if kinds else "", "TEXT")


def _help(prop: Schema) -> str:
    text = str(prop.get("description", ""))
    default = prop.get("default")
    if default is None or default == "" or _types(prop) == ["object"]:
        return text
    shown = ",".join(map(str, default)) if isinstance(default, list) else default
    return f"{text}  [default: {shown}]"


def _value(prop: Schema, given: Any) -> Any:
    if not isinstance(given, str):
        return given
    kinds = _types(prop)
    if "array" in kinds and not given.lstrip().startswith("["):
        items = _resolved(prop.get("items", {}), {})
        return [_scalar(_types(items), part.strip()) for part in given.split(",") if part.strip()]
    if ("object" in kinds or "array" in kinds) and given.lstrip()[:1] in ("{", "["):
        return json_or_text(given)
    return _scalar(kinds, given)


def _scalar(kinds: Sequence[str], text: str) -> Any:
    """A number where one is wanted and given, else the text."""
    for kind, convert in (("integer", int), ("number", float)):
        if kind in kinds:
            try:
                return convert(text)
            except ValueError:
                continue
    return text


def _resolved(prop: Schema, definitions: Schema) -> dict[str, Any]:
    """The property with references followed and the alternatives of `anyOf` (null aside) merged into it."""
    merged = dict(prop)
    while "$ref" in merged:
        target = definitions[merged.pop("$ref").rpartition("/")[2]]
        merged = {**target, **merged}
    alternatives = [_resolved(a, definitions) for a in merged.pop("anyOf", [])]
    wanted = [a for a in alternatives if a.get("type") != "null"]
    if wanted:
        kinds = [kind for a in wanted for kind in _types(a)]
        for alternative in reversed(wanted):
            merged = {**alternative, **merged}
        merged["type"] = list(dict.fromkeys(kinds))
    if isinstance(merged.get("items"), Mapping):
        merged["items"] = _resolved(merged["items"], definitions)
    return merged


def _types(prop: Schema) -> list[str]:
    kind = prop.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _choices(prop: Schema) -> list[str]:
    if "const" in prop:
        return [str(prop["const"])]
    return [str(c) for c in prop.get("enum", []) if c is not None]
