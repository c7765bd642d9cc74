"""What is said on the next page after something was done: in a cookie that lasts until then."""

import base64
import json
from dataclasses import asdict, dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import RedirectResponse

COOKIE = "trueward-says"
LASTS = 60  # seconds


@dataclass(frozen=True)
class Said:
    """A sentence, its kind (done or refused), and how to undo what was done: where to, and which fields."""

    words: str
    kind: str = "done"
    undo: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def go_and_say(where: str, words: str, *, kind: str = "done", undo: str = "", **fields: Any) -> RedirectResponse:
    """Return the way to another page, on which this will be said."""
    going = RedirectResponse(where, 303)
    saying = Said(words, kind, undo, tuple((name, str(value)) for name, value in fields.items()))
    text = base64.urlsafe_b64encode(json.dumps(asdict(saying)).encode()).decode()
    going.set_cookie(COOKIE, text, max_age=LASTS, path="/dashboard", httponly=True, samesite="lax")
    return going


def said(request: Request) -> Said | None:
    """Return what is to be said; nothing if somebody has tampered with it."""
    try:
        found = json.loads(base64.urlsafe_b64decode(request.cookies[COOKIE]))
        fields = tuple((str(name), str(value)) for name, value in found["fields"])
        undo = str(found["undo"])
        return Said(str(found["words"]), str(found["kind"]), undo if undo.startswith("/dashboard/") else "", fields)
    except (KeyError, ValueError, TypeError):
        return None
