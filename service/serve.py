"""Runs the application on uvicorn."""

from __future__ import annotations

import contextlib
import errno
import signal
import socket

import uvicorn

from service.app import create_app
from service.errors import StartupError
from service.settings import Settings


def bind(settings: Settings) -> socket.socket:
    """The listening socket. Raises StartupError with a way out when the port is taken or not allowed.

    `settings.port` 0 takes any free port; `getsockname()` tells which.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where it sees IPPROTO_TCP; with it, each answer takes 40 ms more, until the
    # client has acknowledged its head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise StartupError(_why(error, settings)) from error
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener


def _why(error: OSError, settings: Settings) -> str:
    where = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return f"port in use: {where} (is a Fathom running already? else choose another with --port)"
    if error.errno == errno.EACCES:
        return f"not allowed to listen on {where}: ports below 1024 need root"
    return f"cannot listen on {where}: {error.strerror or error}"


def server(settings: Settings) -> uvicorn.Server:
    """A uvicorn server of the application, to run on a socket of `bind`; it stops on SIGTERM and SIGINT."""
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=int(settings.shutdown_grace),
        timeout_keep_alive=75,
        server_header=False,
        forwarded_allow_ips="",
        proxy_headers=False,
        ws="none",
    )
    running = uvicorn.Server(config)
    app.state.stopping = lambda: running.should_exit  # open streams end by themselves instead of holding the stop up
    return running


def serve(settings: Settings, listener: socket.socket | None = None) -> None:
    """Serve until told to stop. Raises StartupError when the port is taken or the application can't start."""
    listener = listener or bind(settings)
    running = server(settings)
    # uvicorn raises the signal again that stopped it; being told to stop is no failure.
    signal.signal(signal.SIGTERM, lambda *_: None)
    with contextlib.suppress(KeyboardInterrupt):
        running.run(sockets=[listener])
    if not running.started:
        raise StartupError("the service could not start; the log above says why")
