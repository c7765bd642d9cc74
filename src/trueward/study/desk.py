"""Where one request is served, inside a transaction: it looks at the memory, and appends events."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from trueward.study import tables
from trueward.study.chain import new_event
from trueward.study.log import write
from trueward.study.memory import Memory


def now() -> str:
    """Return the time in UTC, as it is written down."""
    return moment(datetime.now(UTC))


def moment(time: datetime) -> str:
    """Return a time as it is written down: texts of the same length, in the order of the times."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


class Desk:
    """A study in a transaction that holds its lock; what is appended here is in the memory at once."""

    def __init__(
        self, connection: sa.Connection, memory: Memory, key: str, actor: str, secret: str | None = None
    ) -> None:
        self.connection = connection
        self.memory = memory
        self.key = key  # of the study, for the ids of participants
        self.actor = actor
        self._secret = secret  # of the chain of events
        self.at = now()

    def append(self, kind: str, body: dict[str, Any]) -> None:
        """Append an event, to the log and the other tables, and to the memory."""
        memory = self.memory
        seq = memory.last_seq + 1
        event = new_event(memory.study, seq, kind, self.at, self.actor, body, memory.head, self._secret)
        write(self.connection, event)
        memory.apply(event)


MOVE_HEAD = sa.update(tables.study).where(tables.study.c.name == sa.bindparam("study_name"))


def save_head(connection: sa.Connection, memory: Memory) -> None:
    """Write down where a study stands."""
    values = {"state": memory.state, "last_seq": memory.last_seq, "head": memory.head, "asks": len(memory.made)}
    connection.execute(MOVE_HEAD, {"study_name": memory.study, **values})
