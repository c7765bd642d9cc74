"""The endpoints: each parses, calls one method of `Study`, and answers."""

from typing import Annotated, Any

from fastapi import Path

from trueward.serve.models.answers import Problem
from trueward.serve.problems import MEDIA_TYPE, TITLES

Study = Annotated[
    str, Path(min_length=1, max_length=100, description="the name of the study", examples=["explanations"])
]
TheNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="the number of the decision")]


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how an endpoint may refuse, for its documentation; what all may answer is added."""
    return {status: _refusal(status) for status in (400, 401, 403, 404, 422, 503, *statuses)}


def _refusal(status: int) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    return {"description": TITLES[status], "content": {MEDIA_TYPE: {"schema": schema}}}


READ = refusals()
WRITE = refusals(409, 413, 415)
DECIDE = refusals(409, 413, 415, 429)
