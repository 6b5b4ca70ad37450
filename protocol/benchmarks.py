"""Benchmarks as the service shows them."""

from __future__ import annotations

from pydantic import Field

from protocol.common import JsonObject, Reply


class BenchmarkInfo(Reply):
    """A family of tasks that can be submitted."""

    name: str
    version: str
    title: str
    tasks: list[str]


class BenchmarkList(Reply):
    items: list[BenchmarkInfo]


class AssetNeeded(Reply):
    """A file the benchmark builds samples from."""

    role: str
    kind: str
    name: str = Field(description="The registered asset that serves when `options.assets` names none.")
    hint: str = Field(description="The command that installs it.")
    registered: bool


class BenchmarkDetail(BenchmarkInfo):
    """A benchmark with the schema of its options."""

    options_schema: JsonObject = Field(description="JSON Schema of `options` in a `JobRequest`.")
    needs: list[AssetNeeded] = Field(default_factory=list, description="Assets needed with default options.")
