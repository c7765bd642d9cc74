"""Creating, finding, listing and deleting studies in a database."""

import secrets
from collections.abc import Callable
from typing import NamedTuple

import sqlalchemy as sa

from trueward.errors import ConflictError, StorageError, StudyError
from trueward.policies.base import Policy
from trueward.study import tables
from trueward.study.chain import new_event, text_of
from trueward.study.database import Database, savepoint
from trueward.study.desk import Desk, now, save_head
from trueward.study.log import row_of, write
from trueward.study.memory import RUNNING, Memory
from trueward.study.migrations import migrate
from trueward.study.settings import Settings, name_of


class Listed(NamedTuple):
    """A study of a database."""

    name: str
    state: str
    asks: int
    test: bool
    created_at: str


def create(
    database: Database,
    name: str,
    settings: Settings,
    policy: Policy,
    actor: str,
    begin: Callable[[Desk], None] | None = None,
) -> None:
    """Write a study's first event, and what it begins with; all of it, or nothing."""
    name_of("name", name, 100)
    at = now()
    event = new_event(name, 1, "create", at, actor, settings.as_body(), "")
    memory = Memory(event, policy)  # refuses what the policy cannot play
    migrate(database)
    row = {"state": RUNNING, "test": settings.test, "settings": text_of(event.body["settings"]), "asks": 0}
    row |= {"name": name, "last_seq": 0, "head": "", "key": secrets.token_hex(32), "created_at": at}
    with database.write() as connection:
        try:
            with savepoint(connection):
                connection.execute(sa.insert(tables.study), row)
        except sa.exc.IntegrityError:
            raise ConflictError(f"there is a study {name!r} already in {database.name}; open it") from None
        write(connection, event)
        if begin is not None:
            begin(Desk(connection, memory, str(row["key"]), actor))
        save_head(connection, memory)


def find(database: Database, name: str) -> None:
    """Refuse to open what is not there; bring the tables of an earlier version up to date."""
    _refuse_without_file(database)
    migrate(database)
    with database.read() as connection:
        row_of(connection, name)


def list_studies(database: Database) -> tuple[Listed, ...]:
    """Return all studies, the oldest first."""
    _refuse_without_file(database)
    migrate(database)
    columns = [tables.study.c[name] for name in Listed._fields]
    with database.read() as connection:
        rows = connection.execute(sa.select(*columns).order_by(tables.study.c.created_at, tables.study.c.name))
        return tuple(Listed(*row) for row in rows)


def delete(database: Database, name: str) -> None:
    """Delete a test study, with all that belongs to it."""
    find(database, name)
    with database.write() as connection:
        if not row_of(connection, name, lock=True).test:
            raise StudyError(f"study {name!r} is not a test study: it can be ended, and is never deleted")
        for table in (tables.reward, tables.decision, tables.arm, tables.participant, tables.event):
            connection.execute(sa.delete(table).where(table.c.study == name))
        connection.execute(sa.delete(tables.study).where(tables.study.c.name == name))


def _refuse_without_file(database: Database) -> None:
    if not database.exists():
        raise StorageError(f"there is no database {database.name}")
