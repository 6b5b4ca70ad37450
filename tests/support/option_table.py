"""The table of RULER's options in docs/ruler.md, made from their definition.

`python -m tests.support.option_table` writes it into the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.ruler.options import RulerOptions

PAGE = Path(__file__).parents[2] / "docs" / "ruler.md"
BEGIN, END = "<!-- options: begin -->\n", "<!-- options: end -->\n"


def option_table() -> str:
    """Markdown: name, values, default, description of each option."""
    schema = RulerOptions.model_json_schema()
    lines = ["| option | values | default | what it does |", "|---|---|---|---|"]
    for name, prop in schema["properties"].items():
        default = prop.get("default")
        shown = "" if default is None else f"`{default}`"
        if name == "tasks":
            shown = "all 13"
        if name == "lengths":
            shown = "4096 … 131072"
        description = " ".join(prop["description"].split()).replace("|", "\\|")
        values = "list of tasks" if name == "tasks" else _values(prop)
        lines.append(f"| `{name}` | {values} | {shown} | {description} |")
    return "\n".join(lines) + "\n"


def _values(prop: dict[str, Any]) -> str:
    if "anyOf" in prop:
        return " or ".join(_values(p) for p in prop["anyOf"] if p.get("type") != "null")
    if "enum" in prop:
        return ", ".join(f"`{value}`" for value in prop["enum"])
    if prop.get("type") == "array":
        return f"list of {_values(prop['items'])}"
    if prop.get("type") == "object":
        return f"by task: {_values(prop['additionalProperties'])}"
    if prop.get("type") not in ("integer", "number"):
        return "text"
    low, high = prop.get("minimum", prop.get("exclusiveMinimum")), prop.get("maximum")
    return f"{'> ' if 'exclusiveMinimum' in prop else ''}{low} … {high}"


def parts() -> tuple[str, str, str]:
    """The page before, in and after the table."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    return before, table, after


if __name__ == "__main__":
    before, _, after = parts()
    PAGE.write_text(before + BEGIN + option_table() + END + after, encoding="utf-8")
