"""An OpenAI-compatible server that costs almost nothing, so that what is measured is the other side.

python -m perf.model_server --port 0 --latency 0.05        prints `READY <base url>`; answers needle questions

It speaks just enough HTTP/1.1: Content-Length bodies, keep-alive, one JSON reply a request. Prompts are searched for the
needle as bytes. `usage` is an upper bound of what any tokenizer counts (half the body's bytes), so no prompt looks cut.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from typing import cast

_QUESTION, _MENTIONED = b"special magic number for ", b" mentioned in the provided text"


def find_needle(body: bytes) -> bytes:
    """The value of the key that the body's last question names, else `0`."""
    asked = body.rfind(_QUESTION)
    end = body.find(_MENTIONED, asked)
    if asked < 0 or end < 0:
        return b"0"
    needle = b"for " + body[asked + len(_QUESTION) : end] + b" is: "
    found = body.find(needle)
    if found < 0:
        return b"0"
    start = found + len(needle)
    return body[start : body.find(b".", start, start + 64)]


def reply_to(body: bytes) -> bytes:
    """The whole HTTP reply."""
    tokens = len(body) // 2
    content = (
        b'{"id":"x","object":"chat.completion","created":1,"model":"quick","choices":[{"index":0,"message":{"role":"assistant","content":"%b"},'
        b'"text":"%b","finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":8,"total_tokens":%d}}'
    ) % ((answer := find_needle(body)), answer, tokens, tokens + 8)
    return _http(content)


def _http(content: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(content) + content


class _Connection(asyncio.Protocol):
    latency = 0.0
    calls = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._buffer = bytearray()
        self._body_at, self._end = -1, 0

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while self._advance():
            pass

    def _advance(self) -> bool:
        if self._body_at < 0:
            head = self._buffer.find(b"\r\n\r\n")
            if head < 0:
                return False
            lines = bytes(self._buffer[:head]).lower()
            at = lines.find(b"content-length:")
            length = int(lines[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            self._body_at, self._end = head + 4, head + 4 + length
        if len(self._buffer) < self._end:
            return False
        body = bytes(self._buffer[self._body_at : self._end])
        reply = reply_to(body) if self._buffer.startswith(b"POST") else _http(b'{"data":[{"id":"quick"}]}')
        del self._buffer[: self._end]
        self._body_at = -1
        _Connection.calls += 1
        asyncio.get_running_loop().call_later(self.latency, self._reply, reply)
        return bool(self._buffer)

    def _reply(self, reply: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(reply)


async def _serve(port: int, latency: float) -> None:
    _Connection.latency = latency
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", port, backlog=2048)
    print(f"READY http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    import uvloop

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds a call takes")
    arguments = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        uvloop.run(_serve(arguments.port, arguments.latency))
