"""What takes long to work out is kept on disk, in files named by the hash of all that it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


class Cache:
    """Arrays by key in a folder; without a folder nothing is kept. Damaged files are made again."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def path(self, key: tuple[object, ...], suffix: str = ".npz") -> Path | None:
        """The file of a key, in a folder that exists; None without a folder."""
        if self._folder is None:
            return None
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / (str(key[0]) + "-" + hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32] + suffix)

    def load(self, key: tuple[object, ...]) -> dict[str, NDArray[Any]] | None:
        path = self.path(key)
        if path is None or not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except (OSError, ValueError, BadZipFile, KeyError, EOFError):
            return None

    def save(self, key: tuple[object, ...], arrays: Arrays) -> None:
        """Write whole or not at all; a full disk costs the cache, not the job."""
        path = self.path(key)
        if path is not None:
            write_whole(path, lambda file: np.savez(file, allow_pickle=False, **dict(arrays)))

    def arrays(self, key: tuple[object, ...], make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a key, made and kept if they are not there."""
        found = self.load(key)
        if found is None:
            made = make()
            self.save(key, made)
            return made
        return found

    def mapped(self, key: tuple[object, ...], make: Callable[[], Arrays]) -> Arrays:
        """Like `arrays`, but the arrays are mapped into memory instead of read."""
        found = self._mapped(key)
        if found is not None:
            return found
        made = make()
        for name, array in made.items():
            path = self.path((*key, name), ".npy")
            if path is not None:
                write_whole(path, partial(_save_one, array))
        self.save((*key, "names"), {"names": np.array(list(made))})
        return self._mapped(key) or made

    def _mapped(self, key: tuple[object, ...]) -> Arrays | None:
        names = self.load((*key, "names"))
        if names is None:
            return None
        found = {str(name): self._map((*key, str(name))) for name in names["names"]}
        kept = {name: array for name, array in found.items() if array is not None}
        return kept if len(kept) == len(found) else None

    def _map(self, key: tuple[object, ...]) -> NDArray[Any] | None:
        path = self.path(key, ".npy")
        try:
            return None if path is None else np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None


def _save_one(array: NDArray[Any], file: Any) -> None:
    np.save(file, array, allow_pickle=False)


def write_whole(path: Path, write: Callable[[Any], object]) -> None:
    """Write a file beside its place and move it there. An OSError (disk full, read-only) is swallowed: it is a cache."""
    temporary = None
    try:
        prefix = f".{threading.get_ident()}-"
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=prefix, delete=False) as file:
            temporary = Path(file.name)
            write(file.file)  # a plain file: numpy writes arrays to it without copying them
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
