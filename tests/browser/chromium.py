"""A real Chromium, driven through its DevTools protocol."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
from websockets.asyncio.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-dev-shm-usage",
)


def find() -> str | None:
    """The program, or None where no Chromium is installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._ids = socket, itertools.count(1)
        self.requested: list[str] = []
        self.console: list[str] = []

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; notes requests and errors that come meanwhile."""
        number = next(self._ids)
        await self._socket.send(orjson.dumps({"id": number, "method": method, "params": params}).decode())
        while True:
            message = orjson.loads(await self._socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requested.append(message["params"]["request"]["url"])
            case "Log.entryAdded":
                self.console.append(message["params"]["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.console.append(message["params"]["exceptionDetails"]["text"])

    async def open(self, url: str) -> None:
        await self.send("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def value(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = await self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    async def until(self, expression: str, seconds: float = 60) -> Any:
        """Wait until the expression is true; returns its value."""
        async with asyncio.timeout(seconds):
            while True:
                if found := await self.value(expression):
                    return found
                await asyncio.sleep(0.05)


@asynccontextmanager
async def browser(folder: Path, *, dark: bool = False, size: str = "1280,1000") -> AsyncIterator[Page]:
    """A Chromium with its profile in `folder` and one blank tab; ends with the block."""
    program = find()
    assert program is not None
    flags = [*_FLAGS, f"--window-size={size}", f"--user-data-dir={folder}", "--remote-debugging-port=0"]
    if dark:
        flags.append("--blink-settings=preferredColorScheme=0")
    process = await asyncio.create_subprocess_exec(
        program, *flags, "about:blank", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with connect(await _address(folder, process), max_size=None) as socket:
            page = Page(socket)
            for domain in ("Page", "Network", "Log", "Runtime"):
                await page.send(f"{domain}.enable")
            yield page
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _address(folder: Path, process: asyncio.subprocess.Process) -> str:
    """The tab's WebSocket, once the browser has written down its port."""
    marker = folder / "DevToolsActivePort"
    async with asyncio.timeout(60):
        while True:
            if process.returncode is not None:
                raise RuntimeError(f"chromium ended with {process.returncode}")
            if await asyncio.to_thread(marker.exists) and (text := await asyncio.to_thread(marker.read_text)):
                break
            await asyncio.sleep(0.05)
        port = text.splitlines()[0]
        async with httpx.AsyncClient(timeout=60) as http:
            while True:
                tabs = (await http.get(f"http://127.0.0.1:{port}/json/list")).json()
                for tab in tabs:
                    if tab["type"] == "page":
                        return str(tab["webSocketDebuggerUrl"])
                await asyncio.sleep(0.05)
