"""The studies of one database, opened when they are first asked for, one object each per process."""

import threading
from typing import Self

from trueward.errors import StorageError
from trueward.study.database import Database
from trueward.study.migrations import migrate
from trueward.study.opening import Listed
from trueward.study.study import Study


class Studies:
    """Opens and keeps the studies of a database, whose tables are made or updated at once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.database = Database(url)
        migrate(self.database)
        self._open: dict[str, Study] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Study:
        """Return a study, or raise a `StudyError` that says which there are."""
        with self._lock:
            if name not in self._open:
                self._open[name] = Study.open(self.url, name, actor="service")
            return self._open[name]

    def keep(self, study: Study) -> None:
        """Take over a study that was just created."""
        with self._lock:
            self._open[study.name] = study

    def list(self) -> tuple[Listed, ...]:
        """Return the studies that there are."""
        return Study.list(self.url)

    def is_ready(self) -> bool:
        """Return whether the database answers."""
        try:
            with self.database.read() as connection:
                connection.exec_driver_sql("SELECT 1")
        except StorageError:
            return False
        return True

    def close(self) -> None:
        """Serve what is waiting in all studies, and close them."""
        with self._lock:
            for study in self._open.values():
                study.close()
            self._open.clear()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
