"""A study behind FastAPI, with the participant in a cookie.

pip install 'trueward[study]' fastapi uvicorn
TRUEWARD_DB=sqlite:///ratings.db uvicorn fastapi_app:app --workers 2
"""

import os
import secrets
from typing import Annotated

from fastapi import Cookie, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

import trueward as tw
from trueward.errors import ConflictError, StorageError, StudyError, TruewardError

URL = os.environ.get("TRUEWARD_DB", "sqlite:///ratings.db")
ARMS = {"video": "intro.mp4", "text": "intro.html", "quiz": "intro-quiz.html"}
MONTH = 30 * 24 * 3600


def open_study() -> tw.Study:
    """Return the study: the first worker creates it, and all others open it."""
    try:
        return tw.Study.create(
            URL, "explanations", ARMS, policy=tw.Wary((1, 5)), horizon=600, uniform_share=0.1, window="48h"
        )
    except ConflictError:
        return tw.Study.open(URL, "explanations")


app = FastAPI(title="Which explanation helps?")
study = open_study()


class Rating(BaseModel):
    """What a participant says."""

    stars: int = Field(ge=1, le=5)
    seconds: float | None = None  # that the answer took


@app.post("/decision")
def decide(response: Response, participant: Annotated[str | None, Cookie()] = None) -> dict[str, str]:
    """Say what to show to this participant; who comes again is shown the same."""
    participant = participant or secrets.token_urlsafe(16)
    shown = study.ask(participant=participant)
    response.set_cookie("participant", participant, max_age=MONTH, httponly=True, samesite="lax")
    return {"arm": shown.arm, "show": study.arms[shown.arm]}


@app.put("/rating", status_code=204)
def rate(rating: Rating, participant: Annotated[str, Cookie()]) -> None:
    """Take a rating. It belongs to the participant's own decision, so that nobody can rate for another."""
    shown = study.ask(participant=participant)
    study.tell(shown, rating.stars, evidence=None if rating.seconds is None else {"seconds": rating.seconds})


@app.get("/results")  # to be kept behind your own sign-in: who sees it may rate otherwise
def results() -> dict[str, str | int]:
    """Say how many have rated, and what is believed of each arm."""
    return {"rated": sum(arm.rated for arm in study.summary()), "believed": str(study.explain())}


@app.exception_handler(TruewardError)
def refuse(_: Request, error: TruewardError) -> JSONResponse:
    """Answer with one line: 409 for another rating than before, 503 when paused or without a database, else 422."""
    code = 409 if isinstance(error, ConflictError) else 503 if isinstance(error, StudyError | StorageError) else 422
    return JSONResponse({"error": str(error)}, code)
