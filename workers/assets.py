"""Assets by hash: fetched once, verified, kept in a folder that all workers of a machine share."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from workers.client import ServiceClient, persist
from workers.errors import AssetError, ServiceRefused


class AssetCache:
    """Files by SHA-256 below `folder`. A file appears under its name only when its bytes are right."""

    def __init__(self, folder: Path, client: ServiceClient) -> None:
        self._folder, self._client = folder, client
        self._busy: dict[str, asyncio.Lock] = {}
        self._verified: set[str] = set()

    async def path(self, sha256: str) -> Path:
        """The local file. Waits while the service is away; raises AssetError when it has no such asset."""
        async with self._busy.setdefault(sha256, asyncio.Lock()):
            path = self._folder / sha256
            if sha256 in self._verified:
                return path
            if not path.exists() or await asyncio.to_thread(_hash, path) != sha256:
                await persist(lambda: self._fetch(sha256, path))
            self._verified.add(sha256)
            return path

    async def _fetch(self, sha256: str, path: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{sha256[:12]}-", dir=self._folder)
        digest = hashlib.sha256()
        try:
            with os.fdopen(handle, "wb") as file:
                async with self._client.asset(sha256) as chunks:
                    async for chunk in chunks:
                        digest.update(chunk)
                        file.write(chunk)
            if digest.hexdigest() != sha256:
                raise AssetError(f"asset {sha256}: what came has the hash {digest.hexdigest()}")
            os.replace(name, path)
        except ServiceRefused as error:
            raise AssetError(f"asset {sha256} cannot be fetched: {error}") from error
        except OSError as error:
            raise AssetError(f"asset {sha256} cannot be stored in {self._folder}: {error}") from error
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
