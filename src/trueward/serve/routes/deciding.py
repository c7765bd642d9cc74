"""What participants do: a decision is asked for, and rated."""

from typing import Any

from fastapi import APIRouter, Response

from trueward.serve.calls import TheCall
from trueward.serve.guards import Asker, Rater
from trueward.serve.metrics import count
from trueward.serve.models.answers import Decision, Told
from trueward.serve.models.requests import Amendment, Ask, Reward
from trueward.serve.problems import RefusedError
from trueward.serve.routes import DECIDE, WRITE, Study, TheNumber
from trueward.serve.tokens import Rating
from trueward.study.asking import Shown

router = APIRouter(prefix="/v1/studies/{study}/decisions", tags=["decisions"])


@router.post("", status_code=201, response_model=Decision, responses={200: {"model": Decision}, **DECIDE})
def decide(study: Study, ask: Ask, call: TheCall, response: Response) -> dict[str, Any]:
    """Say what to show: 201 a new decision, 200 the same again for the same participant and occasion."""
    vouched = call.vouched(study, ask.participant, ask.signature)
    the = call.study(study, "decide", _asker(call, ask, vouched))
    shown = the.ask(participant=ask.participant, occasion=ask.occasion, among=ask.among)
    response.status_code = 200 if shown.again else 201
    count("asks", the)
    return {
        "number": shown.number,
        "arm": shown.arm,
        "payload": call.studies.payload(the, shown.arm),
        "probability": shown.probability,
        "again": shown.again,
        "verified": vouched,
        "token": _token(call, study, ask, shown, vouched),
    }


def _asker(call: TheCall, ask: Ask, vouched: bool) -> Asker:
    key, settings = call.key, call.settings
    if key.signed_only and not vouched:
        raise RefusedError(403, "this key takes only participants whom your server signed", field="signature")
    usual = settings.decisions_per_minute if key.is_public else 0
    per_minute = usual if key.per_minute is None else key.per_minute
    return Asker(key.id, ask.participant, ask.occasion, vouched, per_minute, settings.decisions_per_participant)


def _token(call: TheCall, study: str, ask: Ask, shown: Shown, vouched: bool) -> str | None:
    """Return a token for browsers; of a decision made before only to whom it belongs, since ids can be guessed."""
    if not call.key.is_public:
        return None
    if shown.again and not vouched:
        if ask.token is None:
            return None
        call.rating(ask.token, study, shown.number)
    return call.tokens.sign(Rating(study, shown.number, vouched))


@router.put("/{number}/reward", response_model=Told, responses=WRITE)
def tell(study: Study, number: TheNumber, reward: Reward, call: TheCall) -> dict[str, Any]:
    """Take a reward: the same value again is a success that changes nothing, another one is a conflict."""
    guard = None
    if call.key.is_public:
        if reward.token is None:
            raise RefusedError(403, "a browser key needs the token of the decision", field="token")
        guard = None if call.rating(reward.token, study, number).vouched else Rater(number)
    the = call.study(study, "decide" if call.key.is_public else "reward", guard)
    the.tell(number, reward.value, evidence=reward.evidence)
    count("tells", the)
    return {"number": number, "value": reward.value}


@router.patch("/{number}/reward", response_model=Told, responses=WRITE)
def amend(study: Study, number: TheNumber, amendment: Amendment, call: TheCall) -> dict[str, Any]:
    """Replace a reward, which keeps its place in the order."""
    the = call.study(study, "void")
    the.amend(number, amendment.value, reason=amendment.reason)
    count("amendments", the)
    return {"number": number, "value": amendment.value}
