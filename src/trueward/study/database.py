"""Two engines on one database, SQLite or PostgreSQL: one that writes, a transaction at a time, and one that reads.

    SQLite        WAL, synchronous=FULL; a writer begins with BEGIN IMMEDIATE, since a reader that wants to write
                  fails at once where another has written, however long it would wait
    PostgreSQL    a writer locks the study's row, READ COMMITTED; a reader sees one moment, REPEATABLE READ

What goes wrong ends in a `StorageError` of one line, without the values that were to be written (who rated what is not
for logs), and in nothing half done.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import exc

from trueward.errors import ParameterError, StorageError, TruewardError

Isolation = Literal["READ COMMITTED", "REPEATABLE READ"]

WAIT = 10  # seconds that a writer waits for another
TROUBLES = {
    "locked": f"is locked by another process, for more than {WAIT} seconds; try again",
    "readonly": "is read-only",
    "read-only": "is read-only",
    "full": "has no space left on its disk",
    "No space left": "has no space left on its disk",
    "unable to open": "cannot be opened",
    "not a database": "is not a database",
}
"""What a database says, and what that means."""


class Database:
    """A database by its address, such as sqlite:///ratings.db or postgresql+psycopg://user@host/name."""

    def __init__(self, url: str) -> None:
        self.url = _checked(url)
        self.name = self.url.render_as_string(hide_password=True)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._closed = False
        self._connect()

    def _connect(self) -> None:
        self._process = os.getpid()
        self._file: int | None = None  # the inode of a SQLite file, once it has been written
        self._idle: list[sa.Connection] = []  # to SQLite, for the next who writes: the pool takes longer than a row
        self._writer = self._engine("BEGIN IMMEDIATE", "READ COMMITTED")
        self._reader = self._engine("BEGIN", "REPEATABLE READ")

    def _engine(self, begin: str, isolation: Isolation) -> sa.Engine:
        if not self.is_sqlite:  # a connection that was lost is made anew
            return sa.create_engine(self.url, pool_pre_ping=True, isolation_level=isolation, hide_parameters=True)
        engine = sa.create_engine(self.url, connect_args={"timeout": WAIT}, hide_parameters=True)
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", lambda connection: execute(connection, begin, ()))
        return engine

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Give a connection in a transaction of its own, which is committed at the end, or else undone."""
        with self._in_words():
            idle = self._idle  # another list after `_hang_up`, so that none of the old connections comes back
            try:
                connection = idle.pop()
            except IndexError:
                connection = self._writer.connect()
            try:
                with connection.begin():
                    yield connection
            except BaseException:
                connection.close()
                raise
            if self.is_sqlite:
                idle.append(connection)
            else:
                connection.close()  # whether it still stands is looked at when it is taken from the pool again

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Give a connection that sees the database as it is now, and waits for nobody."""
        with self._in_words(), self._reader.begin() as connection:
            yield connection

    def exists(self) -> bool:
        """Return whether there is such a file; a server has to be asked."""
        return not self.is_sqlite or os.path.exists(str(self.url.database))

    def close(self) -> None:
        """Close all connections, for good."""
        self._closed = True
        self._hang_up()

    def _hang_up(self) -> None:
        idle, self._idle = self._idle, []
        while idle:
            idle.pop().close()
        self._writer.dispose()
        self._reader.dispose()

    def after_fork(self) -> None:
        """Leave the connections of the parent process to it, and make others, once for all studies."""
        if self._process != os.getpid():
            self._writer.dispose(close=False)
            self._reader.dispose(close=False)
            self._connect()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        self.refuse_if_closed()
        self._refuse_if_vanished()
        try:
            yield
        except exc.DBAPIError as error:
            said = first_words(error)
            trouble = next((means for words, means in TROUBLES.items() if words in said), f"failed: {said}")
            raise StorageError(f"the database {self.name} {trouble}") from error

    def refuse_if_closed(self) -> None:
        """Refuse to go on after `close`."""
        if self._closed:
            raise StorageError(f"the database {self.name} was closed: open the study again")

    def _refuse_if_vanished(self) -> None:
        """Refuse to write into a SQLite file that was removed: it would accept everything, and be gone."""
        if not self.is_sqlite:
            return
        try:
            found = os.stat(str(self.url.database)).st_ino
        except FileNotFoundError:
            found = None
        if self._file is not None and found != self._file:
            self._hang_up()  # what is there next is another file
            self._file = None
            raise StorageError(f"the database {self.name} has vanished")
        self._file = found


