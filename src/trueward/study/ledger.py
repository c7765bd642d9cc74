"""What the requests of one transaction have to write: rows are collected, and inserted many at a time.

A statement takes a database a few microseconds, and it takes ten times as long to hand it over; so what every ask and
every tell writes is inserted at the end of a batch, in one statement for each table. A request that does more, such as
a void, asks for the connection: what is collected is written then, and from there on a savepoint guards the request.
"""

import functools
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from trueward.study import tables
from trueward.study.database import execute_many, places
from trueward.study.participants import id_hash, pseudonyms_of
from trueward.study.times import now

COLUMNS = {  # of the rows that are collected, in an order in which a row may refer to those before it
    tables.participant: ("study", "id_hash", "pseudonym"),
    tables.event: tuple(tables.event.c.keys()),
    tables.decision: tuple(column.name for column in tables.decision.c if column.name != "expired_seq"),
    tables.reward: tuple(tables.reward.c.keys()),
}
Row = tuple[sa.Table, tuple[Any, ...]]


class Ledger:
    """The rows to be written by the requests of a transaction, and the participants that they know of."""

    def __init__(self, connection: sa.Connection, study: str, key: str) -> None:
        self.connection = connection
        self.study, self.key = study, key  # the key is for the ids of participants
        self._rows: list[Row] = []
        self.at = now()  # the time of all that is written in the transaction
        self._pseudonyms: dict[str, str | None] = {}  # by the hash of the id
        self._hashes: dict[str, str] = {}  # by the id

    def insert(self, *rows: Row) -> None:
        """Have rows written, each with a value for each of the columns of its table."""
        self._rows += rows

    def mark(self) -> int:
        """Return where the rows end, so that they can be written up to there, or taken back from there on."""
        return len(self._rows)

    def take_back(self, mark: int) -> None:
        """Forget the rows behind a mark; whoever is not in those before it has to be looked up again."""
        del self._rows[mark:]
        enrolled = (row for table, row in self._rows if table is tables.participant)
        self._pseudonyms = {hashed: pseudonym for _, hashed, pseudonym in enrolled}

    def write(self, mark: int | None = None) -> None:
        """Write the rows, all of them or those before a mark."""
        by_table: dict[sa.Table, list[tuple[Any, ...]]] = {table: [] for table in COLUMNS}
        for table, row in self._rows[:mark]:
            by_table[table].append(row)
        del self._rows[:mark]
        for table, rows in by_table.items():
            if rows:
                execute_many(self.connection, _insert(table, places(self.connection, len(COLUMNS[table]))), rows)

    def _hash(self, participant: str) -> str:
        if participant not in self._hashes:
            self._hashes[participant] = id_hash(self.key, participant)
        return self._hashes[participant]

    def look_up(self, participants: Iterable[str]) -> None:
        """Get to know the pseudonyms of participants, all at once."""
        hashes = [self._hash(each) for each in participants]
        if hashes:
            self._pseudonyms |= dict.fromkeys(hashes) | pseudonyms_of(self.connection, self.study, hashes)

    def pseudonym_of(self, participant: str) -> str | None:
        """Return the pseudonym of a participant, if there is one yet."""
        hashed = self._hash(participant)
        if hashed not in self._pseudonyms:
            self.look_up([participant])
        return self._pseudonyms[hashed]

    def enrol(self, participant: str, pseudonym: str) -> None:
        """Give a participant a pseudonym."""
        hashed = self._hash(participant)
        self._pseudonyms[hashed] = pseudonym
        self.insert((tables.participant, (self.study, hashed, pseudonym)))

    def forget(self, participant: str) -> None:
        """Know no more whose pseudonym a participant's was."""
        self._pseudonyms[self._hash(participant)] = None


@functools.cache
def _insert(table: sa.Table, values: str) -> str:
    """Return the statement that inserts rows into a table."""
    return f"INSERT INTO {table.name} ({', '.join(COLUMNS[table])}) VALUES ({values})"
