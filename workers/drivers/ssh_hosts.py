"""Where an SSH connection goes and how it is secured: hosts, keys, host keys, jump hosts.

Everything `~/.ssh/config` says is honoured; a model's driver options only add to it. Host keys are always checked.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from protocol.models import Driver as DriverSpec
from workers.errors import DriverError

CIPHERS = (
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "chacha20-poly1305@openssh.com",
    "aes256-ctr",
    "aes128-ctr",
)
"""AES-GCM first: with AES instructions it carries half as much again as ChaCha20, the default pick."""


class SshOptions(BaseModel):
    """Driver options of `ssh`. Paths are on the worker's machine; none of these is a secret."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user: str | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    key: str | None = Field(default=None, description="Private key file; default: the agent's and ~/.ssh/id_*.")
    certificate: str | None = Field(default=None, description="OpenSSH certificate that goes with `key`.")
    passphrase_env: str | None = Field(default=None, description="Environment variable with the key's passphrase.")
    agent: bool | str = Field(default=True, description="Use ssh-agent; or the path of its socket.")
    known_hosts: str | None = Field(default=None, description="Default: ~/.ssh/known_hosts and ssh_config.")
    host_key_sha256: str | None = Field(default=None, description="`SHA256:…`, as `ssh-keygen -lf` prints it.")
    proxy_jump: str | None = Field(default=None, description="`[user@]host[:port]`, several by comma.")
    config: str | None = Field(default=None, description="Default: ~/.ssh/config; `none` reads no file.")
    keepalive_seconds: float = Field(default=15, gt=0)
    keepalive_count: int = Field(default=3, ge=1)
    connect_seconds: float = Field(default=15, gt=0, description="For one attempt.")
    patience_seconds: float = Field(default=60, ge=0, description="How long a call waits for a broken link to return.")
    max_connections: int = Field(default=8, ge=1)


@dataclass(frozen=True, slots=True)
class Host:
    """One end of an SSH connection. `name` is a host name or an alias of ssh_config."""

    name: str
    user: str | None
    port: int | None
    options: SshOptions

    @property
    def label(self) -> str:
        """How messages call it."""
        return (f"{self.user}@" if self.user else "") + self.name + (f":{self.port}" if self.port else "")


def parse_address(address: str) -> tuple[str | None, str, int | None]:
    """User, host and port of `[user@]host[:port]`; an IPv6 host stands in brackets. Raises ValueError."""
    user, _, rest = address.strip().rpartition("@")
    if rest.startswith("["):
        host, closed, port = rest[1:].partition("]")
        port = port.removeprefix(":") if closed else "?"
    elif rest.count(":") > 1:
        host, port = rest, ""
    else:
        host, _, port = rest.partition(":")
    if not host or host.startswith("-") or (port and not port.isdecimal()) or (port and not 0 < int(port) < 65536):
        raise ValueError(f"{address!r} is not [user@]host[:port]")
    return user or None, host, int(port) if port else None


def host_of(spec: DriverSpec) -> Host:
    """The host a model's driver names. Raises DriverError (permanent) that says which option is wrong."""
    try:
        options = SshOptions.model_validate(spec.options)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        known = ", ".join(sorted(SshOptions.model_fields))
        raise refused(f"driver ssh: option {name}: {first['msg']}; options are {known}") from None
    try:
        user, name, port = parse_address(spec.host or "")
    except ValueError as error:
        raise refused(f"driver ssh: host: {error}") from None
    return Host(name, options.user or user, options.port or port, options)


def jumps_of(host: Host) -> list[Host]:
    """The jump hosts before a host, in order: the option's, else those of ssh_config. They use the host's keys."""
    text = host.options.proxy_jump
    if text is None:
        found = getattr(_options(host), "tunnel", None)
        text = found if isinstance(found, str) else ""
    shared = host.options.model_copy(
        update={"user": None, "port": None, "proxy_jump": None, "host_key_sha256": None, "certificate": None}
    )
    jumps = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        try:
            user, name, port = parse_address(part)
        except ValueError as error:
            raise refused(f"driver ssh: proxy_jump: {error}") from None
        jumps.append(Host(name, user, port, shared))
    return jumps


