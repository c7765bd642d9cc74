"""The commands of a durable study: parse, call one method of `Study`, print."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueward.cli.friendly import friendly

if TYPE_CHECKING:
    from trueward.study.study import Study

app = typer.Typer(no_args_is_help=True, help="A study that lasts: its events are kept in a database.")

ACTOR = "command line"
Name = Annotated[str, typer.Argument(help="The study.")]
Database = Annotated[
    str, typer.Option(envvar="TRUEWARD_DB", help="sqlite:///FILE or postgresql://…; or set TRUEWARD_DB.")
]
Reason = Annotated[str, typer.Option(help="Why, for the log.")]
Participant = Annotated[str | None, typer.Option(help="Whose decisions.")]
Numbers = Annotated[list[int] | None, typer.Option(min=1, help="A decision; may be repeated.")]


@contextmanager
def opened(db: str, name: str) -> "Iterator[Study]":
    """Give a study, and close it."""
    from trueward.study.study import Study

    with Study.open(db, name, actor=ACTOR) as study:
        yield study


def json_of(what: str, text: str) -> Any:
    """Return what a text says in JSON, or refuse it."""
    import json

    from trueward.errors import ParameterError

    try:
        return json.loads(text)
    except ValueError as error:
        raise ParameterError(f"{what} must be JSON, got {text!r}: {error}") from None


def described(policy: str, range: tuple[float, float] | None) -> Any:
    """Return a policy by its name, or by its description in JSON."""
    from trueward.game.descriptions import build

    description = json_of("--policy", policy) if policy.lstrip().startswith("{") else {"name": policy}
    return build("policy", description | ({"range": list(range)} if range else {}))


@app.command()
@friendly
def create(
    name: Name,
    db: Database,
    arm: Annotated[list[str], typer.Option(help="The name of an arm; may be repeated.")],
    policy: Annotated[str, typer.Option(help='A name, or JSON such as {"name": "ucb", "sigma": 1}.')] = "wary-thompson",
    range: Annotated[tuple[float, float] | None, typer.Option(help="The lowest and the highest rating.")] = None,
    horizon: Annotated[int | None, typer.Option(min=1, help="How many decisions are expected.")] = None,
    uniform_share: Annotated[float, typer.Option(min=0, max=1, help="Decisions drawn uniformly, a share.")] = 0.0,
    window: Annotated[str | None, typer.Option(help="When a decision without a reward is missing: 48h, 30min.")] = None,
    rule: Annotated[list[str] | None, typer.Option(help="A rule, written down in the log; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same choices.")] = 0,
    test: Annotated[bool, typer.Option("--test", help="A test study, which may be deleted.")] = False,
) -> None:
    """Begin a study; the database is made if there is none."""
    from trueward.study.study import Study

    plays = described(policy, range)
    study = Study.create(
        db,
        name,
        arm,
        policy=plays,
        horizon=horizon,
        uniform_share=uniform_share,
        window=window,
        rules=rule or (),
        seed=seed,
        test=test,
        actor=ACTOR,
    )
    study.close()
    typer.echo(f"created {name}: {', '.join(arm)}; {plays}")


@app.command(name="list")
@friendly
def list_all(db: Database) -> None:
    """List the studies of a database."""
    from trueward.study.study import Study

    for study in Study.list(db):
        typer.echo(f"{study.name:30} {study.state:8} {study.asks:7} decisions{'  test' if study.test else ''}")


@app.command()
@friendly
def show(name: Name, db: Database) -> None:
    """Show how many decisions each arm has, what became of them, and what is believed."""
    with opened(db, name) as study:
        typer.echo(f"{name}: {study.state}")
        for arm in study.summary():
            counts = (
                f"{arm.shown} shown, {arm.rated} rated, {arm.pending} pending, {arm.missing} missing, {arm.void} void"
            )
            typer.echo(f"{arm.arm}: {counts}{', retired' if arm.retired else ''}")
        typer.echo(str(study.explain()))


@app.command()
@friendly
def ask(
    name: Name,
    db: Database,
    participant: Annotated[str | None, typer.Option(help="Who is asked; the same again gets the same.")] = None,
    occasion: Annotated[str, typer.Option(help="Which of the participant's occasions.")] = "1",
) -> None:
    """Decide which arm to show."""
    with opened(db, name) as study:
        shown = study.ask(participant=participant, occasion=occasion)
    again = ", as before" if shown.again else ""
    typer.echo(f"decision {shown.number}: {shown.arm}, probability {shown.probability:.4g}{again}")


@app.command()
@friendly
def tell(
    name: Name,
    number: Annotated[int, typer.Argument(help="The decision.")],
    reward: Annotated[float, typer.Argument(help="Its reward.")],
    db: Database,
    evidence: Annotated[str | None, typer.Option(help='What came with it, such as {"check": true}.')] = None,
) -> None:
    """Tell the reward of a decision."""
    with opened(db, name) as study:
        study.tell(number, reward, evidence=None if evidence is None else json_of("--evidence", evidence))


@app.command()
@friendly
def amend(
    name: Name,
    number: Annotated[int, typer.Argument(help="The decision.")],
    reward: Annotated[float, typer.Argument(help="What the reward should have been.")],
    db: Database,
    reason: Reason,
) -> None:
    """Replace a reward by another, in its place."""
    with opened(db, name) as study:
        study.amend(number, reward, reason=reason)


@app.command()
@friendly
def void(name: Name, db: Database, reason: Reason, number: Numbers = None, participant: Participant = None) -> None:
    """Let decisions not count: some by number, or all of a participant, later ones too."""
    with opened(db, name) as study:
        gone = study.void(number=number or None, participant=participant, reason=reason)
    typer.echo(f"{len(gone)} void: {', '.join(map(str, gone)) or 'none'}")


@app.command()
@friendly
def restore(name: Name, db: Database, reason: Reason, number: Numbers = None, participant: Participant = None) -> None:
    """Let void decisions count again."""
    with opened(db, name) as study:
        back = study.restore(number=number or None, participant=participant, reason=reason)
    typer.echo(f"{len(back)} restored: {', '.join(map(str, back)) or 'none'}")


@app.command(name="add-arm")
@friendly
def add_arm(
    name: Name,
    arm: Annotated[str, typer.Argument(help="The arm.")],
    db: Database,
    payload: Annotated[str | None, typer.Option(help="What is to be shown, as JSON.")] = None,
) -> None:
    """Add an arm to a study that is under way."""
    with opened(db, name) as study:
        study.add_arm(arm, None if payload is None else json_of("--payload", payload))


@app.command(name="retire-arm")
@friendly
def retire_arm(
    name: Name, arm: Annotated[str, typer.Argument(help="The arm.")], db: Database, reason: Reason = ""
) -> None:
    """Show an arm no more."""
    with opened(db, name) as study:
        study.retire_arm(arm, reason=reason)


def _add_turn(verb: str, words: str) -> None:
    """Add a command that pauses, resumes or ends a study."""

    def turn(name: Name, db: Database, reason: Reason = "") -> None:
        with opened(db, name) as study:
            getattr(study, verb)(reason=reason)
            typer.echo(f"{name}: {study.state}")

    turn.__name__, turn.__doc__ = verb, words
    app.command()(friendly(turn))


_add_turn("pause", "Make no new decisions for now; rewards are still taken.")
_add_turn("resume", "Go on after a pause.")
_add_turn("end", "Make no new decisions any more; rewards are still taken.")


@app.command()
@friendly
def export(name: Name, folder: Annotated[Path, typer.Argument(help="Where to.")], db: Database) -> None:
    """Write the log, the decisions and a codebook into a folder."""
    with opened(db, name) as study:
        for file in study.export(folder):
            typer.echo(f"wrote {file}")


@app.command()
@friendly
def verify(name: Name, db: Database) -> None:
    """Check the chain of events, and compute every choice again; exit code 1 if something is wrong."""
    with opened(db, name) as study:
        found = study.verify()
    typer.echo(str(found))
    if not found.ok:
        raise typer.Exit(1)


@app.command()
@friendly
def delete(name: Name, db: Database) -> None:
    """Delete a test study."""
    from trueward.study.study import Study

    Study.delete(db, name)
    typer.echo(f"deleted {name}")
