"""The command that plans a study: parse, call `plan`, print, write the page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trueward.cli.one_line_errors import one_line_errors

if TYPE_CHECKING:
    from rich.table import Table

    from trueward.planning.plan import Plan

Scale = Annotated[tuple[float, float] | None, typer.Option(help="The lowest and the highest rating.")]
NumberOfArms = Annotated[int | None, typer.Option(min=2, help="How many arms.")]
NamedArms = Annotated[list[str] | None, typer.Option("--arm", help="Or the name of one; repeated.")]
Difference = Annotated[float | None, typer.Option(help="The smallest difference that matters, in points.")]
PilotFile = Annotated[
    Path | None, typer.Option(help="CSV with the columns arm, rating and perhaps participant, seconds, check.")
]


@one_line_errors
def plan(
    scale: Scale = None,
    arms: NumberOfArms = None,
    arm: NamedArms = None,
    difference: Difference = None,
    participants: Annotated[int, typer.Option(min=4, help="How many are planned.")] = 300,
    careless: Annotated[str | None, typer.Option(help="A share such as 0.1, or a profile: 'university class'.")] = None,
    delay: Annotated[int, typer.Option(min=0, help="Participants asked before an answer comes, on average.")] = 0,
    uniform_share: Annotated[float, typer.Option(min=0, max=1, help="Decisions drawn uniformly, a share.")] = 0.1,
    mean: Annotated[float | None, typer.Option(help="Mean rating of the other arms; else 60 % up the scale.")] = None,
    sd: Annotated[float | None, typer.Option(help="Spread of ratings of one arm; else 30 % of the scale.")] = None,
    ratings: Annotated[int | None, typer.Option(min=2, help="Values on the scale; else the whole numbers.")] = None,
    pilot: PilotFile = None,
    sensitivity: Annotated[
        float | None, typer.Option(help="Share of the careless that a check finds; a third.")
    ] = None,
    bad: Annotated[
        Literal["careless", "capped", "chosen"], typer.Option(help="What the interval allows for.")
    ] = "careless",
    level: Annotated[float, typer.Option(help="Of the interval.")] = 0.95,
    wanted: Annotated[float, typer.Option(help="Wanted chance to end on the best arm.")] = 0.9,
    games: Annotated[int, typer.Option(min=1, help="Studies played with each policy.")] = 256,
    rehearse: Annotated[bool, typer.Option(metavar="", help="Play it under attack as well.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for page, figures and data.")] = Path("results/plan"),
) -> None:
    """Simulate a study in advance: sample size, choice of policy, and effect of attacks."""
    import shlex
    import sys
    import time

    from rich.console import Console

    from trueward.game.delays import GeometricDelay
    from trueward.planning.make import plan as make
    from trueward.planning.page import write_plan

    start = time.perf_counter()
    made = make(
        scale=scale,
        arms=arm or arms,
        difference=difference,
        participants=participants,
        careless=_careless(careless),
        delay=GeometricDelay(delay) if delay else 0,
        uniform_share=uniform_share,
        mean=mean,
        sd=sd,
        ratings=ratings,
        pilot=pilot,
        sensitivity=sensitivity,
        bad=bad,
        level=level,
        wanted=wanted,
        games=games,
        rehearse=rehearse,
        seed=seed,
    )
    command = shlex.join(["trueward", *sys.argv[1:]])
    page = write_plan(out, made, command=command, seconds=time.perf_counter() - start)
    Console().print(_table(made))
    typer.echo(f"{made}\npage: {page}")


def _careless(given: str | None) -> Any:
    """Return a share, or the name of a profile."""
    try:
        return None if given is None else float(given)
    except ValueError:
        return given


def _table(made: "Plan") -> "Table":
    """Return the chances for a terminal."""
    from rich import box
    from rich.table import Table

    table = Table(title="Chances, with 95 % Monte-Carlo intervals", box=box.SIMPLE_HEAD)
    table.add_column("policy")
    for head in ("participants", "ends on the best arm", "points lost", "interval decides"):
        table.add_column(head, justify="right")
    for row in made.table().sort("participants", maintain_order=True).iter_rows(named=True):
        ends = [
            f"{100 * row[n]:.0f} % [{100 * row[f'{n}_low']:.0f}, {100 * row[f'{n}_high']:.0f}]"
            for n in ("best", "decides")
        ]
        table.add_row(row["policy"], f"{row['participants']:,}", ends[0], f"{row['lost']:.1f}", ends[1])
    return table
