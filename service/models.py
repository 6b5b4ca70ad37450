"""Registered models: checked, stored, shown."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.assets import AssetKind
from protocol.common import FieldProblem, JsonObject
from protocol.models import ApiKind, Circuit, Model, ModelRequest, Probe
from service import assets
from service.errors import Conflict, Invalid, NotFound
from service.idempotency import storable
from service.problems import fields_of

_SELECT = """
SELECT m.id, m.name, m.spec, m.tokenizer_sha256, m.probe, m.circuit, m.circuit_reason, m.circuit_until,
  m.created_at, m.updated_at, coalesce(l.n, 0) AS in_flight
FROM models m LEFT JOIN (SELECT model_id, sum(n) AS n FROM leases GROUP BY model_id) l ON l.model_id = m.id
"""
_WRITTEN = {
    "spec": "CAST(:spec AS jsonb)",
    "tokenizer_sha256": ":tokenizer_sha256",
    "labels": "CAST(:labels AS jsonb)",
    "max_concurrency": ":max_concurrency",
    "requests_per_minute": ":requests_per_minute",
    "tokens_per_minute": ":tokens_per_minute",
}


async def every(connection: AsyncConnection) -> list[Model]:
    """All models by name."""
    return [_model(row) for row in await connection.execute(text(_SELECT + "ORDER BY m.name"))]


async def get(connection: AsyncConnection, name: str) -> Model:
    """The model of that name. Raises NotFound, naming those there are."""
    row = (await connection.execute(text(_SELECT + "WHERE m.name = :name"), {"name": name})).first()
    if row is None:
        raise NotFound(f"no model {name!r}; {await known(connection)}")
    return _model(row)


async def known(connection: AsyncConnection) -> str:
    """`there are: a, b`, for messages."""
    names = [row.name for row in await connection.execute(text("SELECT name FROM models ORDER BY name LIMIT 20"))]
    return f"there are: {', '.join(names)}" if names else "none is registered yet (`fathom model add`)"


async def create(connection: AsyncConnection, request: ModelRequest) -> Model:
    """Register a model. Raises Invalid, Conflict when the name is taken by a different one."""
    values = await _values(connection, request)
    names, marks = ", ".join(_WRITTEN), ", ".join(_WRITTEN.values())
    query = f"INSERT INTO models (name, {names}) VALUES (:name, {marks}) ON CONFLICT (name) DO NOTHING RETURNING id"
    if (await connection.execute(text(query), {"name": request.name, **values})).first() is not None:
        return await get(connection, request.name)
    found = await get(connection, request.name)
    if found.spec != request:
        raise Conflict(f"a model {request.name!r} is registered already, with other settings; change it with PUT")
    return found


async def put(connection: AsyncConnection, name: str, request: ModelRequest) -> Model:
    """Register or replace the model of that name; running jobs go on with the new settings. Raises Invalid.

    What a probe found about another address or another model id is forgotten.
    """
    if request.name != name:
        message = f"must be {name!r}, the name in the address; a model can't be renamed"
        raise Invalid(f"name {message}", errors=[FieldProblem(field="name", value=request.name, message=message)])
    values = await _values(connection, request)
    names, marks = ", ".join(_WRITTEN), ", ".join(_WRITTEN.values())
    sets = ", ".join(f"{column} = excluded.{column}" for column in _WRITTEN)
    same = " AND ".join(
        f"m.spec -> '{key}' IS NOT DISTINCT FROM excluded.spec -> '{key}'"
        for key in ("api", "base_url", "model_id", "command", "driver")
    )
    row = await connection.execute(
        text(
            f"""INSERT INTO models AS m (name, {names}) VALUES (:name, {marks})
            ON CONFLICT (name) DO UPDATE SET {sets}, updated_at = clock_timestamp(),
              probe = CASE WHEN {same} THEN m.probe END
            RETURNING id"""
        ),
        {"name": name, **values},
    )
    await connection.execute(
        text("UPDATE jobs SET revision = revision + 1 WHERE model_id = :id AND state IN ('running', 'paused')"),
        {"id": row.scalar_one()},
    )
    return await get(connection, name)


async def patch(connection: AsyncConnection, name: str, changes: JsonObject) -> Model:
    """Change some fields (a JSON merge patch, RFC 7396). Raises NotFound, Invalid."""
    await connection.execute(text("SELECT 1 FROM models WHERE name = :name FOR UPDATE"), {"name": name})
    spec = (await get(connection, name)).spec.model_dump(mode="json")
    try:
        request = ModelRequest.model_validate(merge(spec, changes))
    except ValidationError as error:
        fields = fields_of(error.errors())
        raise Invalid("; ".join(f"{f.field}: {f.message}" for f in fields), errors=fields) from error
    return await put(connection, name, request)


def merge(target: Any, changes: Any) -> Any:
    """JSON merge patch (RFC 7396): null removes a key, objects are merged, everything else replaces."""
    if not isinstance(changes, dict):
        return changes
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


async def delete(connection: AsyncConnection, name: str) -> None:
    """Forget a model that no job was ever run on. Raises NotFound, Conflict."""
    row = (
        await connection.execute(
            text(
                "SELECT m.id, (SELECT count(*) FROM jobs j WHERE j.model_id = m.id) AS jobs FROM models m WHERE name = :name"
            ),
            {"name": name},
        )
    ).first()
    if row is None:
        raise NotFound(f"no model {name!r}; {await known(connection)}")
    if row.jobs:
        raise Conflict(f"model {name!r} stays: {row.jobs} jobs were run on it, and their results name it")
    await connection.execute(text("DELETE FROM models WHERE id = :id"), {"id": row.id})


async def _values(connection: AsyncConnection, request: ModelRequest) -> dict[str, Any]:
    """The columns of a model. Raises Invalid with every field that cannot work."""
    problems = list(_shape_problems(request))
    sha256, problem = await _tokenizer(connection, request)
    if problem:
        problems.append(problem)
    if problems:
        raise Invalid("; ".join(f"{p.field}: {p.message}" for p in problems), errors=problems)
    limits = request.limits
    return {
        "spec": storable(request.model_dump(mode="json")).decode(),
        "tokenizer_sha256": sha256,
        "labels": storable(request.labels).decode(),
        "max_concurrency": limits.max_concurrency,
        "requests_per_minute": limits.requests_per_minute,
        "tokens_per_minute": limits.tokens_per_minute,
    }


def _shape_problems(request: ModelRequest) -> list[FieldProblem]:
    problems = []
    if request.api is ApiKind.COMMAND:
        if not request.command:
            problems.append(FieldProblem(field="command", value=[], message="must name the program (api `command`)"))
    elif not request.base_url:
        message = "must be the server's address, e.g. http://127.0.0.1:8000/v1"
        problems.append(FieldProblem(field="base_url", value=request.base_url, message=message))
    elif (why := url_problem(request.base_url)) is not None:
        problems.append(FieldProblem(field="base_url", value=request.base_url, message=why))
    if request.driver.kind == "ssh" and not request.driver.host:
        problems.append(FieldProblem(field="driver.host", message="must be user@host or an alias of ~/.ssh/config"))
    for header in request.headers:
        if header.lower() in ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"):
            message = "holds a secret and would be shown; put it into a worker's environment and set api_key_env"
            problems.append(FieldProblem(field=f"headers.{header}", message=message))
    return problems


def url_problem(url: str) -> str | None:
    """What is wrong with the address of a model server, or None."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"is no address: {error}"
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return "must begin with http:// or https:// and a host, e.g. http://127.0.0.1:8000/v1"
    if parts.username or parts.password:
        return "must hold no password, which would be shown; put it into a worker's environment and set api_key_env"
    return None


async def _tokenizer(connection: AsyncConnection, request: ModelRequest) -> tuple[str | None, FieldProblem | None]:
    """The SHA-256 of the tokenizer asset, or what is wrong with it."""
    reference = request.tokenizer
    if reference is None or reference.kind == "server":
        return None, None
    if not reference.asset:
        return None, FieldProblem(field="tokenizer.asset", message="must name a tokenizer asset")
    found = await assets.find(connection, reference.asset)
    if found is None:
        message = f"no asset {reference.asset!r}; add it with `fathom assets add NAME tokenizer.json --kind tokenizer`"
    elif found.kind is not AssetKind.TOKENIZER:
        message = f"asset {reference.asset!r} is a {found.kind.value}, not a tokenizer"
    else:
        return found.sha256, None
    return None, FieldProblem(field="tokenizer.asset", value=reference.asset, message=message)


def _model(row: Any) -> Model:
    return Model(
        name=row.name,
        spec=ModelRequest.model_validate(row.spec),
        tokenizer_sha256=row.tokenizer_sha256,
        probe=None if row.probe is None else Probe.model_validate(row.probe),
        circuit=Circuit(state=row.circuit, reason=row.circuit_reason, until=row.circuit_until),
        in_flight=row.in_flight,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
