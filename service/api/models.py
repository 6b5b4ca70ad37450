"""Models: register, change, probe."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Response

from protocol.common import JsonObject
from protocol.models import Model, ModelList, ModelRequest, Probe
from service import models, probing
from service.api.deps import Connection, StateDep

router = APIRouter(prefix="/models", tags=["models"])
_EXAMPLE = {
    "name": "smollm2",
    "api": "openai-chat",
    "base_url": "http://127.0.0.1:8000/v1",
    "tokenizer": {"kind": "asset", "asset": "smollm2-tokenizer"},
    "limits": {"max_concurrency": 8},
}
_Request = Annotated[ModelRequest, Body(openapi_examples={"openai": {"summary": "A local server", "value": _EXAMPLE}})]


@router.get("", summary="List the models")
async def list_models(connection: Connection) -> ModelList:
    return ModelList(items=await models.every(connection))


@router.post("", status_code=201, summary="Register a model")
async def create_model(request: _Request, connection: Connection, response: Response) -> Model:
    """The same registration again gives the same model; another one under its name is a conflict (409)."""
    response.headers["Location"] = f"/v1/models/{request.name}"
    return await models.create(connection, request)


@router.get("/{name}", summary="Show a model")
async def show_model(name: str, connection: Connection) -> Model:
    """Its settings, what the last probe found, calls in flight, and whether calls are let through."""
    return await models.get(connection, name)


@router.put("/{name}", summary="Register or replace a model")
async def put_model(name: str, request: _Request, connection: Connection) -> Model:
    """Running jobs go on with the new settings."""
    return await models.put(connection, name, request)


@router.patch("/{name}", summary="Change some fields of a model")
async def patch_model(
    name: str,
    changes: Annotated[JsonObject, Body(openapi_examples={"limit": {"value": {"limits": {"max_concurrency": 4}}}})],
    connection: Connection,
) -> Model:
    """A JSON merge patch (RFC 7396): null takes a field back to its default."""
    return await models.patch(connection, name, changes)


@router.delete("/{name}", status_code=204, summary="Forget a model")
async def delete_model(name: str, connection: Connection) -> None:
    """Refused (409) when jobs were run on it."""
    await models.delete(connection, name)


@router.post("/{name}/probe", summary="Probe a model")
async def probe_model(name: str, state: StateDep) -> Probe:
    """A worker asks the model server what it is and tries a call. `ok` false says in `problem` why the model can't be
    used. 409 when no worker is connected, 503 when none answers in time."""
    async with state.db.engine.connect() as connection:
        model = await models.get(connection, name)
    return await probing.probe(state.db.engine, state.queue.notifications, model, state.settings.probe_wait)
