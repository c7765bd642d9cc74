"""The command `trueward analyse`: parse, call, print."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trueward.cli.one_line_errors import one_line_errors
from trueward.cli.study_options import ACTOR, Rules

if TYPE_CHECKING:
    from trueward.analysis.text import AnalysisReport

QUIET_SECONDS = 2.0  # before progress is printed, without a terminal


@one_line_errors
def analyse(
    source: Annotated[
        str, typer.Argument(help="A table of ratings (ratings.csv), or the database of a study: a file or a URL.")
    ],
    name: Annotated[
        str | None, typer.Argument(help="Name of the study. Not needed if the database has only one.")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Share of each arm's participants who may be bad.")] = 0.1,
    bad: Annotated[
        Literal["careless", "capped", "chosen"],
        typer.Option(
            help="Model of bad participants. careless: each with probability at most epsilon; "
            "capped: at most that share; chosen: at most that share, selected by true rating."
        ),
    ] = "careless",
    level: Annotated[float, typer.Option(help="Confidence level of all intervals together.")] = 0.95,
    scale: Annotated[
        tuple[float, float] | None, typer.Option(metavar="LOW HIGH", help="Lowest and highest possible rating.")
    ] = None,
    rule: Rules = None,
    first: Annotated[
        bool, typer.Option("--first", metavar="", help="Include only the first decision of each participant.")
    ] = False,
    floor: Annotated[
        float | None,
        typer.Option(
            help="Guaranteed minimum assignment probability, for differences. Known automatically for a study."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the page, the numbers and the figures.")] = None,
) -> None:
    """Analyse a study or a table of ratings, print the verdict, and write a page.

    The table has the columns arm and rating, and may have participant, probability, time, seconds and check. The rules
    of a study are those that were fixed when it began, unless you pass --rule.
    """
    from trueward.analysis.page import count_steps, write_page
    from trueward.analysis.text import make_report

    options: dict[str, Any] = {
        "epsilon": epsilon,
        "bad": bad,
        "level": level,
        "scale": scale,
        "rules": rule or None,
        "first": first,
        "floor": floor,
    }
    with progress(count_steps()) as on_step, _open_source(source, name) as (opened, title):
        report = make_report(opened, **options, on_step=on_step)
        folder = out or Path("results") / f"analysis-{title}"
        page = write_page(folder, report, name=title, command=_command(source, name, options), on_step=on_step)
    _print(report)
    typer.echo(f"page: {page}")


@contextmanager
def _open_source(source: str, name: str | None) -> Iterator[tuple[Any, str]]:
    """Yield the file or the study to analyse, and its name."""
    from trueward.errors import ParameterError

    if name is None and "://" not in source and Path(source).suffix in (".csv", ".tsv", ".txt"):
        yield source, Path(source).stem
        return
    if "://" not in source and not Path(source).is_file():
        raise ParameterError(f"{source}: the file does not exist")
    from trueward.study.study import Study

    url = source if "://" in source else f"sqlite:///{source}"
    names = [each.name for each in Study.list(url)]
    if name is None and len(names) != 1:
        raise ParameterError(f"{source} holds {', '.join(names) or 'no study'}: name one of them")
    with Study.open(url, name or names[0], actor=ACTOR) as study:
        yield study, name or names[0]


def _command(source: str, name: str | None, options: dict[str, Any]) -> str:
    """Return the command that writes the same page again."""
    import shlex

    arguments = ["trueward", "analyse", source, *([name] if name else [])]
    for option in ("epsilon", "bad", "level"):
        arguments += [f"--{option}", str(options[option])]
    arguments += ["--scale", *(f"{bound:g}" for bound in options["scale"])] if options["scale"] else []
    arguments += ["--first"] if options["first"] else []
    arguments += ["--floor", f"{options['floor']:g}"] if options["floor"] is not None else []
    return shlex.join([*arguments, *(argument for rule in options["rules"] or [] for argument in ("--rule", rule))])


def _print(report: "AnalysisReport") -> None:
    """Print the verdict, the leaderboard and the results of the checks."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from trueward.analysis import text

    analysis, console = report.analysis, Console()
    board = text.leaderboard_table(analysis)
    console.print(escape(analysis.verdict), style="bold")
    table = Table(title=escape(analysis.leaderboard.assumption))
    for place, name in enumerate(board.header[:5]):
        table.add_column(name, justify="left" if place == 0 else "right")
    for row in board.rows:
        table.add_row(*map(escape, row[:5]))
    console.print(table)
    for check in text.check_results(analysis):
        symbol = {True: "✓", False: "!", None: "·"}[check.passed]
        console.print(escape(f"{symbol} {check.name}: {check.text}"), highlight=False)
    if analysis.exclusion is not None:
        console.print(escape(str(analysis.exclusion)), highlight=False)


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current step: a bar in a terminal, and lines elsewhere if it takes long."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console, began = Console(stderr=True), time.monotonic()
    if not console.is_terminal:

        def print_step(step: str) -> None:
            if time.monotonic() - began > QUIET_SECONDS:
                console.print(step, highlight=False, markup=False)

        yield print_step
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=steps, completed=-1)
        yield lambda step: bar.update(task, description=step, advance=1)
