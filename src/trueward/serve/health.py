"""Whether the service runs, and whether it can do its work."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from trueward.serve.problems import problem

router = APIRouter(tags=["health"])


@router.get("/healthz")
def healthz() -> dict[str, str]:
    """Say that the process runs."""
    return {"status": "ok"}


@router.get("/readyz", response_model=None)
def readyz(request: Request) -> dict[str, str] | JSONResponse:
    """Say whether the database answers."""
    if request.app.state.studies.is_ready():
        return {"status": "ok"}
    return problem(503, "the database does not answer", headers={"Retry-After": "1"})
