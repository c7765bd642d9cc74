"""The runner: play the unplayed cells of experiments, store them, and return the results."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from trueward.errors import ParameterError, TruewardError
from trueward.game.play import play_match
from trueward.game.precompile import warm_up
from trueward.lab.experiment.game_tables import curve_table, trial_table
from trueward.lab.experiment.progress import COMPILING, Report, progress_bar
from trueward.lab.experiment.result import Result, Timing
from trueward.lab.experiment.specification import Cell, Experiment, load
from trueward.lab.experiment.store import CellStore, StoredCell, cell_key, write_parquet
from trueward.lab.experiment.user_file import uses_user_file

SCHEDULER_TIMEOUT = "10s"  # maximum wait for the scheduler
WORKER_TIMEOUT = 30.0  # seconds to wait for the first worker


def run(
    experiment: Experiment | Mapping[str, Any] | str | Path,
    *,
    cache_folder: str | Path | None = None,
    n_workers: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    **changes: Any,
) -> Result:
    """Play an experiment and return its result.

    Results depend only on the seed, not on the number of workers or the use of a cluster.

    Parameters
    ----------
    experiment : Experiment, mapping, str or Path
        An experiment, or a dictionary or the path of a TOML file that specifies one (see `lab.load`).
    cache_folder : str or Path, optional
        Folder for finished cells. A cell that is already in it is loaded instead of played, if its settings, the
        version of trueward and the code that plays it are the same.
    n_workers : int, optional
        Number of threads. Default: one per core.
    cluster : str, optional
        Address of a Dask scheduler, such as "tcp://scheduler:8786". Needs the extra `trueward[cluster]`.
    progress : bool
        Show a progress bar in terminals and notebooks, and lines on stderr elsewhere.
    **changes
        Top-level keys of the specification to override, such as `trials=100`.

    Returns
    -------
    Result

    Examples
    --------
    >>> from trueward import lab
    >>> coin = {"arms": {"name": "bernoulli", "p": [0.4, 0.6]}, "policies": {"uniform": "uniform"}, "horizon": 50}
    >>> result = lab.run(coin, trials=20, progress=False)
    >>> result.table["regret"].round(2).to_list()
    [4.77]
    """
    if isinstance(experiment, Experiment) and changes:
        names = ", ".join(changes)
        raise ParameterError(
            f"changes apply only to a specification, not to an Experiment; got {names}: pass them to lab.load instead"
        )
    loaded = experiment if isinstance(experiment, Experiment) else load(experiment, **changes)
    store = None if cache_folder is None else CellStore(Path(cache_folder))
    with open_executor(n_workers, cluster) as executor:
        if not progress:
            return run_experiments([loaded], store, executor)[0]
        games = sum(cell.games for cell in unplayed_cells([loaded], store))
        with progress_bar(Console(stderr=True), games) as report:
            return run_experiments([loaded], store, executor, report)[0]


def unplayed_cells(experiments: Sequence[Experiment], store: CellStore | None) -> list[Cell]:
    """Return the cells that are not stored yet."""
    cells = [cell for experiment in experiments for cell in experiment.cells]
    return cells if store is None else [cell for cell in cells if cell_key(cell) not in store]


def run_experiments(
    experiments: Sequence[Experiment],
    store: CellStore | None,
    executor: Executor | None,
    report: Report = lambda _, __: None,
) -> list[Result]:
    """Play the unplayed cells and return a result for each experiment."""
    on_cluster = type(executor).__module__.startswith("distributed")
    if on_cluster:
        _refuse_user_files(experiments)
    if store is not None:
        store.prepare()
    if not on_cluster:
        _compile(unplayed_cells(experiments, store), report)
    return [_run_experiment(experiment, store, executor, report) for experiment in experiments]


def _refuse_user_files(experiments: Sequence[Experiment]) -> None:
    for experiment in experiments:
        for cell in experiment.cells:
            if uses_user_file(cell.policies, cell.arms, cell.adversary):
                raise TruewardError(
                    f"{experiment.name} uses a Python file that the cluster does not have; run it without a cluster"
                )


def _compile(cells: list[Cell], report: Report) -> None:
    matches = [cell.match for cell in cells]
    warm_up(matches, progress=lambda done, total, name: report(f"{done} of {total} kinds of games{COMPILING}{name}", 0))


def _run_experiment(
    experiment: Experiment, store: CellStore | None, executor: Executor | None, report: Report
) -> Result:
    tables, timing = [], Timing()
    for cell in experiment.cells:
        key = "" if store is None else cell_key(cell)
        stored = None if store is None else store.read(key)
        if stored is not None:
            timing += Timing(loaded=1, loaded_seconds=stored.seconds)
        else:
            stored = _play_and_time(cell, f"{experiment.name}: {cell.label}", executor, report)
            timing += Timing(played=1, seconds=stored.seconds)
            if store is not None:
                store.write(key, stored)
        tables.append(stored.tables)
    return Result(experiment, tables, timing)


def _play_and_time(cell: Cell, label: str, executor: Executor | None, report: Report) -> StoredCell:
    start = time.perf_counter()
    tables = play_cell(cell, executor, lambda games, suffix="": report(label + suffix, games))
    return StoredCell(tables, time.perf_counter() - start)


def play_cell(cell: Cell, executor: Executor | None, report: Callable[..., None]) -> dict[str, pl.DataFrame]:
    """Play one cell and return its tables "trials" and "curves"."""
    finished = 0

    def on_progress(done: int, _: int) -> None:
        nonlocal finished
        report((done - finished) * len(cell.policies))
        finished = done

    report(0)
    games = play_match(cell.match, executor, on_progress, lambda policy: report(0, f"{COMPILING}{policy}"))
    return {"trials": trial_table(games), "curves": curve_table(games, cell.reference)}


@contextmanager
def open_executor(n_workers: int | None = None, cluster: str | None = None) -> Iterator[Executor | None]:
    """Yield an executor of threads or of a Dask cluster; None means one thread per core."""
    if cluster is not None:
        client = _dask_client(cluster)
        try:
            yield client.get_executor()
        finally:
            client.close()
    elif n_workers is not None:
        executor = ThreadPoolExecutor(n_workers)
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
        client = Client(address, timeout=SCHEDULER_TIMEOUT)  # type: ignore[no-untyped-call] # Dask is not typed
    except (OSError, ValueError) as error:
        raise TruewardError(f"no Dask scheduler answers at {address}: {error}") from None
    _wait_for_a_worker(client, address)
    return client


def _wait_for_a_worker(client: Any, address: str) -> None:
    if client.scheduler_info()["workers"]:
        return
    Console(stderr=True).print(
        f"waiting up to {WORKER_TIMEOUT:.0f} s for a worker to connect to {address}", markup=False
    )
    try:
        client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
    except TimeoutError:
        client.close()
        raise TruewardError(
            f"the Dask scheduler at {address} has no workers; start one with: dask worker {address}"
        ) from None


def write_tables(result: Result, folder: Path) -> list[Path]:
    """Write the tables of a result as Parquet and as CSV, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in ("trials", "curves"):
        table, file = getattr(result, name), folder / f"{result.experiment.name}-{name}"
        files += [file.with_name(f"{file.name}.parquet"), file.with_name(f"{file.name}.csv")]
        write_parquet(table, files[-2])
        files[-1].write_text(table.write_csv(), encoding="utf-8")
    return files
