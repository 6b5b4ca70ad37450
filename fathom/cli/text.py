"""How figures are written: durations, scores, sizes, a job's progress in one line."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.jobs import Counts, Job, WaitingReason

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str | None) -> str:
    r"""Text that a model or a server wrote, fit for a terminal: control characters as `\x1b`, which may move and hide."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text or "")


def duration(seconds: float) -> str:
    """`42s`, `3m42s`, `2h05m`, `3d04h`."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_rest = divmod(minutes, 60)
    days, hours_rest = divmod(hours, 24)
    if days:
        return f"{days}d{hours_rest:02}h"
    if hours:
        return f"{hours}h{minutes_rest:02}m"
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"


def score(value: float | None, digits: int = 3) -> str:
    """A score from 0 to 1, or `-` when nothing is measured."""
    return "-" if value is None else f"{value:.{digits}f}"


def size(count: int) -> str:
    """Bytes as `512 B`, `1.5 kB`, `93.2 MB`."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


def elapsed(job: Job, now: datetime | None = None) -> float:
    """Seconds since the job was started, or that it took."""
    started = job.started_at or job.created_at
    return ((job.finished_at or now or datetime.now(UTC)) - started).total_seconds()


def progress_line(job: Job, now: datetime | None = None) -> str:
    """`[12/50] score 0.85 | mean 0.72 | elapsed 3m42s | eta 8m10s`, and what is not a plain measurement."""
    counts = job.counts
    parts = [
        f"[{counts.done}/{counts.planned}] score {score(job.last_score, 2)}",
        f"mean {score(job.mean, 2)}",
        f"elapsed {duration(elapsed(job, now))}",
    ]
    if job.finished_at is None:
        parts.append(f"eta {duration(job.eta_seconds) if job.eta_seconds is not None else '…'}")
    else:
        parts.append(job.state.value)
    return " | ".join(parts + asides(counts))


def asides(counts: Counts) -> list[str]:
    """What stands beside the mean: failures, what is no measurement, what waits."""
    named = (
        ("noted", counts.noted),
        ("not measured", counts.not_a_measurement),
        ("failed", counts.failed),
        ("waiting", counts.waiting),
    )
    return [f"{count} {what}" for what, count in named if count]


def waiting_lines(job: Job) -> list[str]:
    """Why samples wait, a line each."""
    lines = [f"{w.count} waiting: {reason_text(w)}" for w in job.waiting]
    return lines + ([f"stalled: {job.stalled}"] if job.stalled else [])


def reason_text(waiting: WaitingReason) -> str:
    """`rate_limited (next try 12:03:10 UTC)`."""
    return visible(waiting.reason) + (f" (next try {waiting.next_try:%H:%M:%S} UTC)" if waiting.next_try else "")


def warning_lines(job: Job) -> list[str]:
    """What the service warns of, a line each."""
    return [f"warning: {warning}" for warning in job.warnings]
