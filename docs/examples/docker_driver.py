"""A driver that starts programs in a running container and reaches HTTP servers as the host does.

    fathom model add tool --api command --command my-program \
        --driver docs/examples/docker_driver.py --driver-option container='"box"'
"""

from __future__ import annotations

from contextlib import asynccontextmanager

from workers.drivers.local import LocalDriver
from workers.errors import DriverError


class ContainerDriver(LocalDriver):
    """Programs run through `<runtime> exec`; the environment goes in by name, so no process list shows its values."""

    def __init__(self, container: str, runtime: str) -> None:
        self.prefix = [runtime, "exec", "-i"]
        self.container = container

    @asynccontextmanager
    async def run(self, command, *, stdin=b"", env=None, cwd=None, deadline=None):
        names = [part for name in env or {} for part in ("-e", name)]
        folder = ["-w", cwd] if cwd else []
        inside = [*self.prefix, *names, *folder, self.container, *command]
        async with super().run(inside, stdin=stdin, env=env, deadline=deadline) as process:
            yield process


def open_driver(spec):
    """What Fathom calls with the model's driver settings; no I/O here."""
    options = dict(spec.options)
    container, runtime = options.pop("container", None), options.pop("runtime", "docker")
    if not container or options:
        raise DriverError("driver", "driver docker takes the options container and runtime", permanent=True)
    return ContainerDriver(container, runtime)
