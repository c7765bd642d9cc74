"""Participants: the log knows them by a random pseudonym, and only a table that can be erased knows whose it is."""

import hashlib
import hmac
import secrets

import sqlalchemy as sa

from trueward.study import tables

_columns = tables.participant.c
MINE = sa.and_(_columns.study == sa.bindparam("of"), _columns.id_hash == sa.bindparam("hashed"))
WHOSE = sa.select(_columns.pseudonym).where(MINE)
ENROL = sa.insert(tables.participant)
FORGET = sa.delete(tables.participant).where(MINE)


def id_hash(key: str, identity: str) -> str:
    """Return what stands in the table for an id."""
    return hmac.new(bytes.fromhex(key), identity.encode(), hashlib.sha256).hexdigest()


def pseudonym_of(connection: sa.Connection, study: str, key: str, identity: str) -> str | None:
    """Return the pseudonym of a participant, if there is one yet."""
    return connection.execute(WHOSE, {"of": study, "hashed": id_hash(key, identity)}).scalar_one_or_none()


def new_pseudonym(connection: sa.Connection, study: str, key: str, identity: str) -> str:
    """Give a participant a pseudonym."""
    pseudonym = secrets.token_hex(8)
    values = {"study": study, "id_hash": id_hash(key, identity), "pseudonym": pseudonym}
    connection.execute(ENROL, values)
    return pseudonym


def forget(connection: sa.Connection, study: str, key: str, identity: str) -> None:
    """Forget whose pseudonym a participant's was."""
    connection.execute(FORGET, {"of": study, "hashed": id_hash(key, identity)})
