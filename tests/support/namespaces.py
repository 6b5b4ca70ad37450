"""Network namespaces as machines of their own: two boxes, the second reachable only from the first."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """A namespace with an address that its neighbour reaches. `inside` starts a program in it."""

    name: str
    address: str
    link: str

    @property
    def inside(self) -> list[str]:
        return ["ip", "netns", "exec", self.name]

    def unplug(self) -> None:
        """Take its link down: packets vanish, nobody is told."""
        _ip("-n", self.name, "link", "set", self.link, "down")

    def plug(self) -> None:
        _ip("-n", self.name, "link", "set", self.link, "up")


def why_not() -> str | None:
    """Why namespaces cannot be used here, or None."""
    if os.getuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "the program `ip` is not installed (apt-get install iproute2)"
    name = f"fathom-try-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"this machine allows no network namespaces: {made.stderr.strip()}"
    _ip("netns", "delete", name)
    return None


@contextmanager
def two_boxes() -> Iterator[tuple[Box, Box]]:
    """This machine - first box - second box, in a row; there is no way from here to the second but through the first."""
    tag, net = os.getpid() % 100_000, os.getpid() % 250
    first = Box(f"fathom-a-{tag}", f"10.231.{net}.2", f"fa{tag}")
    second = Box(f"fathom-b-{tag}", f"10.231.{net}.6", f"fb{tag}")
    with ExitStack() as stack:
        for box in (first, second):
            _ip("netns", "add", box.name)
            stack.callback(_ip, "netns", "delete", box.name)
            _ip("-n", box.name, "link", "set", "lo", "up")
        _ip("link", "add", f"fh{tag}", "type", "veth", "peer", first.link, "netns", first.name)
        _ip("address", "add", f"10.231.{net}.1/30", "dev", f"fh{tag}")
        _ip("link", "set", f"fh{tag}", "up")
        _ip("-n", first.name, "address", "add", f"{first.address}/30", "dev", first.link)
        _ip("-n", first.name, "link", "set", first.link, "up")
        _ip("-n", first.name, "link", "add", f"fm{tag}", "type", "veth", "peer", second.link, "netns", second.name)
        _ip("-n", first.name, "address", "add", f"10.231.{net}.5/30", "dev", f"fm{tag}")
        _ip("-n", first.name, "link", "set", f"fm{tag}", "up")
        _ip("-n", second.name, "address", "add", f"{second.address}/30", "dev", second.link)
        _ip("-n", second.name, "link", "set", second.link, "up")
        yield first, second


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
