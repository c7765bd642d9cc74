"""The tables of every version, each made from those before it; applied when a study is created or opened."""

import threading
from pathlib import Path

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from trueward.errors import StorageError
from trueward.study.database import Database

TOGETHER = 872_036_114  # the key of an advisory lock: only one process changes the tables

_one_at_a_time = threading.Lock()  # Alembic keeps the migration under way in a global


def migrate(database: Database) -> None:
    """Bring the tables of a database to this version, if they are not there yet."""
    script = ScriptDirectory(str(Path(__file__).parent))
    with database.read() as connection:
        if MigrationContext.configure(connection).get_current_revision() == script.get_current_head():
            return
    with _one_at_a_time, database.write() as connection:
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(TOGETHER)))
        try:
            _upgrade(connection, script)
        except CommandError:
            raise StorageError(f"the database {database.name} was made by a later version of trueward") from None


def _upgrade(connection: sa.Connection, script: ScriptDirectory) -> None:
    options = {"fn": lambda revision, _: script._upgrade_revs("head", revision)}
    context = MigrationContext.configure(connection, opts=options)
    with Operations.context(context):
        context.run_migrations()
