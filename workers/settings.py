"""What a worker is started with."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

AUTO_CEILING = 256
"""Calls in flight that `--concurrency auto` may reach in one worker."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """`concurrency` None means auto: each model's limit is found while it runs. `data` holds the asset cache and the
    spool of outcomes that the service has not acknowledged; two workers must not share a spool, so each worker has a
    folder of its own in it, by `name`. `grace_seconds` is how long calls may go on after SIGTERM."""

    server: str
    data: Path
    token: str | None = field(default=None, repr=False)
    concurrency: int | None = None
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}")
    labels: Mapping[str, str] = field(default_factory=dict)
    grace_seconds: float = 30.0
    stream: bool = False

    @property
    def ceiling(self) -> int:
        """The most calls in flight in this worker."""
        return self.concurrency or AUTO_CEILING
