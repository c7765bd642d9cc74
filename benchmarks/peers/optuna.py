"""Optuna: `ask` and `tell` of one categorical parameter on SQLite, set up as our studies are: WAL, synchronous=FULL.

`optuna.py TRIALS` prints the seconds of each trial, by one thread and by several that share a study.
"""

import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import optuna
import sqlalchemy as sa

from workload import N_ARMS, THREADS

ARMS = [f"arm {i}" for i in range(N_ARMS)]


def as_ours(connection: sa.engine.interfaces.DBAPIConnection, _: object) -> None:
    """Set a connection up as trueward does."""
    cursor = connection.cursor()
    for setting in ("busy_timeout = 10000", "journal_mode = WAL", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def study_in(folder: str) -> optuna.Study:
    """Begin a study."""
    sa.event.listen(sa.pool.Pool, "connect", as_ours)
    storage = optuna.storages.RDBStorage(f"sqlite:///{Path(folder) / 'optuna.db'}")
    sampler = optuna.samplers.RandomSampler(seed=0)
    return optuna.create_study(storage=storage, sampler=sampler, direction="maximize")


def seconds_each(study: optuna.Study, n_threads: int, trials: int) -> float:
    """Return the seconds of a trial, asked and told."""

    def decide_and_reward(_: int) -> None:
        for _ in range(trials // n_threads):
            trial = study.ask()
            study.tell(trial, float(ARMS.index(trial.suggest_categorical("arm", ARMS))))

    start = time.perf_counter()
    with ThreadPoolExecutor(n_threads) as threads:
        list(threads.map(decide_and_reward, range(n_threads)))
    return (time.perf_counter() - start) / (trials // n_threads * n_threads)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        shared = study_in(folder)
        seconds_each(shared, 1, 2)  # what is done once
        results = {f"{n} threads": seconds_each(shared, n, int(sys.argv[1])) for n in (1, THREADS)}
    print(json.dumps({"version": version("optuna"), "seconds": results}))
