"""The commands of the service: run it, and make, list and revoke its keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueward.cli.one_line_errors import one_line_errors
from trueward.cli.study_options import Database, tables_of

if TYPE_CHECKING:
    import sqlalchemy as sa

key_app = typer.Typer(no_args_is_help=True, help="Manage API keys; a key is shown once and stored as a hash.")
OfStudy = Annotated[str | None, typer.Option("--study", help="Of one study; of all if left out.")]


@one_line_errors
def serve(
    db: Database,
    host: Annotated[str | None, typer.Option(help="The address to listen at; 127.0.0.1 if left out.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="The port; 8000 if left out.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that answer; 1 if left out.")] = None,
    hosts: Annotated[list[str] | None, typer.Option("--name", help="A name under which it is called.")] = None,
    patience: Annotated[str | None, typer.Option(help="How long a stop waits for what was accepted: 30s.")] = None,
) -> None:
    """Serve the studies of a database over HTTP; keys are made with trueward key create.

    Everything can be set in the environment, as TRUEWARD_PORT; the docs list what there is.
    """
    from trueward.serve.needs import need_serve

    need_serve()
    from trueward.serve.run import run
    from trueward.serve.settings import Settings

    flags: dict[str, Any] = {"db": db, "host": host, "port": port, "workers": workers, "patience": patience}
    run(Settings.from_environment(hosts=tuple(hosts) if hosts else None, **flags))


@key_app.command()
@one_line_errors
def create(
    db: Database,
    study: OfStudy = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="What it is for: decide, reward, read, void, manage; may be repeated.")
    ] = None,
    origin: Annotated[
        list[str] | None, typer.Option(help="A page that may use it, https://…; makes it a browser key.")
    ] = None,
    signed_only: Annotated[
        bool,
        typer.Option("--signed-only", metavar="", help="A browser key: only for participants whom your server signed."),
    ] = False,
    per_minute: Annotated[int | None, typer.Option(min=0, help="The most decisions per minute; 0: any number.")] = None,
    expires: Annotated[str | None, typer.Option(help="After which it is of no use: 90d, 12h.")] = None,
    label: Annotated[str, typer.Option(help="What it is called in lists.")] = "",
) -> None:
    """Make a key, and print it: it cannot be shown again."""
    from trueward.serve import keys

    with _writing(db) as connection:
        _, text = keys.create(
            connection,
            study=study,
            scopes=scope or (),
            origins=origin or (),
            signed_only=signed_only,
            per_minute=per_minute,
            expires=expires,
            label=label,
        )
    typer.echo(text)


@key_app.command(name="list")
@one_line_errors
def list_all(db: Database, study: OfStudy = None) -> None:
    """List the keys, without their secrets."""
    from trueward.serve import keys

    with _writing(db) as connection:
        for key in keys.list_keys(connection, study):
            whose = f"{key.study or 'all studies'}: {' '.join(sorted(key.scopes))} {' '.join(key.origins)}"
            until = f", until {key.expires_at[:16]}" if key.expires_at else ""
            typer.echo(f"{key.id}  {key.kind:6}  {key.state:8} {whose.strip()}{until}  {key.label}".rstrip())


@key_app.command()
@one_line_errors
def revoke(key: Annotated[str, typer.Argument(help="Its id, as in the list.")], db: Database) -> None:
    """Let a key be of no use, from now on."""
    from trueward.serve import keys

    with _writing(db) as connection:
        keys.revoke(connection, key)
    typer.echo(f"revoked {key}")


@contextmanager
def _writing(db: str) -> "Iterator[sa.Connection]":
    with tables_of(db) as database, database.write() as connection:
        yield connection
