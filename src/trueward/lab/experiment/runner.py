"""Plays an experiment cell by cell, keeps what is finished, and says how far it is."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from trueward.errors import TruewardError
from trueward.game.play import play
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import Cell, Experiment
from trueward.lab.experiment.store import Store
from trueward.lab.experiment.tables import curve_table, trial_table

PATIENCE = "10s"  # how long a Dask scheduler may take to answer

Report = Callable[[str, int], None]
"""Called with what is being played, and the number of games finished since the last call."""


@dataclass(frozen=True)
class Plan:
    """What a run has to do: the cells of some experiments, those that are finished left out."""

    experiments: tuple[Experiment, ...]
    store: Store | None

    @property
    def cells(self) -> list[Cell]:
        """All cells, in order."""
        return [cell for experiment in self.experiments for cell in experiment.cells]

    @property
    def open_cells(self) -> list[Cell]:
        """The cells still to be played."""
        return [cell for cell in self.cells if self.store is None or cell not in self.store]

    @property
    def open_games(self) -> int:
        """The number of games still to be played."""
        return sum(cell.games for cell in self.open_cells)


def run_plan(plan: Plan, executor: Executor | None, report: Report = lambda _, __: None) -> list[Result]:
    """Play what is open and return a result for each experiment."""
    return [
        Result(experiment, [_tables(cell, experiment, plan.store, executor, report) for cell in experiment.cells])
        for experiment in plan.experiments
    ]


def _tables(
    cell: Cell, experiment: Experiment, store: Store | None, executor: Executor | None, report: Report
) -> dict[str, pl.DataFrame]:
    if store is not None and cell in store:
        return store.read(cell)
    label = f"{experiment.name}: {cell.label}"
    tables = play_cell(cell, executor, lambda games, doing="": report(label + doing, games))
    if store is not None:
        store.write(cell, tables)
    return tables


def play_cell(cell: Cell, executor: Executor | None, report: Callable[..., None]) -> dict[str, pl.DataFrame]:
    """Play one cell and return its tables."""
    finished = 0

    def progress(done: int, _: int) -> None:
        nonlocal finished
        report((done - finished) * len(cell.policies))
        finished = done

    report(0)
    games = play(
        cell.policies,
        cell.arms,
        cell.adversary,
        horizon=cell.horizon,
        trials=cell.trials,
        seed=cell.seed,
        executor=executor,
        progress=progress,
        announce=lambda policy: report(0, f" (loading or compiling {policy})"),
    )
    return {"trials": trial_table(games), "curves": curve_table(games, cell.reference)}


@contextmanager
def workers(count: int | None = None, cluster: str | None = None) -> Iterator[Executor | None]:
    """Give an executor: threads, or a Dask cluster by its address."""
    if cluster is not None:
        client = _dask_client(cluster)
        try:
            yield client.get_executor()
        finally:
            client.close()
    elif count is not None:
        executor = ThreadPoolExecutor(count)
        try:
            yield executor
        finally:
            executor.shutdown(cancel_futures=True)
    else:
        yield None


def _dask_client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise TruewardError("a cluster needs Dask: install trueward[cluster]") from None
    try:
        return Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call] # Dask is not typed
    except (OSError, ValueError) as error:
        raise TruewardError(f"no Dask scheduler answers at {address}: {error}") from None


def save(result: Result, folder: Path) -> list[Path]:
    """Write the tables of a result as Parquet, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in ("trials", "curves"):
        files.append(folder / f"{result.experiment.name}-{name}.parquet")
        getattr(result, name).write_parquet(files[-1])
    return files
