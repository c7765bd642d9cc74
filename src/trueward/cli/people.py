"""The commands for the people of the dashboard: add them, and make the links with which they sign in."""

from typing import Annotated, Literal

import typer

from trueward.cli.one_line_errors import one_line_errors
from trueward.cli.study_options import Database, tables_of

user_app = typer.Typer(no_args_is_help=True, help="Manage dashboard users, who sign in with one-time links.")
Who = Annotated[str, typer.Argument(help="What the person is called, here and in the log.")]
Url = Annotated[str, typer.Option(envvar="TRUEWARD_URL", help="Where the service is called, for the link.")]


@user_app.command()
@one_line_errors
def add(
    name: Who,
    db: Database,
    role: Annotated[Literal["viewer", "editor"], typer.Option(help="An editor may change studies too.")] = "editor",
    url: Url = "http://127.0.0.1:8000",
) -> None:
    """Add a person, and print the link with which they sign in, once, within a day."""
    from trueward.serve.dashboard.people import add_person

    with tables_of(db) as database:
        _say_link(url, add_person(database, name, role))


@user_app.command()
@one_line_errors
def link(name: Who, db: Database, url: Url = "http://127.0.0.1:8000") -> None:
    """Print a new link; older ones of this person do not work any more."""
    from trueward.serve.dashboard.people import new_link

    with tables_of(db) as database:
        _say_link(url, new_link(database, name))


@user_app.command(name="list")
@one_line_errors
def list_all(db: Database) -> None:
    """List the people."""
    from trueward.serve.dashboard.people import everybody

    with tables_of(db) as database:
        for person in everybody(database):
            typer.echo(f"{person.name:30} {person.role}")


@user_app.command()
@one_line_errors
def remove(name: Who, db: Database) -> None:
    """Remove a person, who is signed out everywhere at once; what they did stays in the logs."""
    from trueward.serve.dashboard.people import remove_person

    with tables_of(db) as database:
        remove_person(database, name)
    typer.echo(f"removed {name}")


def _say_link(url: str, held: str) -> None:
    typer.echo(f"{url.rstrip('/')}/dashboard/sign-in/{held}")
