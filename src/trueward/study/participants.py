"""Participants: the log knows them by a pseudonym, and only a table that can be erased knows whose it is."""

import hmac
import unicodedata
from collections.abc import Sequence

import sqlalchemy as sa

from trueward.study import tables
from trueward.study.database import execute, places

_columns = tables.participant.c
FORGET = sa.delete(tables.participant).where(
    _columns.study == sa.bindparam("of"), _columns.id_hash == sa.bindparam("hashed")
)


def id_hash(key: str, identity: str) -> str:
    """Return what stands in the table for an id: the same whether its letters are composed or not."""
    return hmac.digest(bytes.fromhex(key), unicodedata.normalize("NFC", identity).encode(), "sha256").hex()


def pseudonyms_of(connection: sa.Connection, study: str, hashes: Sequence[str]) -> dict[str, str]:
    """Return the pseudonyms of participants that have one, by what stands in the table for their ids."""
    one, all_of_them = places(connection, 1), places(connection, len(hashes))
    query = f"SELECT id_hash, pseudonym FROM participant WHERE study = {one} AND id_hash IN ({all_of_them})"
    return {row[0]: row[1] for row in execute(connection, query, (study, *hashes))}


def forget(connection: sa.Connection, study: str, hashed: str) -> None:
    """Forget whose pseudonym a participant's was."""
    connection.execute(FORGET, {"of": study, "hashed": hashed})
