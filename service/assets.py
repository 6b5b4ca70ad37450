"""Assets: files by content. Names point to SHA-256 hashes; bytes lie in Postgres in chunks of 1 MiB.

Uploads and downloads hold one chunk in memory whatever the file's size.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from protocol.assets import Asset, AssetKind
from protocol.common import JsonObject
from service.errors import Conflict, NotFound
from service.inspection import inspect

CHUNK = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COLUMNS = "name, kind, sha256, size, source, meta, created_at"


@dataclass(frozen=True, slots=True)
class Received:
    """An upload on this machine's disk, complete and checked."""

    path: Path
    sha256: str
    size: int
    meta: JsonObject


@asynccontextmanager
async def received(stream: AsyncIterator[bytes], kind: AssetKind, folder: Path) -> AsyncIterator[Received]:
    """An upload as a file in `folder`, there for the block. Raises Invalid when it is not what its kind says."""
    async with _temporary(folder) as path:
        sha256, size = await _write(stream, path)
        yield Received(path, sha256, size, await asyncio.to_thread(inspect, kind, path))


async def _write(stream: AsyncIterator[bytes], path: Path) -> tuple[str, int]:
    """Write all that comes to a file; its SHA-256 and size."""
    digest, size = hashlib.sha256(), 0
    with await asyncio.to_thread(path.open, "wb") as file:
        async for piece in stream:
            digest.update(piece)
            size += len(piece)
            await asyncio.to_thread(file.write, piece)
    return digest.hexdigest(), size


@asynccontextmanager
async def _temporary(folder: Path) -> AsyncIterator[Path]:
    """An empty file that is gone after the block, unless it was given another name."""

    def make() -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix="incoming-")
        os.close(handle)
        return Path(name)

    path = await asyncio.to_thread(make)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


async def store(connection: AsyncConnection, name: str, kind: AssetKind, source: str, received: Received) -> Asset:
    """Put a received file under a name; the same bytes again change nothing but the name's source."""
    known = {"sha256": received.sha256, "size": received.size}
    fresh = await connection.execute(
        text("INSERT INTO blobs (sha256, size) VALUES (:sha256, :size) ON CONFLICT DO NOTHING RETURNING sha256"), known
    )
    if fresh.first() is not None:
        await _write_chunks(connection, received)
    row = await connection.execute(
        text(
            f"""INSERT INTO assets AS a (name, kind, sha256, size, source, meta)
            VALUES (:name, :kind, :sha256, :size, :source, CAST(:meta AS jsonb))
            ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, sha256 = excluded.sha256, size = excluded.size,
              source = CASE WHEN excluded.source = '' AND a.sha256 = excluded.sha256 THEN a.source
                            ELSE excluded.source END,
              meta = excluded.meta
            RETURNING {_COLUMNS}"""
        ),
        {**known, "name": name, "kind": kind.value, "source": source, "meta": json.dumps(received.meta)},
    )
    return _asset(row.one())


async def _write_chunks(connection: AsyncConnection, received: Received) -> None:
    insert = text("INSERT INTO blob_chunks (sha256, number, data) VALUES (:sha256, :number, :data)")
    with received.path.open("rb") as file:
        number = 0
        while piece := await asyncio.to_thread(file.read, CHUNK):
            await connection.execute(insert, {"sha256": received.sha256, "number": number, "data": piece})
            number += 1


async def every(connection: AsyncConnection) -> list[Asset]:
    """All registered assets by name."""
    return [_asset(row) for row in await connection.execute(text(f"SELECT {_COLUMNS} FROM assets ORDER BY name"))]


async def find(connection: AsyncConnection, name: str) -> Asset | None:
    """The asset of that name, or the first one with that SHA-256."""
    by = "sha256" if _SHA256.fullmatch(name) else "name"
    query = f"SELECT {_COLUMNS} FROM assets WHERE {by} = :name ORDER BY created_at LIMIT 1"
    row = (await connection.execute(text(query), {"name": name})).first()
    return None if row is None else _asset(row)


async def get(connection: AsyncConnection, name: str) -> Asset:
    """The asset of that name or SHA-256. Raises NotFound."""
    found = await find(connection, name)
    if found is None:
        raise NotFound(f"no asset {name!r}; `GET /v1/assets` lists them")
    return found


async def delete(connection: AsyncConnection, name: str) -> None:
    """Forget a name, and its bytes when no other name and no job uses them. Raises NotFound, Conflict."""
    asset = await find(connection, name)
    if asset is None:
        raise NotFound(f"no asset {name!r}")
    used = await connection.execute(
        text("SELECT name FROM models WHERE spec -> 'tokenizer' ->> 'asset' = :name ORDER BY name"),
        {"name": asset.name},
    )
    if models := [row.name for row in used]:
        raise Conflict(f"asset {asset.name!r} is the tokenizer of: {', '.join(models)}")
    await connection.execute(text("DELETE FROM assets WHERE name = :name"), {"name": asset.name})
    await connection.execute(
        text(
            """DELETE FROM blobs b WHERE b.sha256 = :sha256
            AND NOT EXISTS (SELECT 1 FROM assets a WHERE a.sha256 = b.sha256)
            AND NOT EXISTS (SELECT 1 FROM models m WHERE m.tokenizer_sha256 = b.sha256)
            AND NOT EXISTS (SELECT 1 FROM jobs j, jsonb_each_text(j.assets) used WHERE used.value = b.sha256)"""
        ),
        {"sha256": asset.sha256},
    )


async def blob_of(connection: AsyncConnection, name: str) -> tuple[str, int]:
    """SHA-256 and size of the bytes behind a name or a hash; also of bytes that only jobs still use."""
    if _SHA256.fullmatch(name):
        row = (await connection.execute(text("SELECT size FROM blobs WHERE sha256 = :sha"), {"sha": name})).first()
        if row is None:
            raise NotFound(f"no content with SHA-256 {name}")
        return name, int(row.size)
    asset = await get(connection, name)
    return asset.sha256, asset.size


async def content(engine: AsyncEngine, sha256: str) -> AsyncIterator[bytes]:
    """The bytes, a chunk a query: no transaction stays open while a slow reader reads."""
    query = text("SELECT data FROM blob_chunks WHERE sha256 = :sha256 AND number = :number")
    number = 0
    while True:
        async with engine.connect() as connection:
            row = (await connection.execute(query, {"sha256": sha256, "number": number})).first()
        if row is None:
            return
        yield bytes(row.data)
        number += 1


class AssetFiles:
    """Assets as local files, fetched on first use and kept by hash; safe for several tasks at once."""

    def __init__(self, engine: AsyncEngine, folder: Path) -> None:
        self._engine, self._folder = engine, folder
        self._locks: dict[str, asyncio.Lock] = {}

    async def path(self, sha256: str) -> Path:
        """The file with these bytes. Raises NotFound when the database has them no more."""
        target = self._folder / sha256
        async with self._locks.setdefault(sha256, asyncio.Lock()):
            if not await asyncio.to_thread(target.exists):
                await self._fetch(sha256, target)
        return target

    async def _fetch(self, sha256: str, target: Path) -> None:
        async with _temporary(self._folder) as path:
            found, _ = await _write(content(self._engine, sha256), path)
            if found != sha256:
                raise NotFound(f"the content with SHA-256 {sha256} is not in the database any more")
            await asyncio.to_thread(path.replace, target)


def _asset(row: Any) -> Asset:
    return Asset.model_validate(row._mapping)
