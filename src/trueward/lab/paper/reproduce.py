"""Reproduce the paper: every experiment, the five figures, the claims, the report."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from trueward import __version__
from trueward.lab.experiment.example_files import example_file, example_names
from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.result import Result, Timing
from trueward.lab.experiment.runner import open_executor, run_experiments, unplayed_cells, write_tables
from trueward.lab.experiment.specification import Experiment, load
from trueward.lab.experiment.store import CellStore
from trueward.lab.paper.judge import judge
from trueward.lab.paper.ledger import Ledger
from trueward.lab.paper.report import write_report
from trueward.reporting.labels import count

PAPER_TRIALS = 10
PREFIXES = ("figure", "readings")  # of the paper's experiments


@dataclass(frozen=True)
class Outcome:
    """The results of a run, the ledger, and the file of the report."""

    results: dict[str, Result]
    ledger: Ledger
    report: Path


def reproduce(
    out: Path,
    *,
    trials: int,
    seed: int,
    figure: int | None = None,
    paper: bool = False,
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Outcome:
    """Play the paper's experiments, or those of one figure; judge the claims; write data, figures and report.

    Parameters
    ----------
    out : Path
        Folder for data, figures and report. Finished cells are kept there and not played again.
    trials, seed : int
        Games per policy, and the seed of all of them.
    figure : int, optional
        Only this figure, and the claims that it can decide.
    paper : bool
        Play the paper's 10 trials and draw its standard-deviation bars.
    n_workers, cluster : optional
        Threads, or the address of a Dask scheduler.
    console : Console
        Shows the progress.
    """
    prefixes = PREFIXES if figure is None else f"figure{figure}"
    names = [name for name in example_names() if name.startswith(prefixes)]
    games = PAPER_TRIALS if paper else trials
    experiments = tuple(load(example_file(name), trials=games, seed=seed) for name in names)
    return _run_and_report(
        experiments, out, judged=names, paper=paper, n_workers=n_workers, cluster=cluster, console=console
    )


def run_and_report(
    experiments: tuple[Experiment, ...],
    out: Path,
    *,
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Outcome:
    """Play experiments and write data, charts and report into `out`, with the claims that the paper's own decide."""
    judged = [experiment.name for experiment in experiments if is_unchanged_example(experiment)]
    return _run_and_report(experiments, out, judged=judged, n_workers=n_workers, cluster=cluster, console=console)


def is_unchanged_example(experiment: Experiment) -> bool:
    """Return whether an experiment is one of the package's, with any trials and seed.

    A changed copy says nothing about the paper.
    """
    if experiment.name not in example_names():
        return False
    cell = experiment.cells[0]
    example = load(example_file(experiment.name), trials=cell.trials, seed=cell.seed)
    return [each.settings for each in experiment.cells] == [each.settings for each in example.cells]


def _run_and_report(
    experiments: tuple[Experiment, ...],
    out: Path,
    *,
    judged: Collection[str],
    paper: bool = False,
    n_workers: int | None,
    cluster: str | None,
    console: Console,
) -> Outcome:
    store = CellStore(out / "cells")
    cells = [cell for experiment in experiments for cell in experiment.cells]
    to_play = unplayed_cells(experiments, store)
    games = sum(cell.games for cell in to_play)
    with progress_bar(console, games) as report, open_executor(n_workers, cluster) as executor:
        results = {r.experiment.name: r for r in run_experiments(experiments, store, executor, report)}
    for result in results.values():
        write_tables(result, out / "data")
    ledger = judge({name: result for name, result in results.items() if name in judged})
    if ledger.entries:
        ledger.write(out / "claims.json")
    settings = {
        "trials": max(cell.trials for cell in cells),
        "seed": cells[0].seed,
        "version": __version__,
        "run time": sum((result.timing for result in results.values()), Timing()),
    }
    if len(to_play) < len(cells):
        settings["loaded"] = f"{len(cells) - len(to_play)} of {count(len(cells), 'cell')}"
    console.print("drawing figures and writing the report")
    return Outcome(results, ledger, write_report(out, results, ledger, settings, paper=paper))
