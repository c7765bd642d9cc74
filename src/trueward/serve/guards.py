"""What stands around a request at its desk, in the same transaction: it is answered once, and not too often.

An answer is stored with its `Idempotency-Key` by the transaction that writes the events. So a client that heard nothing
may send the same again: either all of it happened, and the answer is given again, or nothing did.
"""

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from trueward.serve.problems import RefusedError
from trueward.study import tables
from trueward.study.asking import Shown
from trueward.study.desk import Desk
from trueward.study.participants import id_hash
from trueward.study.times import moment

Work = Callable[[Desk], Any]

_answered, _people, _decided = tables.answered.c, tables.participant.c, tables.decision.c
FIND = sa.select(tables.answered).where(
    _answered.study == sa.bindparam("of"), _answered.idempotency_key == sa.bindparam("with_key")
)
STORE = sa.insert(tables.answered)
OLD = (  # of any study; none that another process is forgetting
    sa.select(_answered.study.label("of"), _answered.idempotency_key.label("with_key"))
    .where(_answered.at < sa.bindparam("before"))
    .order_by(_answered.at)
    .limit(100)
    .with_for_update(skip_locked=True)
)
FORGET = sa.delete(tables.answered).where(
    _answered.study == sa.bindparam("of"), _answered.idempotency_key == sa.bindparam("with_key")
)
COUNT = sa.text(
    "INSERT INTO rate (study, who, minute, count) VALUES (:study, :who, :minute, 1) "
    "ON CONFLICT (study, who) DO UPDATE SET minute = excluded.minute, "
    "count = CASE WHEN rate.minute = excluded.minute THEN rate.count + 1 ELSE 1 END RETURNING count"
)
MINE = sa.and_(_people.study == sa.bindparam("of"), _people.id_hash == sa.bindparam("hashed"))
PERSON = sa.select(tables.participant).where(MINE)
VERIFIED = sa.select(_people.study, _people.verified).where(_people.pseudonym == sa.bindparam("whose"))
LATELY = (
    sa.select(sa.func.count())
    .select_from(tables.decision)
    .where(
        _decided.study == sa.bindparam("of"),
        _decided.participant == sa.bindparam("whose"),
        _decided.asked_at > sa.bindparam("since"),
    )
)


@dataclass(frozen=True)
class Once:
    """Does the same request once, and gives the same answer again."""

    key: str  # what the client calls the request
    request: bytes  # who asked for what
    kept: int  # seconds

    def __call__(self, desk: Desk, work: Work) -> Any:
        """Answer at a desk."""
        before = self.answered(desk.connection, desk.memory.study, desk.key)
        if before is not None:
            return _read(before)
        answer = work(desk)
        fingerprint = self._fingerprint(desk.key)
        values = {"idempotency_key": self.key, "fingerprint": fingerprint, "answer": _written(answer), "at": desk.at}
        desk.connection.execute(STORE, {"study": desk.memory.study, **values})
        if fingerprint.startswith("0"):  # now and then
            _forget(desk.connection, moment(datetime.fromisoformat(desk.at) - timedelta(seconds=self.kept)))
        return answer

    def answered(self, connection: sa.Connection, study: str, key: str) -> str | None:
        """Return what was answered before, as JSON; `key` is the study's own, with which requests are hashed."""
        before = connection.execute(FIND, {"of": study, "with_key": self.key}).one_or_none()
        if before is None:
            return None
        if before.fingerprint != self._fingerprint(key):
            raise RefusedError(422, "this Idempotency-Key was used for another request", field="Idempotency-Key")
        return str(before.answer)

    def _fingerprint(self, key: str) -> str:
        return hmac.new(bytes.fromhex(key), self.key.encode() + b"\n" + self.request, hashlib.sha256).hexdigest()


def _forget(connection: sa.Connection, before: str) -> None:
    """Forget the oldest answers, a few at a time."""
    old = [row._asdict() for row in connection.execute(OLD, {"before": before})]
    if old:
        connection.execute(FORGET, old)


def _written(answer: Any) -> str:
    return json.dumps(answer, default=lambda shown: {"shown": asdict(shown)})


def _read(text: str) -> Any:
    return json.loads(text, object_hook=lambda found: Shown(**found["shown"]) if "shown" in found else found)


@dataclass(frozen=True)
class Asker:
    """Who asks for a decision, how often they may, and whether somebody vouches for the participant."""

    key: str
    participant: str | None
    occasion: str
    vouched: bool
    per_minute: int  # of the key; 0: any number
    per_hour: int  # of the participant, new ones; 0: any number

    def __call__(self, desk: Desk, work: Work) -> Any:
        """Answer at a desk."""
        if self.per_minute:
            self._count(desk)
        if self.participant is None:
            return work(desk)
        whose = {"of": desk.memory.study, "hashed": id_hash(desk.key, self.participant)}
        person = desk.connection.execute(PERSON, whose).one_or_none()
        if person is not None:
            self._refuse_if_guessed(person)
            self._refuse_if_too_often(desk, person)
        answer = work(desk)
        if self.vouched is not (True if person is None else person.verified):
            desk.connection.execute(sa.update(tables.participant).where(MINE).values(verified=self.vouched), whose)
        return answer

    def _count(self, desk: Desk) -> None:
        at = datetime.fromisoformat(desk.at)
        values = {"study": desk.memory.study, "who": self.key, "minute": int(at.timestamp()) // 60}
        if desk.connection.execute(COUNT, values).scalar_one() > self.per_minute:
            wait = {"Retry-After": str(60 - at.second)}
            raise RefusedError(429, f"this key may ask for {self.per_minute} decisions per minute", headers=wait)

    def _refuse_if_guessed(self, person: sa.Row[Any]) -> None:
        if person.verified and not self.vouched:
            raise RefusedError(403, "this participant is known to the study's server: sign the id", field="signature")

    def _refuse_if_too_often(self, desk: Desk, person: sa.Row[Any]) -> None:
        if not self.per_hour or (person.pseudonym, self.occasion) in desk.memory.by_occasion:
            return
        since = moment(datetime.fromisoformat(desk.at) - timedelta(hours=1))
        lately = {"of": desk.memory.study, "whose": person.pseudonym, "since": since}
        if desk.connection.execute(LATELY, lately).scalar_one() >= self.per_hour:
            words = f"a participant may have {self.per_hour} decisions per hour"
            raise RefusedError(429, words, field="participant", headers={"Retry-After": "3600"})


@dataclass(frozen=True)
class Rater:
    """Who rates with a token for a participant for whom nobody vouched: refused once somebody has."""

    number: int

    def __call__(self, desk: Desk, work: Work) -> Any:
        """Answer at a desk."""
        whose = desk.memory.decision(self.number).participant
        if whose is not None and self._is_verified(desk, whose):
            raise RefusedError(403, "this participant is known to the study's server: ask again, signed", field="token")
        return work(desk)

    def _is_verified(self, desk: Desk, whose: str) -> bool:
        found = desk.connection.execute(VERIFIED, {"whose": whose})
        return any(row.verified for row in found if row.study == desk.memory.study)


def both(outer: Any, inner: Any) -> Any:
    """Return two guards as one; either may be missing."""
    if outer is None or inner is None:
        return inner or outer
    return lambda desk, work: outer(desk, lambda at: inner(at, work))
