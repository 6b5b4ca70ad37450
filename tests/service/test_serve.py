from __future__ import annotations

import asyncio
import socket

from service.serve import bind
from service.settings import Settings


async def test_answers_go_out_without_waiting_for_the_client_to_acknowledge_their_beginning() -> None:
    seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        seen.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = bind(Settings(database_url="postgresql://x@127.0.0.1/x", port=0))
    async with await asyncio.start_server(accept, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        assert await seen
        writer.close()
        await writer.wait_closed()
