"""The paper with one command: every experiment, the five figures, the claims, the report."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from trueward import __version__
from trueward.lab.experiment.examples import example_file, example_names
from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.result import Effort, Result
from trueward.lab.experiment.runner import Plan, run_plan, save, workers
from trueward.lab.experiment.specification import Experiment, load
from trueward.lab.experiment.store import Store
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
    plan = Plan(experiments, Store(out / "cells"))
    kept = len(plan.cells) - len(plan.open_cells)
    with progress_bar(console, plan.open_games) as report, workers(n_workers, cluster) as executor:
        played = {result.experiment.name: result for result in run_plan(plan, executor, report)}
    for result in played.values():
        save(result, out / "data")
    ledger = judge(played)
    if ledger.entries:
        ledger.write(out / "claims.json")
    settings = {
        "trials": max(cell.trials for cell in plan.cells),
        "seed": plan.cells[0].seed,
        "version": __version__,
        "run time": sum((result.effort for result in played.values()), Effort()),
    }
    if kept:
        settings["kept from before"] = f"{kept} of {count(len(plan.cells), 'cell')}"
    console.print("drawing figures and writing the report")
    return Outcome(played, ledger, write_report(out, played, ledger, settings, paper=paper))
