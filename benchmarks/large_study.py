"""A study with many ratings on SQLite: opening it, voiding a participant, and asks that arrive in the meantime."""

import itertools
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

import trueward as tw
from sqlite_study import ARMS, POLICIES
from study_ratings import simulate_ratings
from timing import wall_seconds
from trueward.study.database import connected
from workload import WARY

EACH = 20  # ratings per participant
BATCH = 64  # largest number of requests in one transaction
PAUSE = 0.01  # seconds between asks while the policy learns of a void


class LargeStudy:
    """A study with Wary and many ratings, in a SQLite file."""

    def __init__(self, folder: Path, n_ratings: int) -> None:
        self.file = folder / "large.db"
        self.newcomers, self.voided = itertools.count(), itertools.count()
        rows = (
            {"participant": f"p{i // EACH}", "occasion": str(i % EACH), "arm": ARMS[i % 5], "reward": row[i % 5]}
            for i, row in enumerate(simulate_ratings(n_ratings, len(ARMS)))
        )
        with tw.Study.create(f"sqlite:///{self.file}", "large", ARMS, policy=POLICIES[WARY]) as study:
            study.import_ratings(rows)

    def opened(self) -> tw.Study:
        """Open the study and serve a first ask."""
        study = tw.Study.open(f"sqlite:///{self.file}", "large")
        self.ask(study)
        return study

    def ask(self, study: tw.Study) -> int:
        """Ask for a new participant, and return the number of the decision."""
        return study.ask(participant=f"new {next(self.newcomers)}").number

    def open_seconds(self, *, from_log: bool = False) -> float:
        """Return the CPU time until the first ask after opening is answered; `from_log` ignores the snapshot."""
        if from_log:
            with connected(f"sqlite:///{self.file}") as database, database.write() as connection:
                connection.exec_driver_sql("DELETE FROM snapshot")
        start = time.process_time()
        study = self.opened()
        seconds = time.process_time() - start
        study.close()
        return seconds

    def batch_seconds(self, study: tw.Study, repeats: int) -> float:
        """Return the seconds until a full batch of concurrent asks is answered."""
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
        """Void a participant, and ask until a decision takes it into account.

        Return the CPU time, asks included, and the longest wait of an ask.
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
