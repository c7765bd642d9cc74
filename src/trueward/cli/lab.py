"""Commands of the laboratory: reproduce, run, arena, examples and warm-up."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from trueward.cli.one_line_errors import one_line_errors

Seed = Annotated[int, typer.Option(min=0, help="Seed of the random numbers; the same seed gives the same results.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Number of threads. Default: one per core.")]
Cluster = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786. Needs trueward\\[cluster].")
]


@one_line_errors
def reproduce(
    trials: Annotated[int, typer.Option(min=1, help="Number of games per policy and setting.")] = 1000,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder for data, figures and report.")] = Path("results/reproduce"),
    figure: Annotated[int | None, typer.Option(min=1, max=5, help="Reproduce only this figure.")] = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", metavar="", help="Play 10 trials and draw standard deviations, as the paper does."),
    ] = False,
    workers: Workers = None,
    cluster: Cluster = None,
) -> None:
    """Reproduce the paper: play its experiments, draw its five figures and check the claims of its text."""
    from rich.console import Console

    from trueward.lab.paper.reproduce import reproduce as run
    from trueward.lab.paper.terminal import ledger_text, regrets_text

    console = Console()
    outcome = run(
        out,
        trials=trials,
        seed=seed,
        figure=figure,
        paper=paper,
        n_workers=workers,
        cluster=cluster,
        console=console,
    )
    console.print(ledger_text(outcome.ledger), "", regrets_text(outcome.results), sep="\n")
    typer.echo(f"report: {outcome.report}")


@one_line_errors
def run(
    experiment: Annotated[Path, typer.Argument(help="A TOML file, or the name of an example.")],
    trials: Annotated[
        int | None, typer.Option(min=1, help="Number of games per policy and setting. Default: as in the file.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the random numbers. Default: as in the file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for data, figures and report. Default: results/NAME.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
) -> None:
    """Run your own experiment, and write its tables, chart and report."""
    from rich.console import Console

    from trueward.lab.experiment.example_files import example_file
    from trueward.lab.experiment.result import result_table
    from trueward.lab.experiment.specification import load
    from trueward.lab.paper.reproduce import run_and_report
    from trueward.reporting.number_table import rich_table

    is_example = not experiment.exists() and not experiment.suffix
    changes = {key: value for key, value in {"trials": trials, "seed": seed}.items() if value is not None}
    loaded = load(example_file(str(experiment)) if is_example else experiment, **changes)
    console = Console()
    folder = out or Path("results") / loaded.name
    outcome = run_and_report((loaded,), folder, n_workers=workers, cluster=cluster, console=console)
    console.print(rich_table(result_table(outcome.results[loaded.name])))
    typer.echo(f"report: {outcome.report}")


@one_line_errors
def arena(
    size: Annotated[
        Literal["quick", "full"], typer.Option(help="The full arena has more scenarios, policies and games.")
    ] = "quick",
    trials: Annotated[
        int | None,
        typer.Option(min=1, help="Number of games per policy and scenario. Default: 128 (quick) or 500 (full)."),
    ] = None,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder for data, images and page.")] = Path("results/arena"),
    policy: Annotated[
        list[str] | None, typer.Option(help="Your own policy, such as mine.py:MyPolicy. Can be repeated.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Play only this policy, in addition to your own. Can be repeated."),
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(help="Play only this scenario, or this group of scenarios. Can be repeated."),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
) -> None:
    """Play every policy against a suite of attacks, and print the standings."""
    from rich.console import Console

    from trueward.lab.arena import run_arena
    from trueward.lab.arena.arena_page import standings_table

    console = Console()
    result = run_arena(
        out,
        size=size,
        trials=trials,
        seed=seed,
        policies=policy or (),
        only=only or (),
        scenarios=scenario or (),
        n_workers=workers,
        cluster=cluster,
        console=console,
    )
    console.print(standings_table(result.standings, width=console.width))
    for winner in result.standings.winners():
        typer.echo(str(winner))
    typer.echo(f"page: {result.page}")


@one_line_errors
def examples(
    name: Annotated[str | None, typer.Argument(help="The example to copy. Without a name, all are listed.")] = None,
    to: Annotated[Path, typer.Option(help="Folder to copy the example to.")] = Path(),
) -> None:
    """List the experiments that come with the package, or copy one to start from."""
    from trueward.lab.experiment.example_files import copy_example, example_file, example_names
    from trueward.lab.experiment.specification import load

    if name is not None:
        typer.echo(f"copied to {copy_example(name, to)}")
        return
    for each in example_names():
        typer.echo(f"{each:22} {load(example_file(each)).title}")


@one_line_errors
def warm_up(
    target: Annotated[
        Literal["plan", "reproduce", "arena", "all"],
        typer.Argument(help="The command whose games to compile: plan, reproduce, arena, or all of them."),
    ] = "all",
) -> None:
    """Compile games ahead of time, so that the first run of a command is fast."""
    from rich.console import Console

    from trueward.lab.warm_up import warm_up as run
    from trueward.planning.make import warm_up as warm_up_plan

    if target in ("plan", "all"):
        warm_up_plan(Console())
    if target != "plan":
        run(target, Console())
