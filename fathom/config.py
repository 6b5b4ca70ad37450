"""Where the service is and with which token: options, then environment, then the file of saved tokens.

Saved tokens stand in `tokens.json` in the user's configuration folder (mode 600), one a server address.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_config_path, user_data_path

from fathom.errors import BadInput

DEFAULT_PORT = 8765
DEFAULT_SERVER = f"http://127.0.0.1:{DEFAULT_PORT}"


def server_address(given: str | None = None) -> str:
    """The service's address without a trailing slash: `given`, else FATHOM_SERVER, else the default."""
    address = (given or os.environ.get("FATHOM_SERVER") or DEFAULT_SERVER).rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise BadInput(f"server = {address!r}: not an address; it looks like {DEFAULT_SERVER}")
    return address


def data_folder(given: Path | None = None) -> Path:
    """The data folder: `given`, else FATHOM_DATA, else /var/lib/fathom as root and the user's data folder otherwise.

    Root's own home is no good place: the database runs as an unprivileged account that must reach it.
    """
    if given is not None:
        return given.absolute()
    if named := os.environ.get("FATHOM_DATA"):
        return Path(named).absolute()
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/fathom")
    return user_data_path("fathom")


def tokens_file() -> Path:
    """The file of saved tokens."""
    return user_config_path("fathom") / "tokens.json"


def find_token(server: str, given: str | None = None) -> str | None:
    """The token for `server`: `given`, else FATHOM_TOKEN, else FATHOM_TOKEN_FILE, else the one saved for it."""
    if token := given or os.environ.get("FATHOM_TOKEN"):
        return token
    if named := os.environ.get("FATHOM_TOKEN_FILE"):
        return _private_text(Path(named)).strip()
    return _saved().get(_key(server))


def save_token(server: str, token: str) -> Path:
    """Save the token of a server for this user (mode 600, written whole or not at all); returns the file."""
    path = tokens_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    saved = {**_saved(), _key(server): token}
    write_private(path, json.dumps(saved, indent=2) + "\n")
    return path


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, atomically."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mkstemp makes it with mode 600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _saved() -> dict[str, str]:
    path = tokens_file()
    if not path.exists():
        return {}
    try:
        tokens = json.loads(_private_text(path))
    except ValueError as error:
        raise BadInput(f"{path} is not JSON ({error}); remove it and log in again") from error
    return {str(k): str(v) for k, v in tokens.items()}


def _private_text(path: Path) -> str:
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise BadInput(f"{path} can be read by others; run: chmod 600 {path}")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot read the token in {path}: {error.strerror}") from error


def _key(server: str) -> str:
    """One key for all names of this machine's loopback address."""
    parts = urlsplit(server)
    host = parts.hostname or ""
    host = "127.0.0.1" if host in ("localhost", "::1", "0.0.0.0") else host
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"
