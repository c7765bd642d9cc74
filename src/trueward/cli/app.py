"""The command line: parse, call, print. Heavy imports happen inside the commands, so that --help is fast."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from trueward.cli.analyse import analyse
from trueward.cli.demo import demo
from trueward.cli.friendly import add_command, friendly
from trueward.cli.people import user_app
from trueward.cli.plan import plan
from trueward.cli.service import key_app, serve
from trueward.cli.study import app as study_app

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

app.command()(plan)
app.add_typer(study_app, name="study")
app.add_typer(key_app, name="key")
app.add_typer(user_app, name="user")
app.command()(serve)
app.command()(demo)

Trials = Annotated[int | None, typer.Option(min=1, help="Games per policy; else what the experiment says.")]
Seed = Annotated[int | None, typer.Option(min=0, help="The same seed gives the same numbers.")]
Out = Annotated[Path | None, typer.Option(help="Folder for data, figures and report.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Threads; as many as there are cores if left out.")]
Cluster = Annotated[str | None, typer.Option(help="Address of a Dask scheduler, tcp://…; needs trueward\\[cluster].")]


def _say_version(wanted: bool) -> None:
    if wanted:
        from trueward import __version__

        typer.echo(f"trueward {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version and stop.")
    ] = False,
) -> None:
    """Bandits that earn the true reward from contaminated feedback."""


@app.command()
@friendly
def reproduce(
    trials: Annotated[int, typer.Option(min=1, help="Games per policy.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for data, figures and report.")] = Path("results/reproduce"),
    figure: Annotated[int | None, typer.Option(min=1, max=5, help="Only this figure.")] = None,
    paper: Annotated[bool, typer.Option("--paper", help="The paper's 10 trials and standard-deviation bars.")] = False,
    workers: Workers = None,
    cluster: Cluster = None,
) -> None:
    """Play every experiment of the paper, draw its five figures, and check every claim of its text."""
    from rich.console import Console

    from trueward.lab.paper.reproduce import reproduce as run
    from trueward.lab.paper.terminal import REGRETS, ledger_text, regret_tables

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
    console.print(ledger_text(outcome.ledger), "", REGRETS, "", *regret_tables(outcome.results), sep="\n")
    typer.echo(f"report: {outcome.report}")


@app.command()
@friendly
def run(
    experiment: Annotated[Path, typer.Argument(help="A TOML file, or the name of an example.")],
    trials: Trials = None,
    seed: Seed = None,
    out: Out = None,
    workers: Workers = None,
    cluster: Cluster = None,
) -> None:
    """Play an experiment of your own, with sweeps, and write its tables, chart and report."""
    from rich.console import Console

    from trueward.lab.experiment.examples import example_file
    from trueward.lab.experiment.result_table import result_table
    from trueward.lab.experiment.specification import load
    from trueward.lab.paper.reproduce import run_and_report

    by_name = not experiment.exists() and not experiment.suffix
    changes = {key: value for key, value in {"trials": trials, "seed": seed}.items() if value is not None}
    loaded = load(example_file(str(experiment)) if by_name else experiment, **changes)
    console = Console()
    folder = out or Path("results") / loaded.name
    outcome = run_and_report((loaded,), folder, n_workers=workers, cluster=cluster, console=console)
    console.print(result_table(outcome.results[loaded.name]))
    typer.echo(f"report: {outcome.report}")


@app.command()
@friendly
def arena(
    scale: Annotated[
        Literal["quick", "full"], typer.Option(help="quick, or full: more scenarios, policies and trials.")
    ] = "quick",
    trials: Annotated[int | None, typer.Option(min=1, help="Games per policy and scenario; else 128 or 500.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for data, images and page.")] = Path("results/arena"),
    policy: Annotated[list[str] | None, typer.Option(help="Your own, as mine.py:MyPolicy; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Beside yours only this policy; may be repeated.")] = None,
    scenarios: Annotated[
        list[str] | None, typer.Option(help="Only this group, or this scenario as on the page; may be repeated.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
) -> None:
    """Play every policy against a whole suite of attacks, and print who stands where."""
    from rich.console import Console

    from trueward.lab.arena import run_arena
    from trueward.lab.arena.page import standings_table

    console = Console()
    outcome = run_arena(
        out,
        scale=scale,
        trials=trials,
        seed=seed,
        policies=policy or (),
        only=only or (),
        among=scenarios or (),
        n_workers=workers,
        cluster=cluster,
        console=console,
    )
    console.print(standings_table(outcome.standings, width=console.width))
    for verdict in outcome.standings.verdicts():
        typer.echo(str(verdict))
    typer.echo(f"page: {outcome.page}")


app.command()(analyse)


@app.command()
@friendly
def examples(
    name: Annotated[str | None, typer.Argument(help="The example to copy; all are listed if left out.")] = None,
    to: Annotated[Path, typer.Option(help="Folder to copy it to.")] = Path(),
) -> None:
    """List the experiments that come with the package, or copy one as a starting point."""
    from trueward.lab.experiment.examples import copy_example, example_file, example_names
    from trueward.lab.experiment.specification import load

    if name is not None:
        typer.echo(f"copied to {copy_example(name, to)}")
        return
    for each in example_names():
        typer.echo(f"{each:20} {load(example_file(each)).title}")


def _add_list(kind: str, words: str) -> None:
    """Add a command that lists what there is of a kind."""

    def list_entries() -> None:
        from trueward.cli.catalogue import entries

        for name, line in entries(kind):
            typer.echo(f"{name:22} {line}")

    add_command(app, kind, words, list_entries)


_add_list("policies", "List the policies.")
_add_list("adversaries", "List the adversaries, and the values they show.")
_add_list("estimators", "List the estimators.")
_add_list("arms", "List the laws of true rewards.")
_add_list("delays", "List the delays after which rewards come.")


@app.command()
@friendly
def show(
    name: Annotated[str, typer.Argument(help="A policy, adversary, estimator, scheme of values, arms or delay.")],
) -> None:
    """Show a formula, its parameters with defaults, what it withstands, and the reference."""
    from trueward.cli.catalogue import find, page_of, parameters_of

    for role, cls in find(name):
        typer.echo(f"{name} ({role})\n\n{page_of(cls)}\n")
        for parameter, kind, default in parameters_of(cls):
            typer.echo(f"  {parameter:14} {kind:40} {default}")
        typer.echo("")


@app.command()
@friendly
def new(
    kind: Annotated[Literal["policy", "estimator", "adversary", "arms"], typer.Argument(help="What to begin.")],
    file: Annotated[Path, typer.Argument(help="The file to write, as in mine.py; its name names the class.")],
) -> None:
    """Write a file with a policy, an estimator, an adversary or arms of your own, complete, to be changed."""
    from trueward.cli.new import write_template

    name = write_template(kind, file)
    typer.echo(f"wrote {file}: python {file} plays it")
    if kind == "policy":
        typer.echo(f"trueward arena --policy {file}:{name} lets it play against everything")


@app.command(name="warm-up")
@friendly
def warm_up(
    what: Annotated[
        Literal["live", "plan", "reproduce", "arena", "all"],
        typer.Argument(help="live: the default policy behind a study; plan: what a plan plays."),
    ] = "all",
) -> None:
    """Compile beforehand what is compiled at first use, so that nothing waits for it later."""
    from rich.console import Console

    from trueward.lab.warm_up import warm_up as run
    from trueward.planning.make import warm_up as warm_up_plan

    if what in ("plan", "all"):
        warm_up_plan(Console())
    if what != "plan":
        run(what, Console())
