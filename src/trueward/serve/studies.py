"""The studies of one database, opened when they are first asked for, one object each per process."""

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

from trueward.errors import ConflictError, StorageError, StudyError
from trueward.policies.policy import Policy
from trueward.serve.guards import Once
from trueward.study import opening
from trueward.study.database import Database
from trueward.study.log import NO_STUDY, row_of
from trueward.study.migrations import migrate
from trueward.study.opening import Listed
from trueward.study.settings import secret_of, settings_of
from trueward.study.study import Study


class Studies:
    """Opens and keeps the studies of a database, whose tables are made or updated at once."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        migrate(self.database)
        self._open: dict[str, Study] = {}
        self._payloads: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Study:
        """Return a study, or raise a `StudyError` that says which there are."""
        with self._lock:
            if name not in self._open:
                secret = opening.find(self.database, name, secret_of(None))
                self._open[name] = Study(self.database, name, None, "service", secret)
            return self._open[name]

    def create(
        self,
        name: str,
        arms: Sequence[str] | Mapping[str, Any],
        *,
        policy: Policy,
        actor: str,
        once: Once | None = None,
        **settings: Any,
    ) -> Study:
        """Begin a study, with settings as `Study.create` has them, and return it; the same request again too."""
        secret = secret_of(None)
        chosen = settings_of(arms, policy, keyed=secret is not None, **settings)
        begin = None if once is None else partial(once, work=lambda _: None)
        try:
            opening.create(self.database, name, chosen, policy, actor, secret, begin)
        except ConflictError:
            with self.database.read() as connection:
                row = row_of(connection, name)
                if once is None or once.answered(connection, name, row.key) is None:
                    raise
        return self[name]

    def payload(self, study: Study, arm: str) -> Any:
        """Return what an arm shows, which never changes."""
        known = self._payloads.get(study.name, {})
        if arm not in known:
            known = self._payloads[study.name] = study.arms
        return known[arm]

    def list(self) -> tuple[Listed, ...]:
        """Return the studies that there are."""
        return opening.list_studies(self.database)

    def listed(self, name: str) -> Listed:
        """Return what the list says of a study."""
        for study in self.list():
            if study.name == name:
                return study
        raise StudyError(f"{NO_STUDY} {name!r} in this database")

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
