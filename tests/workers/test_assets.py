from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from workers.assets import AssetCache
from workers.client import ServiceClient
from workers.errors import AssetError

CONTENT = b"essay " * 200_000
SHA = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Assets:
    """A server of assets: `replies` are used up first; "drop" breaks off in mid-body."""

    replies: list[int | str] = field(default_factory=list)
    content: bytes = CONTENT
    calls: int = 0

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.calls += 1
        reply = self.replies.pop(0) if self.replies else 200
        if reply == "drop":
            response = web.StreamResponse(headers={"content-length": str(len(self.content))})
            await response.prepare(request)
            await response.write(self.content[:1000])
            assert request.transport is not None
            request.transport.abort()
            return response
        assert isinstance(reply, int)
        if reply != 200:
            return web.json_response({"title": "Not found", "status": reply, "detail": "no such asset"}, status=reply)
        await asyncio.sleep(0.05)
        return web.Response(body=self.content)


@asynccontextmanager
async def serving(assets: Assets) -> AsyncIterator[ServiceClient]:
    app = web.Application()
    app.router.add_get("/v1/assets/{sha}/content", assets.serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    client = ServiceClient(f"http://127.0.0.1:{runner.addresses[0][1]}", None)
    try:
        yield client
    finally:
        await client.aclose()
        await runner.cleanup()


async def test_an_asset_is_fetched_once_however_many_ask_at_the_same_time(tmp_path: Path) -> None:
    assets = Assets()
    async with serving(assets) as client:
        cache = AssetCache(tmp_path, client)
        paths = await asyncio.gather(*(cache.path(SHA) for _ in range(10)))
        assert {path.read_bytes() for path in paths} == {CONTENT}
        assert assets.calls == 1
        await AssetCache(tmp_path, client).path(SHA)  # another worker on the same machine
    assert assets.calls == 1
    assert [path.name for path in tmp_path.iterdir()] == [SHA]


async def test_a_download_that_breaks_off_is_tried_again_and_leaves_nothing_half(tmp_path: Path) -> None:
    assets = Assets(["drop", 503])
    async with serving(assets) as client:
        path = await AssetCache(tmp_path, client).path(SHA)
    assert path.read_bytes() == CONTENT
    assert [found.name for found in tmp_path.iterdir()] == [SHA]


async def test_wrong_bytes_are_never_used(tmp_path: Path) -> None:
    async with serving(Assets(content=b"something else")) as client:
        with pytest.raises(AssetError, match="hash"):
            await AssetCache(tmp_path, client).path(SHA)
    assert list(tmp_path.iterdir()) == []


async def test_a_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / SHA).write_bytes(b"damaged")
    async with serving(Assets()) as client:
        assert (await AssetCache(tmp_path, client).path(SHA)).read_bytes() == CONTENT


async def test_an_asset_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    async with serving(Assets([404])) as client:
        with pytest.raises(AssetError, match="no such asset"):
            await AssetCache(tmp_path, client).path(SHA)
