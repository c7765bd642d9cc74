"""People who use the dashboard: added on the command line, signed in by a link that works once.

Of what a link or a cookie holds, only a digest is kept: who reads the database cannot sign in with it.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from trueward.errors import ConflictError, ParameterError, StudyError
from trueward.study import tables
from trueward.study.database import Database
from trueward.study.settings import name_of
from trueward.study.times import moment, now

VIEWER, EDITOR = "viewer", "editor"
ROLES = (VIEWER, EDITOR)
LINK_LASTS = timedelta(hours=24)
STAYS = timedelta(days=14)


@dataclass(frozen=True)
class Person:
    """Who looks at the dashboard; only an editor changes anything."""

    name: str
    role: str

    @property
    def may_edit(self) -> bool:
        """Whether this person may change a study."""
        return self.role == EDITOR


def add_person(database: Database, name: str, role: str) -> str:
    """Add a person, and return what the first link holds."""
    name_of("name", name, 100)
    if role not in ROLES:
        raise ParameterError(f"role must be {' or '.join(ROLES)}, got {role!r}")
    with database.write() as connection:
        if _person(connection, name) is not None:
            raise ConflictError(f"there is a user {name!r} already; trueward user link {name} makes a new link")
        connection.execute(sa.insert(tables.person), {"name": name, "role": role, "added_at": now()})
        return _new_link(connection, name)


def new_link(database: Database, name: str) -> str:
    """Return what a new link of a person holds; older ones do not work any more."""
    with database.write() as connection:
        _refuse_unknown(connection, name)
        connection.execute(sa.delete(tables.sign_in_link).where(tables.sign_in_link.c.person == name))
        return _new_link(connection, name)


def remove_person(database: Database, name: str) -> None:
    """Remove a person, who is signed out everywhere at once."""
    with database.write() as connection:
        _refuse_unknown(connection, name)
        for table in (tables.sign_in_link, tables.signed_in):
            connection.execute(sa.delete(table).where(table.c.person == name))
        connection.execute(sa.delete(tables.person).where(tables.person.c.name == name))


def everybody(database: Database) -> tuple[Person, ...]:
    """Return all people, by name."""
    with database.read() as connection:
        rows = connection.execute(sa.select(tables.person).order_by(tables.person.c.name))
        return tuple(Person(row.name, row.role) for row in rows)


def link_holder(database: Database, held: str) -> str | None:
    """Return whose link it is, if it still works; it goes on working."""
    columns = tables.sign_in_link.c
    with database.read() as connection:
        works = sa.select(columns.person).where(*_works(held))
        return connection.execute(works).scalar_one_or_none()


def sign_in(database: Database, held: str) -> str | None:
    """Use a link up, and return what the cookie holds; None if the link does not work."""
    columns = tables.sign_in_link.c
    with database.write() as connection:
        whose = connection.execute(sa.select(columns.person).where(*_works(held))).scalar_one_or_none()
        used = connection.execute(sa.update(tables.sign_in_link).where(*_works(held)).values(used_at=now()))
        if whose is None or used.rowcount != 1:
            return None
        cookie = secrets.token_urlsafe(32)
        row = {"digest": _digest(cookie), "person": whose, "expires_at": moment(datetime.now(UTC) + STAYS)}
        connection.execute(sa.delete(tables.signed_in).where(tables.signed_in.c.expires_at <= now()))
        connection.execute(sa.insert(tables.signed_in), row)
        return cookie


def who(database: Database, cookie: str) -> Person | None:
    """Return who is signed in with a cookie, if it has not expired."""
    columns = tables.signed_in.c
    joined = tables.signed_in.join(tables.person, tables.person.c.name == columns.person)
    query = sa.select(tables.person.c.name, tables.person.c.role).select_from(joined)
    with database.read() as connection:
        row = connection.execute(
            query.where(columns.digest == _digest(cookie), columns.expires_at > now())
        ).one_or_none()
    return None if row is None else Person(row.name, row.role)


def sign_out(database: Database, cookie: str) -> None:
    """Let a cookie not work any more."""
    with database.write() as connection:
        connection.execute(sa.delete(tables.signed_in).where(tables.signed_in.c.digest == _digest(cookie)))


def _works(held: str) -> tuple[sa.ColumnElement[bool], ...]:
    columns = tables.sign_in_link.c
    return columns.digest == _digest(held), columns.used_at.is_(None), columns.expires_at > now()


def _new_link(connection: sa.Connection, name: str) -> str:
    held = secrets.token_urlsafe(32)
    row = {"digest": _digest(held), "person": name, "expires_at": moment(datetime.now(UTC) + LINK_LASTS)}
    connection.execute(sa.insert(tables.sign_in_link), row)
    return held


def _person(connection: sa.Connection, name: str) -> sa.Row[tuple[str, str, str]] | None:
    return connection.execute(sa.select(tables.person).where(tables.person.c.name == name)).one_or_none()


def _refuse_unknown(connection: sa.Connection, name: str) -> None:
    if _person(connection, name) is None:
        raise StudyError(f"there is no user {name!r}; trueward user list shows who there is")


def _digest(held: str) -> str:
    return hashlib.sha256(held.encode()).hexdigest()
