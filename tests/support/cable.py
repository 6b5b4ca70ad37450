"""A network namespace at the other end of a cable that can be cut. Needs root and iproute2."""

from __future__ import annotations

import subprocess
from uuid import uuid4


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Cable:
    """`here` is our address; programs run with the words `inside` before them are at the other end.

    A cut cable says nothing to either end: packets vanish.
    """

    def __init__(self) -> None:
        self._name = f"fathom-{uuid4().hex[:8]}"
        number = int(uuid4().hex[:4], 16)
        network = f"10.{200 + number % 50}.{number // 50 % 250}"
        self.here, self._there = f"{network}.1", f"{network}.2"
        self._our_end, self._their_end = f"fo{self._name[-8:]}", f"ft{self._name[-8:]}"

    @property
    def inside(self) -> tuple[str, ...]:
        return ("ip", "netns", "exec", self._name)

    def __enter__(self) -> Cable:
        _ip("netns", "add", self._name)
        try:
            _ip("link", "add", self._our_end, "type", "veth", "peer", "name", self._their_end, "netns", self._name)
            _ip("address", "add", f"{self.here}/30", "dev", self._our_end)
            _ip("-n", self._name, "address", "add", f"{self._there}/30", "dev", self._their_end)
            _ip("link", "set", self._our_end, "up")
            _ip("-n", self._name, "link", "set", "lo", "up")
            self.mend()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        subprocess.run(["ip", "link", "delete", self._our_end], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "delete", self._name], check=False, capture_output=True)

    def cut(self) -> None:
        """Only their end goes down: ours must not learn of it."""
        _ip("-n", self._name, "link", "set", self._their_end, "down")

    def mend(self) -> None:
        _ip("-n", self._name, "link", "set", self._their_end, "up")
