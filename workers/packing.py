"""Makes a wheel of an installed distribution, so that a worker can be installed where no package index is reached.

A wheel is a zip of what is installed, with a RECORD of its files (Python packaging's binary distribution format). An
editable installation has no files of its own: its packages are taken from where they are imported.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from workers.errors import WorkerError

OURS = "fathom-eval"
ROOMS = ("protocol", "benchmarks", "workers", "service", "fathom", "migrations")
_NOT_PACKED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
_TIMESTAMP = (2020, 1, 1, 0, 0, 0)


def pack_ours(folder: Path) -> Path:
    """A wheel of the running Fathom. Raises WorkerError when it is not installed at all."""
    try:
        return pack(distribution(OURS), folder, ROOMS)
    except PackageNotFoundError as error:
        raise WorkerError(f"{OURS} is not installed here, so no wheel can be made of it; give --wheel") from error


def pack(found: Distribution, folder: Path, packages: tuple[str, ...] = (), *, compress: bool = True) -> Path:
    """Write the wheel of a distribution into `folder`; `packages` are those of an editable installation."""
    tag = _tag(found)
    name = f"{found.metadata['Name'].replace('-', '_')}-{found.version}-{tag}.whl"
    files = dict(_installed(found))
    if not any(not inside.split("/")[0].endswith(".dist-info") for inside in files):
        files |= dict(_imported(packages))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        rows = [_add(archive, inside, file.read_bytes(), file) for inside, file in sorted(files.items())]
        record = f"{found.metadata['Name'].replace('-', '_')}-{found.version}.dist-info/RECORD"
        record = next(
            (f"{inside.rpartition('/')[0]}/RECORD" for inside in files if inside.endswith("/METADATA")), record
        )
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        archive.writestr(zipfile.ZipInfo(record, _TIMESTAMP), text.getvalue())
    return path


def _tag(found: Distribution) -> str:
    """The first tag of the WHEEL file, such as `py3-none-any`."""
    lines = (found.read_text("WHEEL") or "").splitlines()
    return next((line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: ")), "py3-none-any")


def _installed(found: Distribution) -> Iterator[tuple[str, Path]]:
    """What the distribution's RECORD lists and a wheel may hold: no scripts, no compiled files, no traces of installing."""
    for entry in found.files or []:
        inside, file = str(entry), Path(str(entry.locate()))
        hidden = inside.endswith((".pyc", ".pth")) or ("." + inside.split("/")[0]).startswith("...")
        if hidden or entry.name in _NOT_PACKED or inside.startswith("__editable__") or not file.is_file():
            continue
        yield inside, file


def _imported(packages: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    for package in packages:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            for file in sorted(Path(folder).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    yield f"{package}/{file.relative_to(folder).as_posix()}", file


def _add(archive: zipfile.ZipFile, inside: str, content: bytes, file: Path) -> tuple[str, str, int]:
    info = zipfile.ZipInfo(inside, _TIMESTAMP)
    info.compress_type = archive.compression
    info.external_attr = (file.stat().st_mode & 0o777) << 16
    archive.writestr(info, content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return inside, f"sha256={digest}", len(content)