@contextmanager
def savepoint(connection: sa.Connection) -> Iterator[None]:
    """Undo what is done inside if it fails, and nothing else of the transaction.

    SQLAlchemy's own has a new name each time, and compiles two statements for it.
    """
    connection.exec_driver_sql("SAVEPOINT request")
    try:
        yield
    except BaseException:
        undo_to_savepoint(connection)
        raise
    connection.exec_driver_sql("RELEASE SAVEPOINT request")


def undo_to_savepoint(connection: sa.Connection) -> None:
    """Undo what was done since the savepoint."""
    if not connection.invalidated:  # a connection that was lost has nothing to undo
        connection.exec_driver_sql("ROLLBACK TO SAVEPOINT request")
        connection.exec_driver_sql("RELEASE SAVEPOINT request")


def execute(connection: sa.Connection, statement: str, values: tuple[Any, ...]) -> Sequence[Sequence[Any]]:
    """Return the rows that a statement finds."""
    sqlite = connection.connection.dbapi_connection
    if not isinstance(sqlite, sqlite3.Connection):
        return connection.exec_driver_sql(statement, values).all()
    try:
        return sqlite.execute(statement, values).fetchall()
    except sqlite3.Error as error:
        raise _said_by_sqlite(connection, statement, error) from error


def execute_many(connection: sa.Connection, statement: str, rows: list[tuple[Any, ...]]) -> None:
    """Execute a statement for each of many rows."""
    sqlite = connection.connection.dbapi_connection
    if not isinstance(sqlite, sqlite3.Connection):
        connection.exec_driver_sql(statement, rows)
        return
    try:
        sqlite.executemany(statement, rows)
    except sqlite3.Error as error:
        raise _said_by_sqlite(connection, statement, error) from error


def _said_by_sqlite(connection: sa.Connection, statement: str, error: sqlite3.Error) -> BaseException:
    """Return what SQLite says as SQLAlchemy would, whose own way to it takes several times as long as SQLite's work."""
    return exc.DBAPIError.instance(
        statement, None, error, sqlite3.Error, hide_parameters=True, dialect=connection.dialect
    )


def places(connection: sa.Connection, count: int) -> str:
    """Return how a statement marks the places of so many values."""
    return ", ".join(["?" if connection.dialect.paramstyle == "qmark" else "%s"] * count)


def first_words(error: BaseException | None) -> str:
    """Return what a database said first: what failed afterwards, such as undoing a savepoint, only followed."""
    said = ""
    while error is not None:
        if isinstance(error, exc.DBAPIError):
            said = str(error.orig).strip().splitlines()[0]
        error = error.__context__
    return said


@contextmanager
def connected(url: str) -> Iterator[Database]:
    """Give a database, and close its connections at the end."""
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def _checked(url: str) -> sa.URL:
    """Return an address that this can use."""
    try:
        parsed = sa.make_url(url)
    except (exc.ArgumentError, AttributeError, ValueError):
        raise ParameterError(f"url must be such as sqlite:///ratings.db, got {url!r}") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise ParameterError(f"url must be of sqlite or postgresql, got {parsed.drivername!r}")
    if parsed.get_backend_name() == "postgresql" and find_spec("psycopg") is None:
        raise TruewardError("PostgreSQL needs psycopg: pip install 'trueward[study]'")
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise ParameterError(f"url must name a file, as in sqlite:///ratings.db, got {url!r}")
    return parsed


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin and end where this module says
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * WAIT)}")
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        connection.execute("PRAGMA journal_mode = WAL")
    for setting in ("synchronous = FULL", "foreign_keys = ON", "recursive_triggers = ON"):
        connection.execute(f"PRAGMA {setting}")
