"""The files a job was given, read by role."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson

from benchmarks.base import JsonDict, Resources
from benchmarks.errors import InvalidAsset, MissingAsset
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.corpora import read_essays, sha256
from benchmarks.ruler.documents import Documents, load_documents
from benchmarks.ruler.fitting import Meter
from benchmarks.ruler.haystacks import Essays, load_essays


class Files:
    """Reads what resources name. Holds nothing."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self.cache = Cache(resources.cache)

    def read(self, role: str) -> bytes:
        """The content of an asset. Raises MissingAsset or InvalidAsset."""
        path = self.path(role)
        try:
            return path.read_bytes()
        except OSError as error:
            raise InvalidAsset(role, f"can't read {path}: {error.strerror}") from error

    def path(self, role: str) -> Path:
        """Where an asset is. Raises MissingAsset."""
        path = self._resources.files.get(role)
        if path is None:
            raise MissingAsset(role, "was not given")
        return path

    def describe(self, role: str) -> JsonDict:
        """What results say of an asset: its name and hash."""
        resources = self._resources
        return {role: {"name": resources.names.get(role, role), "sha256": resources.sha256.get(role)}}

    def essay_text(self) -> str:
        return read_essays(self.read("essays"))

    def essays(self, splitter: str, meter: Meter) -> Essays:
        """The essays with sentences and counts."""
        return load_essays(self.essay_text(), self.sha256("essays"), splitter, meter, self.cache)

    def documents(self, role: str) -> Documents:
        """Documents and questions of `squad` or `hotpotqa`."""
        return load_documents(role, self.path(role), self.sha256(role), self.cache)

    def english_words(self) -> Sequence[str] | None:
        """The words of the reference's english_words.json (number to word), or None when it was not given."""
        role = "english_words"
        if role not in self._resources.files:
            return None
        try:
            data = orjson.loads(self.read(role))
            return [str(word) for word in (data.values() if isinstance(data, dict) else data)]
        except (orjson.JSONDecodeError, TypeError) as error:
            raise InvalidAsset(role, f"not a JSON object of words: {error}") from error

    def sha256(self, role: str) -> str:
        """The asset's SHA-256; where the caller gave none, it is made, since caches are named by it."""
        return self._resources.sha256.get(role) or sha256(self.read(role))
