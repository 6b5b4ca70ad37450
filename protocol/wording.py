"""What is wrong with a field, in words a person understands without knowing pydantic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any

_PATTERNS = {
    r"^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$": "must be letters, digits, `.`, `_` and `-`, up to 100, a letter or digit first",
    r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$": "must be the code of a language such as da or pt-BR",
    r"^[0-9a-f]{64}$": "must be a SHA-256: 64 hexadecimal digits",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "must be the name of an environment variable such as OPENAI_API_KEY, not its value",
}
_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda c: "must be given",
    "extra_forbidden": lambda c: "there is no such field",
    "greater_than_equal": lambda c: f"must be at least {c['ge']}",
    "less_than_equal": lambda c: f"must be at most {c['le']}",
    "greater_than": lambda c: f"must be more than {c['gt']}",
    "less_than": lambda c: f"must be less than {c['lt']}",
    "int_parsing": lambda c: "must be a whole number",
    "int_type": lambda c: "must be a whole number",
    "int_from_float": lambda c: "must be a whole number",
    "float_parsing": lambda c: "must be a number",
    "float_type": lambda c: "must be a number",
    "bool_parsing": lambda c: "must be true or false",
    "bool_type": lambda c: "must be true or false",
    "string_type": lambda c: "must be a text",
    "finite_number": lambda c: "must be a finite number",
    "list_type": lambda c: "must be a list",
    "tuple_type": lambda c: "must be a list",
    "uuid_type": lambda c: "must be a UUID",
    "uuid_parsing": lambda c: "must be a UUID",
    "dict_type": lambda c: "must be a JSON object",
    "model_type": lambda c: "must be a JSON object",
    "model_attributes_type": lambda c: "must be a JSON object",
    "enum": lambda c: f"must be {c['expected']}",
    "literal_error": lambda c: f"must be {c['expected']}",
    "too_short": lambda c: f"must have at least {c['min_length']} of them",
    "too_long": lambda c: f"must have at most {c['max_length']} of them",
    "string_too_short": lambda c: f"must have at least {c['min_length']} characters",
    "string_too_long": lambda c: f"must have at most {c['max_length']} characters",
    "value_error": lambda c: str(c["error"]),
}


def worded(error: Mapping[str, Any], fields: Collection[str] = ()) -> str:
    """The message of one entry of `ValidationError.errors()`; pydantic's own where this knows no better. `fields` are
    those there are, to name the one that an unknown field was probably meant to be."""
    context = error.get("ctx") or {}
    if error["type"] == "extra_forbidden" and (near := get_close_matches(str(error["loc"][-1]), fields, 1)):
        return f"there is no such field; did you mean {near[0]}?"
    if error["type"] == "string_pattern_mismatch" and context.get("pattern") in _PATTERNS:
        return _PATTERNS[context["pattern"]]
    if error["type"] in _WORDS:
        return _WORDS[error["type"]](context)
    return str(error["msg"])


def blamed(error: Mapping[str, Any]) -> Any:
    """The value to show beside the message: none where it is what is around the field that is missing."""
    return None if error["type"] == "missing" else error.get("input")
