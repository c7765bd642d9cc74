"""What the commands of a study share: their options, and how they read what is given."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from trueward.study.database import Database as TheDatabase
    from trueward.study.study import Study

ACTOR = "command line"
Name = Annotated[str, typer.Argument(help="The study.")]
Database = Annotated[
    str, typer.Option(envvar="TRUEWARD_DB", help="sqlite:///FILE or postgresql://…; or set TRUEWARD_DB.")
]
Reason = Annotated[str, typer.Option(help="Why, for the log.")]
Participant = Annotated[str | None, typer.Option(help="Whose decisions.")]
Numbers = Annotated[list[int] | None, typer.Option(min=1, help="A decision; may be repeated.")]
Between = Annotated[
    tuple[str, str] | None, typer.Option(metavar="START END", help="Asked between two times: 2026-05-04T09:00, UTC.")
]
UniformShare = Annotated[float, typer.Option(min=0, max=1, help="Decisions drawn uniformly, a share.")]
Window = Annotated[str | None, typer.Option(help="When a decision without a reward is missing: 48h, 30min.")]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        help="Exclusion rule: 'check failed', 'faster than 2 s', 'run above 8'. Other text is noted, not applied. "
        "Can be repeated."
    ),
]
TheArm = Annotated[str, typer.Argument(help="The arm.")]
TheDecision = Annotated[int, typer.Argument(help="The decision.")]


@contextmanager
def opened(db: str, name: str) -> "Iterator[Study]":
    """Give a study, and close it."""
    from trueward.study.study import Study

    with Study.open(db, name, actor=ACTOR) as study:
        yield study


@contextmanager
def tables_of(db: str) -> "Iterator[TheDatabase]":
    """Give a database with its tables, made or updated if need be."""
    from trueward.study import opening

    with opening.tables_of(db, new=True) as database:
        yield database


def json_of(what: str, text: str | bytes) -> Any:
    """Return what a text says in JSON, or refuse it."""
    import json

    from trueward.errors import ParameterError

    try:
        return json.loads(text)
    except ValueError as error:
        raise ParameterError(f"{what} must be JSON, got {text[:60]!r}: {error}") from None


def which(number: list[int] | None, participant: str | None, between: tuple[str, str] | None) -> dict[str, Any]:
    """Return which decisions are meant, as `Study.void` takes it."""
    ends = None if between is None else (_time(between[0]), _time(between[1]))
    return {"number": number or None, "participant": participant, "between": ends}


def _time(text: str) -> Any:
    from datetime import UTC, datetime

    from trueward.errors import ParameterError

    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ParameterError(f"--between must be two times such as 2026-05-04T09:00, got {text!r}") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def say_numbers(numbers: tuple[int, ...], words: str) -> None:
    """Say which decisions were meant."""
    typer.echo(f"{len(numbers)} {words}: {', '.join(map(str, numbers)) or 'none'}")
