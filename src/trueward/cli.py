"""The command line: parse, call, print. Heavy imports happen inside the commands."""

from typing import Annotated

import typer

app = typer.Typer(help="Bandits that earn the true reward from contaminated feedback.", no_args_is_help=True)


@app.callback()
def trueward() -> None:
    """Bandits that earn the true reward from contaminated feedback."""


@app.command()
def reproduce(
    trials: Annotated[int, typer.Option(min=1, help="Games per policy and scenario.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same table.")] = 0,
) -> None:
    """Play the paper's setting and print the regret of every policy in every scenario."""
    from trueward.reproduction import print_table

    print_table(trials=trials, seed=seed)
