"""A study behind Flask, for a survey that puts its own id of the participant into the address.

pip install 'trueward[study]' flask gunicorn
TRUEWARD_DB=sqlite:///ratings.db gunicorn flask_app:app --workers 2 --threads 8
"""

import os

from flask import Flask, Response, jsonify, request

import trueward as tw
from trueward.errors import ConflictError, StorageError, StudyError, TruewardError

URL = os.environ.get("TRUEWARD_DB", "sqlite:///ratings.db")
ARMS = {"video": "intro.mp4", "text": "intro.html", "quiz": "intro-quiz.html"}


def open_study() -> tw.Study:
    """Return the study: the first worker creates it, and all others open it."""
    try:
        return tw.Study.create(
            URL, "explanations", ARMS, policy=tw.Wary((1, 5)), horizon=600, uniform_share=0.1, window="48h"
        )
    except ConflictError:
        return tw.Study.open(URL, "explanations")


app = Flask(__name__)
study = open_study()


@app.post("/participants/<participant>/decision")
def decide(participant: str) -> Response:
    """Say what to show to this participant; who comes again is shown the same."""
    shown = study.ask(participant=participant)
    return jsonify(arm=shown.arm, show=study.arms[shown.arm])


@app.put("/participants/<participant>/rating")
def rate(participant: str) -> tuple[str, int]:
    """Take a rating of what the participant was shown, with what came with it, such as {"check": true}."""
    given = request.get_json()
    study.tell(study.ask(participant=participant), given["stars"], evidence=given.get("evidence"))
    return "", 204


@app.get("/results")  # to be kept behind your own sign-in: who sees it may rate otherwise
def results() -> Response:
    """Say how many have rated, and what is believed of each arm."""
    return jsonify(rated=sum(arm.rated for arm in study.summary()), believed=str(study.explain()))


@app.errorhandler(TruewardError)
def refuse(error: TruewardError) -> tuple[Response, int]:
    """Answer with one line: 409 for another rating than before, 503 when paused or without a database, else 422."""
    code = 409 if isinstance(error, ConflictError) else 503 if isinstance(error, StudyError | StorageError) else 422
    return jsonify(error=str(error)), code


@app.errorhandler(KeyError)
def refuse_without(error: KeyError) -> tuple[Response, int]:
    """Say what was left out."""
    return jsonify(error=f"{error.args[0]} is missing"), 422
