"""Templates, their filters, and the headers every page carries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from protocol.common import Problem

HERE = Path(__file__).parent
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@cache
def environment() -> Environment:
    """Jinja with everything escaped and unknown names refused."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals["version"] = version("fathom-eval")
    filters = (duration, ago, score, tokens, stamp, pretty, step, cut, ms, money, plain, figure)
    env.filters.update({function.__name__: function for function in filters})
    return env


def page(request: Request, template: str, context: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """A rendered page with its security headers."""
    html = environment().get_template(template).render(request=request, **context)
    return HTMLResponse(html, status, headers=headers())


def problem_page(request: Request, problem: Problem) -> HTMLResponse:
    """A problem for people."""
    return page(request, "problem.html", {"problem": problem}, problem.status)


def headers(csp: str = CSP) -> dict[str, str]:
    return {
        "Content-Security-Policy": csp,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # a form's POST carries no Origin otherwise
        "Cache-Control": "no-store",
    }


def duration(seconds: float | None) -> str:
    """`3m42s`; two units at most."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    for unit, name, below, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if whole >= unit:
            rest = whole % unit // below
            return f"{whole // unit}{name}{rest:02d}{small}" if rest else f"{whole // unit}{name}"
    return f"{whole}s"


def ms(value: int | None) -> str:
    """Milliseconds for people."""
    return "–" if value is None else f"{value} ms" if value < 1000 else duration(value / 1000)


def ago(moment: datetime | None) -> str:
    """How long ago, or in how long."""
    if moment is None:
        return "–"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    return f"{duration(seconds)} ago" if seconds >= 0 else f"in {duration(-seconds)}"


def money(value: float) -> str:
    """Two decimals, more where there would be only zeros."""
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.2g}"


def stamp(moment: datetime | None) -> str:
    return "–" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def score(value: float | None) -> str:
    """Percent with one decimal; a dash where nothing is measured."""
    return "–" if value is None else f"{value * 100:.1f}"


def plain(value: Any) -> str:
    """A setting on one line."""
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value)
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def figure(value: str | float | int | None) -> str:
    """A cell of a table: text as it is, numbers with at most two decimals, a dash for nothing."""
    if value is None or isinstance(value, str):
        return value or "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def step(value: float | None) -> str:
    """The class that colours a score: q0 to q10."""
    return "none" if value is None else f"q{round(min(max(value, 0.0), 1.0) * 10)}"


def tokens(value: int | None) -> str:
    """`4k` for 4096, `1M` for 1048576, else the figure with commas."""
    if value is None:
        return "–"
    for unit, name in ((1048576, "M"), (1024, "k")):
        if value >= unit and value % unit == 0:
            return f"{value // unit}{name}"
    return f"{value:,}"


def pretty(value: Any) -> str:
    """JSON for reading."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS, default=str).decode()


def cut(value: str | None, limit: int = 160) -> str:
    """The beginning of a long text, on one line."""
    if not value:
        return ""
    flat = " ".join(value[: limit * 4].split())
    return flat if len(flat) <= limit and len(value) <= limit * 4 else flat[:limit] + "…"
