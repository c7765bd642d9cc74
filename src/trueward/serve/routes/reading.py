"""Looks at a study: its state, decisions, log, results and files."""

import tempfile
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from trueward.serve.calls import TheCall, plain
from trueward.serve.models.answers import Arms, Decisions, Events, Explained, Results, StudyState, Verified
from trueward.serve.results import results_of
from trueward.serve.routes import READ, Study

router = APIRouter(prefix="/v1/studies/{study}", tags=["reading"])
After = Annotated[int, Query(ge=0, le=2**30, description="the last one that is known")]
Limit = Annotated[int, Query(ge=1, le=1000, description="the most to return")]


@router.get("", response_model=StudyState, responses=READ)
def state(study: Study, call: TheCall) -> dict[str, Any]:
    """Say whether a study runs, and how many decisions it has."""
    call.study(study, "read")
    return state_of(call.studies.listed(study))


def state_of(listed: Any) -> dict[str, Any]:
    """Return what is said of a study in a list."""
    asks = {"decisions": listed.asks}
    return {name: getattr(listed, name) for name in ("name", "state", "test", "created_at", "head")} | asks


@router.get("/arms", response_model=Arms, responses=READ)
def arms(study: Study, call: TheCall) -> dict[str, Any]:
    """Return the arms, and what they show."""
    return {"arms": call.study(study, "read").arms}


@router.get("/decisions", response_model=Decisions, responses=READ)
def decisions(study: Study, call: TheCall, after: After = 0, limit: Limit = 100) -> dict[str, Any]:
    """Return decisions with their rewards, in order, by pages."""
    rows = call.study(study, "read").decisions(after=after, limit=limit).to_dicts()
    return {"decisions": rows, "next": rows[-1]["number"] if len(rows) == limit else None}


@router.get("/events", response_model=Events, responses=READ)
def events(study: Study, call: TheCall, after: After = 0, limit: Limit = 100) -> dict[str, Any]:
    """Return the log, in order, by pages."""
    found = call.study(study, "read").events(after=after, limit=limit)
    return {"events": [event._asdict() for event in found], "next": found[-1].seq if len(found) == limit else None}


@router.get("/explanation", response_model=Explained, responses=READ)
def explanation(study: Study, call: TheCall) -> dict[str, Any]:
    """Say what the policy believes of each arm, and which ratings do not count and why."""
    found = call.study(study, "read").explain()
    arms = [{**asdict(arm), "estimate": plain(arm.estimate), "mean": plain(arm.mean)} for arm in found.arms]
    return {"arms": arms, "remarks": found.remarks}


@router.get("/results", response_model=Results, responses=READ)
def results(
    study: Study,
    call: TheCall,
    epsilon: Annotated[float, Query(ge=0, lt=0.5, description="the share of bad participants to withstand")] = 0.1,
) -> dict[str, Any]:
    """Say what may be concluded when so many of each arm's participants are bad."""
    return results_of(call.study(study, "read"), epsilon)


@router.get("/verification", response_model=Verified, responses=READ)
def verification(study: Study, call: TheCall) -> dict[str, Any]:
    """Check the chain of events, and compute every choice again."""
    found = call.study(study, "read").verify()
    return {**asdict(found), "ok": found.ok}


@router.get("/export", response_class=FileResponse, responses={200: {"content": {"application/zip": {}}}, **READ})
def export(study: Study, call: TheCall) -> Response:
    """Return the log, the decisions and a codebook, in a ZIP file."""
    the = call.study(study, "read")
    folder = tempfile.TemporaryDirectory(prefix="trueward-export-")
    file = Path(folder.name) / "export.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in the.export(Path(folder.name) / "study"):
            packed.write(path, path.name)
    task = BackgroundTask(folder.cleanup)
    return FileResponse(file, media_type="application/zip", filename="study.zip", background=task)
