"""Models as targets: drivers and clients opened once and shared, API keys taken from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from protocol.models import Driver as DriverSpec
from protocol.models import ModelRequest
from workers.apis.base import Target
from workers.drivers.base import Driver
from workers.errors import CallError


class Targets:
    """Drivers and clients, opened once and shared: a driver a machine, a client a model."""

    def __init__(self, open_driver: Callable[[DriverSpec], Driver]) -> None:
        self._open_driver = open_driver
        self._drivers: dict[str, Driver] = {}
        self._stack = AsyncExitStack()

    async def open(self, model: ModelRequest, facts: Mapping[str, Any]) -> Target:
        """Raises CallError when the driver is unknown or the key's environment variable is not set."""
        key = api_key(model.api_key_env)
        machine = model.driver.model_dump_json()
        driver = self._drivers.get(machine)
        if driver is None:
            driver = self._drivers[machine] = self._open_driver(model.driver)
            self._stack.push_async_callback(driver.aclose)
        http = await self._stack.enter_async_context(driver.http())
        return Target(model, http, driver, facts, key)

    async def aclose(self) -> None:
        await self._stack.aclose()


def api_key(variable: str | None) -> str | None:
    """The key in that environment variable. Raises CallError that names the variable, never the key."""
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise CallError(
            "auth",
            f"the worker's environment variable {variable} is not set: it should hold the API key",
            permanent=True,
        )
    return key
