"""Participants: the log knows them by a random pseudonym, and only a table that can be erased knows whose it is."""

import hashlib
import hmac
import secrets

import sqlalchemy as sa

from trueward.study import tables


def id_hash(key: str, identity: str) -> str:
    """Return what stands in the table for an id."""
    return hmac.new(bytes.fromhex(key), identity.encode(), hashlib.sha256).hexdigest()


def pseudonym_of(connection: sa.Connection, study: str, key: str, identity: str) -> str | None:
    """Return the pseudonym of a participant, if there is one yet."""
    columns = tables.participant.c
    mine = sa.and_(columns.study == study, columns.id_hash == id_hash(key, identity))
    return connection.execute(sa.select(columns.pseudonym).where(mine)).scalar_one_or_none()


def new_pseudonym(connection: sa.Connection, study: str, key: str, identity: str) -> str:
    """Give a participant a pseudonym."""
    pseudonym = secrets.token_hex(8)
    values = {"study": study, "id_hash": id_hash(key, identity), "pseudonym": pseudonym}
    connection.execute(sa.insert(tables.participant), values)
    return pseudonym


def erase(connection: sa.Connection, study: str, key: str, identity: str) -> bool:
    """Forget whose pseudonym it was; what happened stays. Return whether there was one."""
    columns = tables.participant.c
    mine = sa.and_(columns.study == study, columns.id_hash == id_hash(key, identity))
    return connection.execute(sa.delete(tables.participant).where(mine)).rowcount > 0
