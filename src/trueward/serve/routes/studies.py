"""The studies of the database: what there is, and a new one."""

from typing import Any

from fastapi import APIRouter

from trueward.serialization import from_plain
from trueward.serve.calls import TheCall
from trueward.serve.models.answers import StudyList, StudyState
from trueward.serve.models.requests import NewStudy
from trueward.serve.routes import READ, WRITE
from trueward.serve.routes.reading import state_of

router = APIRouter(prefix="/v1/studies", tags=["studies"])


@router.get("", response_model=StudyList, responses=READ)
def studies(call: TheCall) -> dict[str, Any]:
    """Return the studies that the key may see."""
    key = call.allow("read", call.key.study)
    return {"studies": [state_of(each) for each in call.studies.list() if key.study in (None, each.name)]}


@router.post("", status_code=201, response_model=StudyState, responses=WRITE)
def create(new: NewStudy, call: TheCall) -> dict[str, Any]:
    """Begin a study."""
    call.allow("manage", None)
    settings = new.model_dump(exclude={"name", "arms", "policy"})
    policy = from_plain("policy", new.policy)
    call.studies.create(new.name, new.arms, policy=policy, actor=call.actor, once=call.once, **settings)
    return state_of(call.studies.listed(new.name))
