"""The command that says what may be concluded: parse, call, print."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trueward.cli.one_line_errors import one_line_errors
from trueward.cli.study_options import ACTOR, Rules

if TYPE_CHECKING:
    from trueward.analysis.findings import Findings

PATIENCE = 2.0  # seconds after which whoever has no terminal is told what takes so long


@one_line_errors
def analyse(
    source: Annotated[str, typer.Argument(help="A table (ratings.csv), or a study's database: a file or its address.")],
    name: Annotated[str | None, typer.Argument(help="The study; may be left out if there is only one.")] = None,
    epsilon: Annotated[float, typer.Option(help="The share of each arm that may be bad.")] = 0.1,
    bad: Annotated[
        Literal["careless", "capped", "chosen"], typer.Option(help="How: at random, at most so many, or chosen ones.")
    ] = "careless",
    level: Annotated[float, typer.Option(help="The level of all intervals at once.")] = 0.95,
    scale: Annotated[
        tuple[float, float] | None, typer.Option(metavar="LOW HIGH", help="The lowest and the highest rating possible.")
    ] = None,
    rule: Rules = None,
    first: Annotated[bool, typer.Option("--first", help="Count the first decision of each participant alone.")] = False,
    floor: Annotated[
        float | None,
        typer.Option(help="The floor kept under the probabilities, for differences; a study knows its own."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for page, numbers and figures.")] = None,
) -> None:
    """Say what may be concluded from a study, or from a table of ratings, and write a page.

    The table has the columns arm and rating, and may have participant, probability, time, seconds and check. The rules
    of a study are those that were written down when it began, unless others are given.
    """
    from trueward.analysis.findings import find
    from trueward.analysis.page import steps, write_page

    told: dict[str, Any] = {
        "epsilon": epsilon,
        "bad": bad,
        "level": level,
        "scale": scale,
        "rules": rule or None,
        "first": first,
        "floor": floor,
    }
    with progress(steps()) as step, _opened(source, name) as (opened, called):
        findings = find(opened, **told, told=step)
        folder = out or Path("results") / f"analysis-{called}"
        page = write_page(folder, findings, name=called, command=_command(source, name, told), told=step)
    _say(findings)
    typer.echo(f"page: {page}")


@contextmanager
def _opened(source: str, name: str | None) -> Iterator[tuple[Any, str]]:
    """Give what is to be analysed, and what it is called."""
    from trueward.errors import ParameterError

    if name is None and "://" not in source and Path(source).suffix in (".csv", ".tsv", ".txt"):
        yield source, Path(source).stem
        return
    if "://" not in source and not Path(source).is_file():
        raise ParameterError(f"{source}: there is no such file")
    from trueward.study.study import Study

    url = source if "://" in source else f"sqlite:///{source}"
    names = [each.name for each in Study.list(url)]
    if name is None and len(names) != 1:
        raise ParameterError(f"{source} holds {', '.join(names) or 'no study'}: name one of them")
    with Study.open(url, name or names[0], actor=ACTOR) as study:
        yield study, name or names[0]


def _command(source: str, name: str | None, told: dict[str, Any]) -> str:
    """Return what to type for the same page again."""
    import shlex

    words = ["trueward", "analyse", source, *([name] if name else [])]
    for option in ("epsilon", "bad", "level"):
        words += [f"--{option}", str(told[option])]
    words += ["--scale", *(f"{end:g}" for end in told["scale"])] if told["scale"] else []
    words += ["--first"] if told["first"] else []
    words += ["--floor", f"{told['floor']:g}"] if told["floor"] is not None else []
    return shlex.join([*words, *(word for rule in told["rules"] or [] for word in ("--rule", rule))])


def _say(findings: "Findings") -> None:
    """Print the verdict, the leaderboard and the notes."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from trueward.analysis import words

    board, console = words.board(findings.analysis), Console()
    console.print(escape(findings.analysis.verdict), style="bold")
    table = Table(title=escape(findings.analysis.leaderboard.assumption))
    for place, head in enumerate(board.heads[:5]):
        table.add_column(head, justify="left" if place == 0 else "right")
    for row in board.rows:
        table.add_row(*map(escape, row[:5]))
    console.print(table)
    for check in words.checks(findings.analysis):
        sign = {True: "✓", False: "!", None: "·"}[check.good]
        console.print(escape(f"{sign} {check.name}: {check.found}"), highlight=False)
    if findings.analysis.exclusion is not None:
        console.print(escape(str(findings.analysis.exclusion)), highlight=False)


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Give a function that is told what is being done: a bar in a terminal, lines elsewhere if it takes long."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console, began = Console(stderr=True), time.monotonic()
    if not console.is_terminal:

        def say(words: str) -> None:
            if time.monotonic() - began > PATIENCE:
                console.print(words, highlight=False, markup=False)

        yield say
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=steps, completed=-1)
        yield lambda words: bar.update(task, description=words, advance=1)
