"""Under which account Postgres runs: it refuses root, so root hands it to an existing unprivileged account."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.db.errors import EmbeddedError

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """`drop` is true when processes must be started with another uid than ours."""

    uid: int
    gid: int
    name: str
    drop: bool

    def spawn_options(self) -> dict[str, Any]:
        """Arguments of subprocess that make a program run under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.drop else {}

    def own(self, folder: Path, mode: int) -> None:
        """Create a folder of this account with exactly this mode."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.drop:
            os.chown(folder, self.uid, self.gid)
        folder.chmod(mode)

    def reaches(self, path: Path) -> bool:
        """Whether the account may enter that folder, or run that program."""
        if not self.drop:
            return os.access(path, os.X_OK)
        test = ["/bin/sh", "-c", 'test -x "$1"', "sh", str(path)]
        return subprocess.run(test, cwd="/", check=False, **self.spawn_options()).returncode == 0


def server_account(candidates: Sequence[str] = CANDIDATES) -> Account:
    """Ourselves, or for root the first of the candidates that exists. Raises EmbeddedError when none does."""
    uid = os.geteuid()
    if uid != 0:
        try:
            name = pwd.getpwuid(uid).pw_name
        except KeyError:
            raise EmbeddedError(
                f"user id {uid} has no entry in the password database, which Postgres needs; set DATABASE_URL instead"
            ) from None
        return Account(uid, os.getegid(), name, drop=False)
    for candidate in candidates:
        try:
            entry = pwd.getpwnam(candidate)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, candidate, drop=True)
    raise EmbeddedError(
        f"Postgres cannot run as root and none of the accounts {', '.join(candidates)} exists; "
        "run as an ordinary user, or set DATABASE_URL"
    )
