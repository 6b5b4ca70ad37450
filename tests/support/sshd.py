"""A real OpenSSH server for tests: a high port on the loopback, keys of its own, nothing of the machine's."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from protocol.models import Driver

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
MISSING = "openssh-server and openssh-client are not installed (apt-get install openssh-server openssh-client)"
INSTALLED = SSHD is not None and shutil.which("ssh-keygen") is not None
PASSPHRASE = "open sesame"

_CONFIG = """
Port {port}
ListenAddress {address}
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
LogLevel ERROR
{extra}
"""


@dataclass
class Sshd:
    """A server in `folder`. `stop` kills it and all its connections, as a crash would; `start` starts it again."""

    folder: Path
    port: int
    address: str = "127.0.0.1"
    extra: str = ""
    prefix: list[str] = field(default_factory=list)
    _server: subprocess.Popen[bytes] | None = None

    @property
    def user(self) -> str:
        return pwd.getpwuid(os.getuid()).pw_name

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    @property
    def key(self) -> Path:
        return self.folder / "key"

    def start(self) -> None:
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        config = self.folder / "sshd_config"
        config.write_text(_CONFIG.format(port=self.port, address=self.address, folder=self.folder, extra=self.extra))
        assert SSHD is not None
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen([*self.prefix, SSHD, "-D", "-e", "-f", str(config)], stderr=log)
        self._wait_for_banner()

    def _wait_for_banner(self) -> None:
        assert self._server is not None
        until = time.monotonic() + 60
        while self._server.poll() is None and time.monotonic() < until:
            probe = [*self.prefix, "bash", "-c", f"exec 3<>/dev/tcp/{self.address}/{self.port} && head -c 4 <&3"]
            if subprocess.run(probe, capture_output=True, check=False).stdout == b"SSH-":
                return
            time.sleep(0.05)
        raise RuntimeError(f"sshd did not start: {(self.folder / 'log').read_text()}")

    def stop(self) -> None:
        """Kill the server and every process that serves a connection, none of which says goodbye."""
        if self._server is None:
            return
        for pid in [self._server.pid, *self.connections()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._server.wait()
        self._server = None

    def connections(self) -> list[int]:
        """The processes of sshd's own that serve connections now (not the programs they run)."""
        assert self._server is not None
        found, level = [], [self._server.pid]
        while level:
            level = [child for parent in level for child in _children(parent) if _name(child).startswith("sshd")]
            found += level
        return found

    def new_host_key(self) -> None:
        """Change the server's host key, as a reinstalled machine would; known_hosts keeps the old one."""
        (self.folder / "host_key").unlink()
        keygen(self.folder / "host_key")

    def trust(self) -> None:
        """Write known_hosts for the present host key."""
        public = " ".join((self.folder / "host_key.pub").read_text().split()[:2])
        self.known_hosts.write_text(f"[{self.address}]:{self.port} {public}\n")

    def driver(self, **options: Any) -> Driver:
        """The driver specification that reaches the server with its plain key; an option None is left out."""
        chosen = {"key": str(self.key), "known_hosts": str(self.known_hosts), "config": "none", "agent": False}
        chosen |= options
        return Driver(
            kind="ssh",
            host=f"{self.user}@{self.address}:{self.port}",
            options={name: value for name, value in chosen.items() if value is not None},
        )


def keygen(path: Path, passphrase: str = "") -> None:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-a", "1", "-N", passphrase, "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_sshd(
    folder: Path, extra: str = "", address: str = "127.0.0.1", prefix: list[str] | None = None
) -> Iterator[Sshd]:
    """A started server whose files are in `folder`: `key`, `locked_key` (with PASSPHRASE), `known_hosts`."""
    if not INSTALLED:
        pytest.skip(MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, passphrase in (("host_key", ""), ("key", ""), ("locked_key", PASSPHRASE)):
        if not (folder / name).exists():
            keygen(folder / name, passphrase)
    keys = [(folder / name).read_text() for name in ("key.pub", "locked_key.pub")]
    (folder / "authorized_keys").write_text("".join(keys))
    server = Sshd(folder, free_port(), address, extra, prefix or [])
    server.trust()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
