"""One call of the service: whose key it carries, and the study that it may use for something."""

import re
from typing import Annotated, Any

from fastapi import Depends, Request

from trueward.errors import ParameterError, StudyError
from trueward.serve import keys
from trueward.serve.guards import Once, both
from trueward.serve.keys import SCOPES, SECRET, Key
from trueward.serve.problems import RefusedError
from trueward.serve.settings import Settings
from trueward.serve.signing import is_signed
from trueward.serve.studies import Studies
from trueward.serve.tokens import Rating, Tokens
from trueward.study.looking import Guard
from trueward.study.settings import name_of
from trueward.study.study import Study

EVERYTHING = Key(id="open", kind=SECRET, study=None, scopes=frozenset(SCOPES))  # where no key is needed
CALLED = re.compile(r"[!-~]{16,200}")  # what a request may be called


class Call:
    """A request, as the endpoints see it."""

    def __init__(self, request: Request, body: bytes) -> None:
        self._request, self._body = request, body
        self.settings: Settings = request.app.state.settings
        self.studies: Studies = request.app.state.studies
        self.tokens: Tokens = request.app.state.tokens
        self._key: Key | None = None

    @property
    def key(self) -> Key:
        """The key that the call carries, which is active and used from where it may be."""
        if self._key is None:
            self._key = self._request.state.key = self._checked_key()
        return self._key

    def _checked_key(self) -> Key:
        if self.settings.open:
            return EVERYTHING
        scheme, _, text = self._request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not text:
            raise _unknown("a key is needed: Authorization: Bearer tw_sk_…")
        with self.studies.database.read() as connection:
            key = keys.find(connection, text.strip())
        if key is None:
            raise _unknown("this key is unknown")
        if key.state != "active":
            raise _unknown(f"this key is {key.state}")
        if key.is_public and self._request.headers.get("origin", "").lower() not in key.origins:
            raise RefusedError(403, "this key may not be used from this origin")
        return key

    def allow(self, scope: str, study: str | None) -> Key:
        """Return the key, if it may be used for something in a study, or in all of them."""
        if scope not in self.key.scopes:
            raise RefusedError(403, f"this key has not the scope {scope}, which is needed to {SCOPES[scope]}")
        if not self.key.allows(scope, study):
            raise RefusedError(403, "this key is for another study" if study else "this key is for one study only")
        return self.key

    def study(self, name: str, scope: str, guard: Guard | None = None) -> Study:
        """Return a study for something that the key allows, acting as the key; what is sent twice is done once."""
        self.allow(scope, name)
        return self.found(name).acting_as(self.actor, both(self.once, guard))

    def found(self, name: str) -> Study:
        """Return a study that there is."""
        try:
            return self.studies[name_of("study", name, 100)]
        except (StudyError, ParameterError) as error:
            raise RefusedError(404, str(error), field="study") from None

    @property
    def actor(self) -> str:
        """Who acts, for the log."""
        return f"key {self.key.id}"

    @property
    def once(self) -> Once | None:
        """What does a request once, if the client calls it something."""
        called = self._request.headers.get("idempotency-key")
        if called is None or self._request.method != "POST":
            return None
        if not CALLED.fullmatch(called):
            words = "Idempotency-Key must be 16 to 200 letters, digits and signs, such as a UUID"
            raise RefusedError(422, words, field="Idempotency-Key")
        request = f"{self.key.id} {self._request.url.path}\n".encode() + self._body
        return Once(called, request, self.settings.answers_kept_seconds)

    def vouched(self, study: str, participant: str | None, signature: str | None) -> bool:
        """Return whether a server vouches for a participant: it calls itself, or signed the id."""
        if not self.key.is_public:
            return True
        if signature is None or participant is None:
            return False
        with self.studies.database.read() as connection:
            signer = keys.by_id(connection, signature.partition(".")[0])
        usable = signer is not None and not signer.is_public and signer.state == "active"
        if signer is None or not usable or not signer.allows("decide", study):
            raise RefusedError(403, "the signature is of no key of this study", field="signature")
        if not is_signed(signature, signer.digest, study, participant):
            raise RefusedError(403, "the signature is not of this participant", field="signature")
        return True

    def rating(self, token: str, study: str, number: int) -> Rating:
        """Return what a token allows, if it is for this decision."""
        rating = self.tokens.read(token)
        if (rating.study, rating.number) != (study, number):
            raise RefusedError(403, "the token is for another decision", field="token")
        return rating


def _unknown(words: str) -> RefusedError:
    return RefusedError(401, words, headers={"WWW-Authenticate": "Bearer"})


async def call(request: Request) -> Call:
    """Return the call; its body is read once, by whoever needs it first."""
    return Call(request, await request.body())


TheCall = Annotated[Call, Depends(call)]


def plain(value: Any) -> Any:
    """Return a number for JSON: None where there is none."""
    return None if isinstance(value, float) and value - value != 0.0 else value
