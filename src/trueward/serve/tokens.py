"""Signatures: of the one decision that a browser may rate, and of a participant whom a study's server knows.

token         signed by the service; says which decision of which study, and expires
participant   signed by the study's own server, with its key:  <key id>.HMAC-SHA-256(SHA-256(key), study \\n id)
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import sqlalchemy as sa
from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer

from trueward.serve.problems import RefusedError
from trueward.study import tables


@dataclass(frozen=True)
class Rating:
    """What a token allows: to rate one decision, for a participant whose id was vouched for or not."""

    study: str
    number: int
    vouched: bool


class Tokens:
    """Signs and reads tokens."""

    def __init__(self, signing_secrets: Sequence[str], lifetime: int) -> None:
        newest_last = list(reversed(signing_secrets))
        self._serializer = URLSafeTimedSerializer(
            newest_last, salt="decision", signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256}
        )
        self._lifetime = lifetime

    def sign(self, rating: Rating) -> str:
        """Return a token."""
        return str(self._serializer.dumps(list(asdict(rating).values())))

    def read(self, token: str) -> Rating:
        """Return what a token allows; refuse one that is forged or expired."""
        try:
            return Rating(*self._serializer.loads(token, max_age=self._lifetime))
        except SignatureExpired:
            raise RefusedError(403, "the token has expired", field="token") from None
        except (BadSignature, TypeError):
            raise RefusedError(403, "the token is not one of this service", field="token") from None


def secrets_of(connection: sa.Connection) -> tuple[str, ...]:
    """Return the secret that the database keeps; made now, if there is none."""
    found = sa.select(tables.signing_secret.c.secret).order_by(tables.signing_secret.c.id.desc())
    known = connection.execute(found).scalars().all()
    if not known:
        known = [secrets.token_hex(32)]
        connection.execute(sa.insert(tables.signing_secret), {"id": 1, "secret": known[0]})
    return tuple(known)
