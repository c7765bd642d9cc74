"""The paper with one command: every experiment, the five figures, the claims, the report."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from trueward import __version__
from trueward.lab.experiment.example_files import example_file, example_names
from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.result import Result, Timing
from trueward.lab.experiment.runner import open_cells, open_executor, run_experiments, write_tables
from trueward.lab.experiment.specification import Experiment, load
from trueward.lab.experiment.store import CellStore
from trueward.lab.paper.claims import judge
from trueward.lab.paper.ledger import Ledger
from trueward.lab.paper.report import write_report
from trueward.reporting.labels import count

PAPER_TRIALS = 10
OF_THE_PAPER = ("figure", "choices")


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind."""

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
    """Play the paper's experiments, or those of one figure; judge the claims; write data, figures and report."""
    wanted = OF_THE_PAPER if figure is None else f"figure{figure}"
    names = [name for name in example_names() if name.startswith(wanted)]
    games = PAPER_TRIALS if paper else trials
    experiments = tuple(load(example_file(name), trials=games, seed=seed) for name in names)
    return run_and_report(experiments, out, paper=paper, n_workers=n_workers, cluster=cluster, console=console)


def run_and_report(
    experiments: tuple[Experiment, ...],
    out: Path,
    *,
    paper: bool = False,
    n_workers: int | None = None,
    cluster: str | None = None,
    console: Console,
) -> Outcome:
    """Play experiments, keeping finished cells in `out`, and write data, figures and report there."""
    store = CellStore(out / "cells")
    cells = [cell for experiment in experiments for cell in experiment.cells]
    to_play = open_cells(experiments, store)
    loaded = len(cells) - len(to_play)
    games = sum(cell.games for cell in to_play)
    with progress_bar(console, games) as report, open_executor(n_workers, cluster) as executor:
        played = {r.experiment.name: r for r in run_experiments(experiments, store, executor, report)}
    for result in played.values():
        write_tables(result, out / "data")
    ledger = judge(played)
    if ledger.entries:
        ledger.write(out / "claims.json")
    settings = {
        "trials": max(cell.trials for cell in cells),
        "seed": cells[0].seed,
        "version": __version__,
        "run time": sum((result.timing for result in played.values()), Timing()),
    }
    if loaded:
        settings["loaded"] = f"{loaded} of {count(len(cells), 'cell')}"
    console.print("drawing figures and writing the report")
    return Outcome(played, ledger, write_report(out, played, ledger, settings, paper=paper))
