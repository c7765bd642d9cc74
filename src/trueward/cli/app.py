"""The command line. Heavy imports happen inside the commands, so that --help is fast."""

from typing import Annotated

import typer

from trueward.cli import catalogue, lab
from trueward.cli.analyse import analyse
from trueward.cli.demo import demo
from trueward.cli.new import new
from trueward.cli.one_line_errors import add_command
from trueward.cli.people import user_app
from trueward.cli.plan import plan
from trueward.cli.service import key_app, serve
from trueward.cli.study import app as study_app

STUDIES, EXPERIMENTS, REFERENCE = "Studies", "Experiments", "Policies, adversaries, estimators"

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

app.command(rich_help_panel=STUDIES)(plan)
app.add_typer(study_app, name="study", rich_help_panel=STUDIES)
app.add_typer(key_app, name="key", rich_help_panel=STUDIES)
app.add_typer(user_app, name="user", rich_help_panel=STUDIES)
app.command(rich_help_panel=STUDIES)(serve)
app.command(rich_help_panel=STUDIES)(demo)
app.command(rich_help_panel=STUDIES)(analyse)
app.command(rich_help_panel=EXPERIMENTS)(lab.reproduce)
app.command(rich_help_panel=EXPERIMENTS)(lab.run)
app.command(rich_help_panel=EXPERIMENTS)(lab.arena)
app.command(rich_help_panel=EXPERIMENTS)(lab.examples)
app.command(name="warm-up", rich_help_panel=EXPERIMENTS)(lab.warm_up)
for kind, help_text in {
    "policies": "List the policies.",
    "adversaries": "List the adversaries, and the values that contaminated rewards take.",
    "estimators": "List the estimators.",
    "arms": "List the distributions of true rewards.",
    "delays": "List the distributions of delays.",
}.items():
    add_command(app, kind, help_text, catalogue.list_command(kind), rich_help_panel=REFERENCE)
app.command(rich_help_panel=REFERENCE)(catalogue.show)
app.command(rich_help_panel=REFERENCE)(new)


def _print_version(requested: bool) -> None:
    if requested:
        from trueward import __version__

        typer.echo(f"trueward {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Bandits that earn the true reward from contaminated feedback."""
