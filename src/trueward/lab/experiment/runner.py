"""Plays an experiment cell by cell, keeps what is finished, and says how far it is."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from trueward.errors import TruewardError
from trueward.game.play import play_match
from trueward.game.warming import warm_up
from trueward.lab.experiment.result import Effort, Result
from trueward.lab.experiment.specification import Cell, Experiment
from trueward.lab.experiment.store import Kept, Store, cell_key, write_parquet
from trueward.lab.experiment.tables import curve_table, trial_table
from trueward.lab.experiment.user_file import comes_from_a_file

PATIENCE = "10s"  # how long a Dask scheduler may take to answer
WORKERS_PATIENCE = 30.0  # seconds in which its first worker must come
COMPILING = " - loading or compiling "  # stands between what is played and the policy that is made ready for it

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
        return [cell for cell in self.cells if self.store is None or cell_key(cell) not in self.store]

    @property
    def open_games(self) -> int:
        """The number of games still to be played."""
        return sum(cell.games for cell in self.open_cells)


def run_plan(plan: Plan, executor: Executor | None, report: Report = lambda _, __: None) -> list[Result]:
    """Play what is open and return a result for each experiment."""
    on_cluster = type(executor).__module__.startswith("distributed")
    if on_cluster:
        for cell in plan.cells:
            if comes_from_a_file(cell.policies, cell.arms, cell.adversary):
                raise TruewardError("a cluster does not have the Python file that this experiment names; play it here")
    if plan.store is not None:
        plan.store.prepare()
    if not on_cluster:
        _compile(plan.open_cells, report)
    return [_result(experiment, plan.store, executor, report) for experiment in plan.experiments]


def _compile(cells: list[Cell], report: Report) -> None:
    """Compile what the cells need, in several processes where that is quicker."""
    matches = [cell.match for cell in cells]
    warm_up(matches, progress=lambda done, of, name: report(f"{done} of {of} kinds of games{COMPILING}{name}", 0))


def _result(experiment: Experiment, store: Store | None, executor: Executor | None, report: Report) -> Result:
    cells, effort = [], Effort()
    for cell in experiment.cells:
        kept, ready = _kept(cell, experiment.name, store, executor, report)
        cells.append(kept.tables)
        effort += Effort(ready=1, ready_seconds=kept.seconds) if ready else Effort(played=1, seconds=kept.seconds)
    return Result(experiment, cells, effort)


def _kept(
    cell: Cell, experiment: str, store: Store | None, executor: Executor | None, report: Report
) -> tuple[Kept, bool]:
    """Return a finished cell, and whether it was found ready."""
    key = "" if store is None else cell_key(cell)
    found = None if store is None else store.read(key)
    if found is not None:
        return found, True
    start = time.perf_counter()
    label = f"{experiment}: {cell.label}"
    tables = play_cell(cell, executor, lambda games, doing="": report(label + doing, games))
    kept = Kept(tables, time.perf_counter() - start)
    if store is not None:
        store.write(key, kept)
    return kept, False


def play_cell(cell: Cell, executor: Executor | None, report: Callable[..., None]) -> dict[str, pl.DataFrame]:
    """Play one cell and return its tables."""
    finished = 0

    def progress(done: int, _: int) -> None:
        nonlocal finished
        report((done - finished) * len(cell.policies))
        finished = done

    report(0)
    games = play_match(cell.match, executor, progress, lambda policy: report(0, f"{COMPILING}{policy}"))
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
        client = Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call] # Dask is not typed
    except (OSError, ValueError) as error:
        raise TruewardError(f"no Dask scheduler answers at {address}: {error}") from None
    _wait_for_a_worker(client, address)
    return client


def _wait_for_a_worker(client: Any, address: str) -> None:
    if client.scheduler_info()["workers"]:
        return
    Console(stderr=True).print(f"waiting up to {WORKERS_PATIENCE:.0f} s for a worker of {address}", markup=False)
    try:
        client.wait_for_workers(1, timeout=WORKERS_PATIENCE)
    except TimeoutError:
        client.close()
        raise TruewardError(
            f"the Dask scheduler at {address} has no workers: start one, dask worker {address}"
        ) from None


def save(result: Result, folder: Path) -> list[Path]:
    """Write the tables of a result as Parquet and as CSV, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in ("trials", "curves"):
        table, file = getattr(result, name), folder / f"{result.experiment.name}-{name}"
        files += [file.with_name(f"{file.name}.parquet"), file.with_name(f"{file.name}.csv")]
        write_parquet(table, files[-2])
        files[-1].write_text(table.write_csv(), encoding="utf-8")
    return files
