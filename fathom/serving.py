"""Runs the service's application in this process, on a socket that is bound before anything else is started."""

from __future__ import annotations

import contextlib
import errno
import logging
import logging.config
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

import uvicorn

from fathom.errors import Failed
from service.app import create_app

if TYPE_CHECKING:
    from service.settings import Settings


class Server(uvicorn.Server):
    """A uvicorn server whose process handles the signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(settings: Settings) -> Server:
    """The service, ready to `serve(sockets=[…])`; set `should_exit` to end it."""
    config = uvicorn.Config(
        create_app(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=round(settings.shutdown_grace),
        timeout_keep_alive=75,
        proxy_headers=False,
    )
    return Server(config)


def bind(host: str, port: int) -> socket.socket:
    """A listening address of our own; port 0 takes any free one. Raises Failed in one clear line."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        sock = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise Failed(f"host = {host!r}: {error.strerror or error}") from error
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise Failed(f"port {port} on {host} is in use; choose another with --port (0 takes any)") from error
        raise Failed(f"cannot listen on {host} port {port}: {error.strerror}") from error
    sock.set_inheritable(False)
    return sock


def log_to_stderr(level: str = "INFO", file: str | None = None) -> None:
    """Log lines with time, level and origin, to stderr or to a file."""
    handler: logging.Handler = logging.FileHandler(file) if file else logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for noisy in ("uvicorn.error", "httpx", "asyncssh", "alembic.runtime.migration"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
