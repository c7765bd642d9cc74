"""Files for browsers, which anybody may load: trueward.js."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

router = APIRouter(tags=["health"])
FILE = Path(__file__).parent / "trueward.js"


@router.get("/trueward.js", response_class=FileResponse, responses={200: {"content": {"text/javascript": {}}}})
def script() -> FileResponse:
    """Return the script for web pages."""
    headers = {"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"}
    return FileResponse(FILE, media_type="text/javascript", headers=headers)
