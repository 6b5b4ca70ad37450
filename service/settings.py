"""What an operator can set. One frozen object, made once at start-up and handed down."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

import platformdirs

from service.errors import SettingsError

MiB = 1024 * 1024
_LEVELS = ("debug", "info", "warning", "error")
DEFAULT_PORT = 8765


def default_data_dir() -> Path:
    """`FATHOM_DATA`, else /var/lib/fathom for root, else the user's data folder."""
    if given := os.environ.get("FATHOM_DATA"):
        return Path(given)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/fathom")
    return Path(platformdirs.user_data_dir("fathom"))


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one service process. Sizes in bytes, times in seconds."""

    database_url: str
    data_dir: Path = field(default_factory=default_data_dir)
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    log_format: Literal["text", "json"] = "text"
    log_level: str = "info"
    pool_size: int = 12
    database_timeout: float = 30.0
    lease_seconds: float = 60.0
    heartbeat_seconds: float = 15.0
    max_body: int = 4 * MiB
    max_outcomes_body: int = 256 * MiB
    max_asset: int = 4096 * MiB
    probe_wait: float = 60.0
    event_heartbeat: float = 15.0
    shutdown_grace: float = 5.0

    @property
    def cache_dir(self) -> Path:
        """Where asset files lie while the service checks jobs; may be deleted at any time."""
        return self.data_dir / "cache"


_ENVIRONMENT = {
    "host": "FATHOM_HOST",
    "port": "FATHOM_PORT",
    "log_format": "FATHOM_LOG_FORMAT",
    "log_level": "FATHOM_LOG_LEVEL",
    "pool_size": "FATHOM_POOL_SIZE",
    "database_timeout": "FATHOM_DATABASE_TIMEOUT",
    "lease_seconds": "FATHOM_LEASE_SECONDS",
    "heartbeat_seconds": "FATHOM_HEARTBEAT_SECONDS",
    "max_body": "FATHOM_MAX_BODY",
    "max_outcomes_body": "FATHOM_MAX_OUTCOMES_BODY",
    "max_asset": "FATHOM_MAX_ASSET",
}


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from `DATABASE_URL` and the `FATHOM_*` variables. Raises SettingsError naming the bad one."""
    env = os.environ if environment is None else environment
    url = env.get("DATABASE_URL")
    if not url:
        raise SettingsError("DATABASE_URL is not set; `fathom up` starts an embedded Postgres instead")
    kinds = {f.name: f.type for f in fields(Settings)}
    values: dict[str, object] = {"database_url": url}
    if data := env.get("FATHOM_DATA"):
        values["data_dir"] = Path(data)
    for name, variable in _ENVIRONMENT.items():
        if (text := env.get(variable)) is not None:
            values[name] = _convert(variable, text, str(kinds[name]))
    settings = Settings(**values)  # type: ignore[arg-type]
    if settings.log_format not in ("text", "json"):
        raise SettingsError(f"FATHOM_LOG_FORMAT = {settings.log_format!r}: must be text or json")
    if settings.log_level.lower() not in _LEVELS:
        raise SettingsError(f"FATHOM_LOG_LEVEL = {settings.log_level!r}: must be one of {', '.join(_LEVELS)}")
    return settings


def _convert(variable: str, text: str, kind: str) -> object:
    if kind not in ("int", "float"):
        return text
    try:
        return int(text) if kind == "int" else float(text)
    except ValueError:
        raise SettingsError(f"{variable} = {text!r}: must be a number") from None
