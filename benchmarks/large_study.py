"""A study of many ratings on SQLite: opening it, voiding a participant in it, and the asks that come meanwhile."""

import itertools
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

import trueward as tw
from measuring import wall_seconds
from ratings import ratings
from served import ARMS, POLICIES
from settings import WARY
from trueward.study.database import connected

EACH = 20  # ratings of a participant
BATCH = 64  # requests that a study serves in one transaction, at most
PAUSE = 0.01  # seconds between the asks that come while a void is learned


class LargeStudy:
    """A study of so many ratings with Wary Thompson, in a database in a folder."""

    def __init__(self, folder: Path, n_ratings: int) -> None:
        self.file = folder / "large.db"
        self.newcomers, self.voided = itertools.count(), itertools.count()
        rows = (
            {"participant": f"p{i // EACH}", "occasion": str(i % EACH), "arm": ARMS[i % 5], "reward": row[i % 5]}
            for i, row in enumerate(ratings(n_ratings, len(ARMS)))
        )
        with tw.Study.create(f"sqlite:///{self.file}", "large", ARMS, policy=POLICIES[WARY]) as study:
            study.import_ratings(rows)

    def opened(self) -> tw.Study:
        """Open it, so that it has served a first ask."""
        study = tw.Study.open(f"sqlite:///{self.file}", "large")
        self.ask(study)
        return study

    def ask(self, study: tw.Study) -> int:
        """Ask for somebody new, and return the number of the decision."""
        return study.ask(participant=f"new {next(self.newcomers)}").number

    def open_seconds(self, *, from_log: bool = False) -> float:
        """Return the CPU time of opening it, until the first ask is answered; `from_log`, without its snapshot."""
        if from_log:
            with connected(f"sqlite:///{self.file}") as database, database.write() as connection:
                connection.exec_driver_sql("DELETE FROM snapshot")
        start = time.process_time()
        study = self.opened()
        seconds = time.process_time() - start
        study.close()
        return seconds

    def batch_seconds(self, study: tw.Study, repeats: int) -> float:
        """Return how long it takes until as many as a batch may have, who ask at once, all have their answer."""
        start = threading.Barrier(BATCH + 1)

        def ask(_: int) -> None:
            start.wait()
            self.ask(study)

        def all_ask() -> float:
            answers = threads.map(ask, range(BATCH))
            start.wait()
            return wall_seconds(partial(list, answers))

        with ThreadPoolExecutor(BATCH) as threads:
            return median(all_ask() for _ in range(repeats))

    def void_seconds(self, study: tw.Study) -> tuple[float, float]:
        """Void a participant, and ask until a decision knows of it.

        Return the CPU time of all that, the asks included, and the longest that one of them waited.
        """
        start, waits = time.process_time(), [0.0]
        study.void(participant=f"p{next(self.voided)}", reason="bot")
        known = self._newest("SELECT MAX(seq) FROM event WHERE kind = 'void'")
        numbers: list[int] = []
        while not numbers or self._newest("SELECT corrections_seq FROM decision WHERE number = ?", numbers[-1]) < known:
            waits.append(wall_seconds(lambda: numbers.append(self.ask(study))))
            time.sleep(PAUSE)
        return time.process_time() - start, max(waits)

    def _newest(self, query: str, *values: int) -> int:
        connection = sqlite3.connect(self.file)
        try:
            return int(connection.execute(query, values).fetchone()[0])
        finally:
            connection.close()
