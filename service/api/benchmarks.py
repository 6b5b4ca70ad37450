"""Which benchmarks there are and what options they take."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks import registry
from benchmarks.base import Benchmark
from benchmarks.errors import OptionsError, UnknownBenchmark
from protocol.benchmarks import AssetNeeded, BenchmarkDetail, BenchmarkInfo, BenchmarkList
from service.api.deps import Connection
from service.errors import NotFound

router = APIRouter(prefix="/benchmarks", tags=["benchmarks"])


@router.get("", summary="List the benchmarks")
async def list_benchmarks() -> BenchmarkList:
    return BenchmarkList(items=[_info(registry.get(name)) for name in registry.names()])


@router.get("/{name}", summary="Show a benchmark and the schema of its options")
async def show_benchmark(name: str, connection: Connection) -> BenchmarkDetail:
    """`options_schema` is JSON Schema; `needs` says which assets the default options use and whether they are here."""
    try:
        found = registry.get(name)
    except UnknownBenchmark as error:
        raise NotFound(str(error)) from None
    return BenchmarkDetail(
        **_info(found).model_dump(),
        options_schema=found.options_model.model_json_schema(),
        needs=await _needs(connection, found),
    )


def _info(found: Benchmark) -> BenchmarkInfo:
    return BenchmarkInfo(name=found.name, version=found.version, title=found.title, tasks=list(found.tasks()))


async def _needs(connection: AsyncConnection, found: Benchmark) -> list[AssetNeeded]:
    try:
        needs = found.needs(found.options_model())
    except (ValidationError, OptionsError):  # a benchmark whose options have no defaults needs nothing by default
        return []
    names = [need.name for need in needs]
    rows = await connection.execute(text("SELECT name FROM assets WHERE name = ANY(:names)"), {"names": names})
    there = {row.name for row in rows}
    return [AssetNeeded(role=n.role, kind=n.kind, name=n.name, hint=n.hint, registered=n.name in there) for n in needs]
