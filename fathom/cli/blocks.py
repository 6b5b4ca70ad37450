"""Summary blocks (tables, heat maps, curves, verdicts) as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from fathom.cli.common import print_table


def print_block(block: Mapping[str, Any]) -> None:
    """One block of a summary, with the notes that name its methods."""
    click.echo(f"\n{block['title']}")
    printers = {"table": _table, "heatmap": _heat_map, "curve": _curve, "verdict": _verdict}
    printers[block["kind"]](block)
    for note in block.get("notes", ()):
        click.echo(f"  {note}")


def _table(block: Mapping[str, Any]) -> None:
    columns = list(block["columns"])
    figures = [c for i, c in enumerate(columns) if all(isinstance(r[i], int | float | None) for r in block["rows"])]
    shown = [_column([row[i] for row in block["rows"]]) for i in range(len(columns))]
    print_table(columns, list(zip(*shown, strict=True)), right=figures)


def _column(values: Sequence[Any]) -> list[Any]:
    """The values of a column, its fractions all with as many decimals as the one that has most, three at most."""
    fractions = [value for value in values if isinstance(value, float)]
    places = max((len(f"{value:.3f}".rstrip("0").partition(".")[2]) for value in fractions), default=0)
    return [f"{value:.{places}f}" if isinstance(value, float) else value for value in values]


def _heat_map(block: Mapping[str, Any]) -> None:
    columns = [f"{block['y_label']} \\ {block['x_label']}", *block["x"]]
    rows = [
        [y, *(_measured(v, n) for v, n in zip(values, counts, strict=True))]
        for y, values, counts in zip(block["y"], block["values"], block["counts"], strict=True)
    ]
    print_table(columns, rows, right=columns[1:])


def _measured(value: float | None, count: int) -> str:
    return "-" if value is None else f"{value:.3f} (n={count})"


def _curve(block: Mapping[str, Any]) -> None:
    columns = ["series", block["x_label"], block["y_label"], "95 % interval"]
    rows = [
        [series["name"], _figure(x), _figure(y), "" if low is None else f"{low:.3f} to {high:.3f}"]
        for series in block["series"]
        for x, y, low, high in series["points"]
    ]
    print_table(columns, rows, right=columns[1:])


def _verdict(block: Mapping[str, Any]) -> None:
    value = "none" if block["value"] is None else _figure(block["value"])
    interval = block.get("interval")
    between = f" (95 %: {_figure(interval[0])} to {_figure(interval[1])})" if interval else ""
    click.echo(f"  {value} {block.get('unit', '')}".rstrip() + between)


def _figure(value: Any) -> Any:
    """Whole numbers whole, others with at most three decimals."""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) >= 2 else f"{value:.3f}"
    return value
