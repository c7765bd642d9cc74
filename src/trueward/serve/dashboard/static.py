"""The files that pages load: style, scripts, and the runtime that draws charts."""

from functools import cache

import vl_convert
from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException

from trueward.serve.dashboard.rendering import STATIC

router = APIRouter()
KINDS = {".css": "text/css", ".js": "text/javascript", ".txt": "text/plain", ".svg": "image/svg+xml"}
FOR_LONG = {"Cache-Control": "public, max-age=31536000, immutable"}  # their addresses change when they do


@router.get("/static/vega.js")
def vega() -> Response:
    """Return what draws charts."""
    return Response(_vega(), media_type="text/javascript", headers=FOR_LONG)


@cache
def _vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed, as reports embed them."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")


@router.get("/static/{name}")
def file(name: str) -> Response:
    """Return a file."""
    path = STATIC / name
    if path.parent != STATIC or path.suffix not in KINDS or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path, media_type=KINDS[path.suffix], headers=FOR_LONG)
