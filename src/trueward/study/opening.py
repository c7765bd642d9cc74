"""Creating, finding, listing and deleting studies in a database."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import sqlalchemy as sa

from trueward.errors import ConflictError, StorageError, StudyError
from trueward.policies.policy import Policy
from trueward.study import tables
from trueward.study.chain import hash_found, new_event, text_of
from trueward.study.database import Database, connected, savepoint
from trueward.study.desk import Desk, save_head
from trueward.study.ledger import Ledger
from trueward.study.log import events_after, row_of
from trueward.study.memory import RUNNING, Memory
from trueward.study.migrations import migrate
from trueward.study.settings import Settings, new_name
from trueward.study.times import now

Where = str | Database
"""The address of a database; or one that is open, with its tables, and stays open."""


class Listed(NamedTuple):
    """A study of a database."""

    name: str
    state: str
    asks: int
    test: bool
    created_at: str
    head: str  # the hash of the last event


def create(
    where: Where,
    name: str,
    settings: Settings,
    policy: Policy,
    actor: str,
    secret: str | None,
    begin: Callable[[Desk], None] | None = None,
) -> None:
    """Write a study's first event, and what it begins with; all of it, or nothing."""
    new_name(name)
    at = now()
    event = new_event(name, 1, "create", at, actor, settings.as_body(), "", secret)
    memory = Memory(event, policy)  # refuses what the policy cannot play
    row = {"state": RUNNING, "test": settings.test, "settings": text_of(event.body["settings"]), "asks": 0}
    row |= {"name": name, "last_seq": 0, "head": "", "key": secrets.token_hex(32), "created_at": at}
    with tables_of(where, new=True) as database, database.write() as connection:
        try:
            with savepoint(connection):
                connection.execute(sa.insert(tables.study), row)
        except sa.exc.IntegrityError:
            raise ConflictError(f"there is a study {name!r} already in {database.name}; open it") from None
        ledger = Ledger(connection, name, str(row["key"]))
        desk = Desk(ledger, memory, actor, secret)
        desk.write(event)
        if begin is not None:
            begin(desk)
        ledger.write()
        save_head(connection, memory)


def find(where: Where, name: str, secret: str | None) -> str | None:
    """Refuse to open what is not there, or was not created with the secret; return the secret."""
    with tables_of(where) as database, database.read() as connection:
        row_of(connection, name)
        first = next(events_after(connection, name))
    keyed = first.body.get("settings", {}).get("keyed", False)
    if keyed and secret is None:
        raise StudyError(f"study {name!r} was created with a secret: give it, or set TRUEWARD_SECRET")
    if secret is not None and not keyed:  # it may have been taken away, by who could not compute the hashes
        raise StudyError(f"study {name!r} was created without a secret: open it without, and without TRUEWARD_SECRET")
    if keyed and hash_found(first, secret) != first.hash:
        raise StudyError(f"study {name!r} was created with another secret, or its first event was changed")
    return secret


def list_studies(where: Where) -> tuple[Listed, ...]:
    """Return all studies, the oldest first."""
    columns = [tables.study.c[name] for name in Listed._fields]
    with tables_of(where) as database, database.read() as connection:
        rows = connection.execute(sa.select(*columns).order_by(tables.study.c.created_at, tables.study.c.name))
        return tuple(Listed(*row) for row in rows)


def delete(where: Where, name: str) -> None:
    """Delete a test study, with all that belongs to it."""
    with tables_of(where) as database, database.write() as connection:
        if not row_of(connection, name, lock=True).test:
            raise StudyError(f"study {name!r} is not a test study: it can be ended, and is never deleted")
        for table in tables.OF_A_STUDY:
            connection.execute(sa.delete(table).where(table.c.study == name))
        connection.execute(sa.delete(tables.study).where(tables.study.c.name == name))


@contextmanager
def tables_of(where: Where, *, new: bool = False) -> Iterator[Database]:
    """Give a database that is there, or is made `new`, with its tables; those of an earlier version are updated."""
    if isinstance(where, Database):
        yield where
        return
    with connected(where) as database:
        if not new and not database.exists():
            raise StorageError(f"there is no database {database.name}")
        migrate(database)
        yield database
