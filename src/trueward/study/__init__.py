"""A study that lasts: events in a database, and a bandit in memory that learns from them."""

from importlib.util import find_spec

from trueward.errors import TruewardError

if missing := [name for name in ("alembic", "sqlalchemy") if find_spec(name) is None]:
    raise TruewardError(f"a study needs {' and '.join(missing)}: pip install 'trueward[study]'")
