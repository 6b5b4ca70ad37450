"""The API's documentation: the OpenAPI document, and Swagger UI from a package on this machine."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Depends, Request
from starlette.responses import FileResponse, JSONResponse, Response

from service.api.deps import caller
from service.dashboard.access import visitor
from service.dashboard.rendering import CSP, HERE, headers, page
from service.errors import NotFound

router = APIRouter(include_in_schema=False)
_SWAGGER = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_DAY = "private, max-age=86400"


@router.get("/openapi.json", dependencies=[Depends(caller)])
async def openapi(request: Request) -> Response:
    return JSONResponse(request.app.openapi())


@router.get("/docs", dependencies=[Depends(visitor)])
async def docs(request: Request) -> Response:
    response = page(request, "docs.html", {})
    response.headers.update(headers(CSP.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")))
    return response


@router.get("/docs/{name}", dependencies=[Depends(visitor)])
async def swagger(name: str) -> Response:
    """Swagger UI's own files, from the fastapi-offline package."""
    if name not in _SWAGGER:
        raise NotFound(f"no such file: {name}")
    path = Path(str(files("fastapi_offline") / "static" / name))
    return FileResponse(path, media_type=_SWAGGER[name], headers={"Cache-Control": _DAY})


@router.get("/static/{path:path}", dependencies=[Depends(visitor)])
async def static(path: str) -> Response:
    root = HERE / "static"
    found = (root / path).resolve()
    if not found.is_relative_to(root.resolve()) or found.suffix not in _TYPES or not found.is_file():
        raise NotFound(f"no such file: {path}")
    return FileResponse(found, media_type=_TYPES[found.suffix], headers={"Cache-Control": _DAY})