async def connect(host: Host, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
    """Open one connection, through `tunnel` when given. Raises DriverError: permanent when waiting would not help."""
    seen = _Keys(host)
    options = await asyncio.to_thread(_options, host)
    try:
        return await asyncssh.connect(
            host.name,
            host.port or (),
            options=options,
            tunnel=tunnel,
            client_factory=lambda: seen,
            config=_config(host),
        )
    except asyncssh.HostKeyNotVerifiable as error:
        raise refused(seen.explain(options, str(error))) from error
    except asyncssh.PermissionDenied as error:
        raise refused(f"{host.label} refuses our keys: {error.reason}. Offered: {_offered(host)}") from error
    except (OSError, asyncssh.Error, ValueError) as error:
        raise DriverError("connection", f"cannot connect to {host.label}: {error}", counts=False) from error


def refused(message: str) -> DriverError:
    """An error that waiting does not mend."""
    return DriverError("driver", message, permanent=True)


def fingerprint(key: asyncssh.SSHKey) -> str:
    """`SHA256:…` as OpenSSH prints it: unpadded base64 of the SHA-256 of the public key's wire form."""
    digest = hashlib.sha256(key.public_data).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


class _Keys(asyncssh.SSHClient):
    """Judges a server's host key when known_hosts does not, and keeps it for the message."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.key: asyncssh.SSHKey | None = None

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.key = key
        wanted = self.host.options.host_key_sha256
        return wanted is not None and wanted.removeprefix("SHA256:").rstrip("=") == fingerprint(key)[7:]

    def explain(self, options: asyncssh.SSHClientConnectionOptions, reason: str) -> str:
        """What is wrong with the host key, and the exact commands that would accept it."""
        host = self.host
        if self.key is None:
            return f"the host key of {host.label} is refused: {reason}"
        found = fingerprint(self.key)
        if host.options.host_key_sha256:
            return (
                f"the host key of {host.label} is {found}, but the driver option host_key_sha256 says "
                f"{host.options.host_key_sha256}; if the change is right, set it to {found}"
            )
        name, port = str(options.host_key_alias or options.host or host.name), int(options.port or 22)
        entry = name if port == 22 else f"[{name}]:{port}"
        path = host.options.known_hosts or _first_file(options.known_hosts)
        file = path if path.startswith("~") else shlex.quote(path)
        line = f"{entry} {self.key.export_public_key().decode().strip()}"
        accept = f"echo {shlex.quote(' '.join(line.split()[:3]))} >> {file}"
        if _has_entry(path, entry):
            accept = f"ssh-keygen -R {shlex.quote(entry)} -f {file} && {accept}"
            text = f"the host key of {host.label} has CHANGED to {found}: another machine may be answering"
        else:
            text = f"the host key of {host.label} is unknown: {found}"
        return f"{text}. If you have checked that fingerprint, accept it with: {accept}"


def _first_file(known_hosts: object) -> str:
    """The file that ssh_config names for known hosts, else OpenSSH's own."""
    files = known_hosts if isinstance(known_hosts, list | tuple) else [known_hosts]
    return next((file for file in files if isinstance(file, str)), "~/.ssh/known_hosts")


def _has_entry(path: str, entry: str) -> bool:
    try:
        known = asyncssh.read_known_hosts(os.path.expanduser(path))
    except (OSError, ValueError):
        return False
    name, _, port = entry.removeprefix("[").partition("]:")
    return any(known.match(name, "", int(port) if port else None)[:2])


def _config(host: Host) -> Any:
    if host.options.config is None:
        return ()
    return None if host.options.config == "none" else [os.path.expanduser(host.options.config)]


def _options(host: Host) -> asyncssh.SSHClientConnectionOptions:
    """Connection options: ssh_config's, with the driver options over them. Reads files: call it in a thread."""
    try:
        return _read_options(host)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        hint = "name the variable that holds its passphrase in the option passphrase_env, or use ssh-agent"
        raise refused(f"the key for {host.label} cannot be read: {error}; {hint}") from error
    except (asyncssh.ConfigParseError, OSError, ValueError) as error:
        raise refused(f"cannot prepare a connection to {host.label}: {error}") from error


def _read_options(host: Host) -> asyncssh.SSHClientConnectionOptions:
    chosen = host.options
    given: dict[str, Any] = {}
    if host.user:
        given["username"] = host.user
    if host.port:
        given["port"] = host.port
    if chosen.key:
        pair = os.path.expanduser(chosen.key)
        certificate = os.path.expanduser(chosen.certificate) if chosen.certificate else None
        given["client_keys"] = [(pair, certificate) if certificate else pair]
    if chosen.passphrase_env:
        given["passphrase"] = _passphrase(chosen.passphrase_env)
    if chosen.agent is False:
        given["agent_path"] = None
    elif isinstance(chosen.agent, str):
        given["agent_path"] = os.path.expanduser(chosen.agent)
    if chosen.host_key_sha256:
        given["known_hosts"] = ([], [], [])
    elif chosen.known_hosts:  # a file that is not there yet holds no keys
        path = Path(os.path.expanduser(chosen.known_hosts))
        given["known_hosts"] = str(path) if path.exists() else ([], [], [])
    return asyncssh.SSHClientConnectionOptions(
        host=host.name,
        config=_config(host),
        encryption_algs=list(CIPHERS),
        compression_algs=["none"],
        keepalive_interval=chosen.keepalive_seconds,
        keepalive_count_max=chosen.keepalive_count,
        connect_timeout=chosen.connect_seconds,
        login_timeout=chosen.connect_seconds,
        password=None,
        kbdint_auth=False,
        password_auth=False,
        **given,
    )


def _passphrase(variable: str) -> str:
    value = os.environ.get(variable)
    if value is None:
        raise refused(f"driver ssh: passphrase_env names {variable}, which is not set where the worker runs")
    return value


def _offered(host: Host) -> str:
    keys = [host.options.key] if host.options.key else ["~/.ssh/id_*", "IdentityFile of ssh_config"]
    return ", ".join([*keys, "ssh-agent"] if host.options.agent else keys)
