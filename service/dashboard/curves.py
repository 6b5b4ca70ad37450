"""Curves as SVG: where lines, ticks and labels go. Colours are the style sheet's; after eight they come again, dashed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from service.dashboard.rendering import tokens

WIDTH, HEIGHT = 720, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 150, 14, 40
_COLOURS = 8
_BARS = 3  # lines with intervals; of more, only the first has them, or nothing can be told apart


@dataclass(frozen=True, slots=True)
class Line:
    """One series: its name, points for a polyline, bars of the 95 % interval, colour class."""

    name: str
    colour: str
    points: list[tuple[float, float]]
    bars: list[tuple[float, float, float]]
    label_y: float

    @property
    def path(self) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Plot:
    """A curve block laid out in a box of WIDTH by HEIGHT."""

    lines: list[Line]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    limit: float | None
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM


def plot(block: dict[str, Any]) -> Plot:
    """Lay out a curve block; the y axis begins at 0."""
    series = block["series"]
    xs = sorted({point[0] for one in series for point in one["points"]})
    highs = [v for one in series for p in one["points"] for v in (p[1], p[3]) if v is not None]
    top = _ceiling(max([*highs, block.get("threshold") or 0, 1e-9]))
    log = bool(block.get("log_x")) and all(x > 0 for x in xs)

    def place_x(x: float) -> float:
        low, high = (xs[0], xs[-1]) if not log else (math.log(xs[0]), math.log(xs[-1]))
        at = 0.5 if high == low else ((math.log(x) if log else x) - low) / (high - low)
        return _LEFT + 12 + at * (WIDTH - _LEFT - _RIGHT - 24)

    def place_y(y: float) -> float:
        return HEIGHT - _BOTTOM - y / top * (HEIGHT - _TOP - _BOTTOM)

    lines = []
    for number, one in enumerate(series):
        known = [p for p in one["points"] if p[1] is not None]
        points = [(place_x(p[0]), place_y(p[1])) for p in known]
        barred = [p for p in known if p[2] is not None and p[3] is not None]
        barred = barred if number == 0 or len(series) <= _BARS else []
        bars = [(place_x(p[0]), place_y(p[2]), place_y(p[3])) for p in barred]
        label_y = _TOP + 12 + number * 16.0
        colour = f"l{number % _COLOURS}" + (" again" if number >= _COLOURS else "")
        lines.append(Line(one["name"], colour, points, bars, label_y))
    threshold = block.get("threshold")
    return Plot(
        lines,
        [(place_x(x), tokens(int(x)) if float(x).is_integer() else f"{x:g}") for x in xs],
        [(place_y(top * i / 4), f"{top * i / 4:g}") for i in range(5)],
        None if threshold is None else place_y(threshold),
    )


def _ceiling(value: float) -> float:
    """The next round number: 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * 0.999)
