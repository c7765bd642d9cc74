"""Where one request is served, inside a transaction: it looks at the memory, and appends events."""

import os
from typing import Any

import sqlalchemy as sa

from trueward.study.chain import Event, new_event
from trueward.study.database import execute_many, places, undo_to_savepoint
from trueward.study.ledger import Ledger
from trueward.study.log import PROJECTIONS, rows_of
from trueward.study.memory import Memory


class Desk:
    """A study in a transaction that holds its lock; what is appended here is in the memory at once."""

    def __init__(self, ledger: Ledger, memory: Memory, actor: str, secret: str | None = None) -> None:
        self.ledger = ledger
        self.memory = memory
        self.key = ledger.key  # of the study, for the ids of participants
        self.actor = actor
        self._secret = secret  # of the chain of events
        self._begin, self._guarded = ledger.mark(), False
        self.at = ledger.at

    def append(self, kind: str, body: dict[str, Any]) -> None:
        """Append an event, to the log and the other tables, and to the memory."""
        memory = self.memory
        seq = memory.last_seq + 1
        event = new_event(memory.study, seq, kind, self.at, self.actor, body, memory.head, self._secret)
        self.write(event)
        memory.apply(event)

    def write(self, event: Event) -> None:
        """Append an event to the log and the other tables."""
        self.ledger.insert(*rows_of(event))
        if event.kind in PROJECTIONS:
            PROJECTIONS[event.kind](self.connection, event)

    @property
    def connection(self) -> sa.Connection:
        """To read and write by: with all that was appended, and behind a savepoint of this request."""
        if not self._guarded:
            self.ledger.write(self._begin)  # what requests before this one have left
            self.ledger.connection.exec_driver_sql("SAVEPOINT request")
            self._begin, self._guarded = 0, True
        self.ledger.write()
        return self.ledger.connection

    def done(self) -> None:
        """Keep what was written."""
        if self._guarded:
            self.ledger.connection.exec_driver_sql("RELEASE SAVEPOINT request")

    def undo(self) -> None:
        """Undo what was written; not what the memory knows of it."""
        self.ledger.take_back(self._begin)
        if self._guarded:
            undo_to_savepoint(self.ledger.connection)

    def pseudonym_of(self, participant: str) -> str | None:
        """Return the pseudonym of a participant, if there is one yet."""
        return self.ledger.pseudonym_of(participant)

    def new_pseudonym(self, participant: str) -> str:
        """Give a participant a pseudonym: it begins with the number of the last event, and ends by chance.

        In the indexes of a database, those who come at the same time so stand on one page, and not on a page each.
        """
        pseudonym = f"{self.memory.last_seq:08x}{os.urandom(8).hex()}"
        self.ledger.enrol(participant, pseudonym)
        return pseudonym


def save_head(connection: sa.Connection, memory: Memory) -> None:
    """Write down where a study stands."""
    values = memory.state, memory.last_seq, memory.head, len(memory.made), memory.study
    place = places(connection, 1)
    moved = f"state = {place}, last_seq = {place}, head = {place}, asks = {place}"
    execute_many(connection, f"UPDATE study SET {moved} WHERE name = {place}", [values])
