"""The tables of every version, each made from those before it; applied when a study is created or opened."""

import threading
from pathlib import Path

import sqlalchemy as sa

from trueward.errors import StorageError
from trueward.study.database import Database

FOLDER = Path(__file__).parent
HEAD = max(file.stem[1:5] for file in (FOLDER / "versions").glob("v*.py"))  # the present version of the tables
TOGETHER = 872_036_114  # the key of an advisory lock: only one process changes the tables

_one_at_a_time = threading.Lock()  # Alembic keeps the migration under way in a global


def migrate(database: Database) -> None:
    """Bring the tables of a database to this version, if they are not there yet."""
    with database.read() as connection:
        if _version(connection) == HEAD:
            return
    with _one_at_a_time, database.write() as connection:
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(TOGETHER)))
        _upgrade(connection, database.name)


def _version(connection: sa.Connection) -> str | None:
    """Return which version the tables have, without Alembic, which takes long to import; None if there are none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _upgrade(connection: sa.Connection, name: str) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    script = ScriptDirectory(str(FOLDER))
    options = {"fn": lambda revision, _: script._upgrade_revs("head", revision)}
    context = MigrationContext.configure(connection, opts=options)
    try:
        with Operations.context(context):
            context.run_migrations()
    except CommandError:
        raise StorageError(f"the database {name} was made by a later version of trueward") from None
