"""Assets: upload, list, read, forget."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response, StreamingResponse

from protocol.assets import Asset, AssetKind, AssetList
from protocol.common import FieldProblem, Name
from service import assets
from service.api.deps import Connection, StateDep
from service.errors import Invalid

router = APIRouter(prefix="/assets", tags=["assets"])
_NAME = TypeAdapter(Name)


@router.get("", summary="List the assets")
async def list_assets(connection: Connection) -> AssetList:
    return AssetList(items=await assets.every(connection))


@router.put(
    "/{name}",
    summary="Upload an asset",
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {}}}},
)
async def put_asset(
    name: str,
    request: Request,
    state: StateDep,
    kind: Annotated[AssetKind, Query(description="What it is; the file is checked to be that.")],
    source: Annotated[str, Query(description="Where it came from, in words.", max_length=1000)] = "",
) -> Asset:
    """The body is the file itself. The same bytes under the same name change nothing; other bytes replace what the
    name points to, and jobs that used the old ones keep them. A tokenizer must load with `tokenizers`, a dataset must
    be JSON or JSON lines, everything else UTF-8 text."""
    try:
        _NAME.validate_python(name)
    except ValidationError:
        message = "must start with a letter or digit and hold only letters, digits, `.`, `_` and `-`, at most 100"
        raise Invalid(
            f"name {name!r} {message}", errors=[FieldProblem(field="name", value=name, message=message)]
        ) from None
    folder = state.settings.cache_dir / "incoming"
    async with assets.received(request.stream(), kind, folder) as upload, state.db.begin() as connection:
        return await assets.store(connection, name, kind, source, upload)


@router.get("/{name}", summary="Show an asset")
async def show_asset(name: str, connection: Connection) -> Asset:
    """By name or SHA-256."""
    return await assets.get(connection, name)


@router.get("/{name}/content", summary="Read an asset's bytes", response_class=Response)
async def read_asset(name: str, state: StateDep) -> Response:
    """By name or SHA-256; streamed, with the hash as ETag."""
    async with state.db.engine.connect() as connection:
        sha256, size = await assets.blob_of(connection, name)
    return StreamingResponse(
        assets.content(state.db.engine, sha256),
        media_type="application/octet-stream",
        headers={"Content-Length": str(size), "ETag": f'"{sha256}"', "X-Content-Type-Options": "nosniff"},
    )


@router.delete("/{name}", status_code=204, summary="Forget an asset")
async def delete_asset(name: str, connection: Connection) -> None:
    """Its bytes stay as long as another name or a job uses them."""
    await assets.delete(connection, name)
