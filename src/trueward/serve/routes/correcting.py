"""What researchers do: corrections, arms, and the conduct of a study."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from trueward.serve.calls import TheCall, plain
from trueward.serve.metrics import count
from trueward.serve.models.answers import Arms, Erased, Numbers, Preview
from trueward.serve.models.requests import (
    Erasure,
    Expiration,
    NewArm,
    Ratings,
    Restore,
    Retirement,
    Transition,
    Void,
    Which,
)
from trueward.serve.routes import WRITE, Study

router = APIRouter(prefix="/v1/studies/{study}", tags=["conduct"])
VERBS = {"paused": "pause", "running": "resume", "ended": "end"}


@router.post("/voids", response_model=Numbers, responses=WRITE)
def void(study: Study, void: Void, call: TheCall) -> dict[str, Any]:
    """Let decisions not count; what is learned is then as if their rewards had never come."""
    the = call.study(study, "void")
    numbers = the.void(**void.which(), reason=void.reason, later_count=void.later_count)
    count("voids", the)
    return {"numbers": numbers}


@router.post("/voids/preview", response_model=Preview, responses=WRITE)
def preview(study: Study, which: Which, call: TheCall) -> dict[str, Any]:
    """Say what a void would change, and change nothing."""
    found = asdict(call.study(study, "void").preview_void(**which.which()))
    for belief in (found["before"], found["after"]):
        belief["estimates"] = {arm: plain(value) for arm, value in belief["estimates"].items()}
    return found


@router.post("/restorations", response_model=Numbers, responses=WRITE)
def restore(study: Study, which: Restore, call: TheCall) -> dict[str, Any]:
    """Let void decisions count again, in their old places."""
    return {"numbers": call.study(study, "void").restore(**which.which(), reason=which.reason)}


@router.post("/arms", status_code=201, response_model=Arms, responses=WRITE)
def add_arm(study: Study, arm: NewArm, call: TheCall) -> dict[str, Any]:
    """Add an arm; what is edited is a new arm."""
    the = call.study(study, "manage")
    the.add_arm(arm.name, arm.payload)
    return {"arms": the.arms}


@router.post("/retirements", response_model=Arms, responses=WRITE)
def retire_arm(study: Study, arm: Retirement, call: TheCall) -> dict[str, Any]:
    """Show an arm no more; its rewards still count, and are still taken."""
    the = call.study(study, "manage")
    the.retire_arm(arm.name, reason=arm.reason)
    return {"arms": the.arms}


@router.post("/transitions", response_model=Transition, responses=WRITE)
def turn(study: Study, transition: Transition, call: TheCall) -> Transition:
    """Pause, resume or end; decisions already made are still returned, and still take their rewards."""
    getattr(call.study(study, "manage"), VERBS[transition.to])(reason=transition.reason)
    return transition


@router.post("/expirations", response_model=Numbers, responses=WRITE)
def expire(study: Study, expiration: Expiration, call: TheCall) -> dict[str, Any]:
    """Write down which decisions have waited longer than the window; each new decision does so too."""
    return {"numbers": call.study(study, "manage").expire(now=expiration.now)}


@router.post("/imports", response_model=Numbers, responses=WRITE)
def import_ratings(study: Study, ratings: Ratings, call: TheCall) -> dict[str, Any]:
    """Take over the ratings of a pilot: all, or none."""
    rows = [row.model_dump(exclude_none=True) for row in ratings.rows]
    return {"numbers": call.study(study, "manage").import_ratings(rows)}


@router.post("/erasures", response_model=Erased, responses=WRITE)
def erase(study: Study, erasure: Erasure, call: TheCall) -> dict[str, Any]:
    """Forget whose pseudonym a participant's was, for good; what happened stays."""
    return {"erased": call.study(study, "manage").erase(participant=erasure.participant, reason=erasure.reason)}
