"""The service with two more endpoints, which only write the same rows through the same lane.

They measure the cost of HTTP, lane and database without keys, checks, limits and a policy: a lower bound for the
service's own endpoints.
"""

from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI, Request

from trueward.serve.app import create_app as create_service
from trueward.serve.settings import Settings
from trueward.study import tables
from trueward.study.desk import Desk


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the service with the two endpoints added."""
    app = create_service(settings)

    @app.post("/floor/{study}/decisions", status_code=201)
    def decide(study: str, body: dict[str, Any], request: Request) -> dict[str, Any]:
        called = request.headers["idempotency-key"]
        number = app.state.studies[study]._do(lambda desk: write_ask(desk, body["participant"], called))
        return {"number": number}

    @app.put("/floor/{study}/decisions/{number}/reward")
    def tell(study: str, number: int, body: dict[str, Any]) -> dict[str, Any]:
        event = {"tell": number, "reward": body["value"], "evidence": {}}
        app.state.studies[study]._do(lambda desk: desk.append("tell", event))
        return {"number": number, "value": body["value"]}

    return app


def write_ask(desk: Desk, participant: str, called: str) -> int:
    """Write the rows of a decision: one arm after another is shown."""
    memory = desk.memory
    number, arms = len(memory.made) + 1, memory.arms
    body = {
        "ask": number,
        "arm": arms[number % len(arms)],
        "p": [1 / len(arms)] * len(arms),
        "arms": arms,
        "among": arms,
        "participant": desk.new_pseudonym(participant),
        "occasion": "1",
        "kind": "policy",
        "learned": memory.last_seq,
        "corrections": memory.known.corrections,
    }
    desk.append("ask", body)
    answer = {"idempotency_key": called, "fingerprint": "", "answer": "[]", "at": desk.at}
    desk.connection.execute(sa.insert(tables.answered), {"study": memory.study, **answer})
    return number
