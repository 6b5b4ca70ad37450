"""Runs a worker as a process: event loop, signals, exit code."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable

from workers.client import ServiceClient
from workers.errors import ServiceRefused
from workers.settings import WorkerSettings
from workers.spool import Spool
from workers.worker import Worker

log = logging.getLogger(__name__)


def run(settings: WorkerSettings) -> int:
    """Work until SIGTERM or SIGINT, then drain; a second signal cuts the grace period short.

    Returns the exit code: 0 after leaving in order, 1 when the service does not take this worker. Raises SettingsError
    when the data folder cannot be used.
    """
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs a line a call
    spool = Spool(settings.data / "spool")
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(_run(settings, spool))
    finally:
        spool.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on every platform
        return None
    return uvloop.new_event_loop


async def _run(settings: WorkerSettings, spool: Spool) -> int:
    client = ServiceClient(settings.server, settings.token)
    worker = Worker(settings, client, spool)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, worker.leave)
    try:
        await worker.run()
    except ServiceRefused as error:
        log.error("the service does not take this worker: %s", error)
        return 1
    finally:
        await client.aclose()
    return 0
