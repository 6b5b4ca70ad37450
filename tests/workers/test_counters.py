from __future__ import annotations

import asyncio
from typing import Any

import pytest

from protocol.models import ApiKind, ModelRequest, TokenizerRef
from tests.support.model_server import ModelServer
from tests.support.small_tokenizer import count, write_small_tokenizer
from tests.workers.targets import open_target
from tests.workers.toy import open_job
from workers.counters import BridgedCounter, open_counter
from workers.drivers.base import open_driver
from workers.errors import CallError
from workers.server_tokens import ServerCounter
from workers.targets import Targets


def _spec(**model: Any) -> Any:
    request = ModelRequest(name="m", api=ApiKind.OPENAI_CHAT, **model)
    return open_job().spec.model_copy(update={"model": request})


async def test_a_tokenizer_asset_counts(tmp_path: Any) -> None:
    counter = await open_counter(_spec(), write_small_tokenizer(tmp_path), Targets(open_driver))
    assert counter.count("The grass is green.") == count("The grass is green.")


async def test_a_model_without_tokenizer_is_a_clear_failure() -> None:
    with pytest.raises(CallError, match="no tokenizer") as caught:
        await open_counter(_spec(base_url="http://127.0.0.1:1/v1"), None, Targets(open_driver))
    assert caught.value.permanent


async def test_a_server_without_a_tokenizer_of_its_own_is_said_plainly() -> None:
    targets = Targets(open_driver)
    async with ModelServer() as server:
        spec = _spec(base_url=server.base_url, tokenizer=TokenizerRef(kind="server"))
        with pytest.raises(CallError, match="name a tokenizer asset"):
            await open_counter(spec, None, targets)
        await targets.aclose()


async def test_a_servers_tokenizer_can_be_asked_from_the_threads_that_build_samples() -> None:
    """llama.cpp's `/tokenize` answers with the tokens."""

    async def tokenize(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\ncontent-length: 20\r\nconnection: close\r\n\r\n{"tokens":[1, 2, 3]}')
        writer.close()

    server = await asyncio.start_server(tokenize, "127.0.0.1", 0)
    root = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, open_target(f"{root}/v1") as target:
        there = ServerCounter(target, root, "/tokenize", "content", "tokens", None, "")
        counter = BridgedCounter(there, asyncio.get_running_loop(), "m")
        assert counter.identity == "server:m"
        assert await asyncio.to_thread(counter.count, "three small words") == 3
