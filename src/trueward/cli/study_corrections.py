"""The commands with which researchers correct and conduct a study: parse, call one method of `Study`, print."""

from typing import Annotated

import typer

from trueward.cli.one_line_errors import add_command, one_line_errors
from trueward.cli.study_options import (
    Between,
    Database,
    Name,
    Numbers,
    Participant,
    Reason,
    TheArm,
    TheDecision,
    json_of,
    opened,
    say_numbers,
    which,
)

app = typer.Typer()


@app.command()
@one_line_errors
def amend(
    name: Name,
    number: TheDecision,
    reward: Annotated[float, typer.Argument(help="What the reward should have been.")],
    db: Database,
    reason: Reason,
) -> None:
    """Replace a reward by another, in its place."""
    with opened(db, name) as study:
        study.amend(number, reward, reason=reason)


def _add_correction(verb: str, done: str, words: str) -> None:
    """Add a command that lets decisions not count, or count again."""

    def correct(
        name: Name,
        db: Database,
        reason: Reason,
        number: Numbers = None,
        participant: Participant = None,
        between: Between = None,
    ) -> None:
        with opened(db, name) as study:
            say_numbers(getattr(study, verb)(**which(number, participant, between), reason=reason), done)

    add_command(app, verb, words, correct)


_add_correction(
    "void", "void", "Let decisions not count: by number, between two times, or all of a participant, later ones too."
)
_add_correction("restore", "restored", "Let void decisions count again, in their old places.")


@app.command()
@one_line_errors
def preview(
    name: Name, db: Database, number: Numbers = None, participant: Participant = None, between: Between = None
) -> None:
    """Show what void would change: estimates and the next allocation, with these decisions and without."""
    with opened(db, name) as study:
        found = study.preview_void(**which(number, participant, between))
    say_numbers(found.numbers, "would be void")
    before, after = found.before, found.after
    typer.echo(
        f"{found.ratings} of them rated; the best arm: {before.best or 'unknown'}, then {after.best or 'unknown'}"
    )
    for arm, estimate in before.estimates.items():
        p = f"{before.probabilities[arm]:.3g}, then {after.probabilities[arm]:.3g}"
        typer.echo(f"{arm}: estimate {estimate:.4g}, then {after.estimates[arm]:.4g}; next probability {p}")


@app.command()
@one_line_errors
def erase(
    name: Name, participant: Annotated[str, typer.Argument(help="Who.")], db: Database, reason: Reason = ""
) -> None:
    """Forget which participant a pseudonym belongs to, for good; what happened stays in the log."""
    with opened(db, name) as study:
        known = study.erase(participant=participant, reason=reason)
    typer.echo("erased" if known else f"{name} knows no such participant")


@app.command(name="add-arm")
@one_line_errors
def add_arm(
    name: Name,
    arm: TheArm,
    db: Database,
    payload: Annotated[str | None, typer.Option(help="What is to be shown, as JSON.")] = None,
) -> None:
    """Add an arm to a study that is under way."""
    with opened(db, name) as study:
        study.add_arm(arm, None if payload is None else json_of("--payload", payload))


@app.command(name="retire-arm")
@one_line_errors
def retire_arm(name: Name, arm: TheArm, db: Database, reason: Reason = "") -> None:
    """Show an arm no more."""
    with opened(db, name) as study:
        study.retire_arm(arm, reason=reason)


def _add_turn(verb: str, words: str) -> None:
    """Add a command that pauses, resumes or ends a study."""

    def turn(name: Name, db: Database, reason: Reason = "") -> None:
        with opened(db, name) as study:
            getattr(study, verb)(reason=reason)
            typer.echo(f"{name}: {study.state}")

    add_command(app, verb, words, turn)


_add_turn("pause", "Make no new decisions for now; rewards are still taken.")
_add_turn("resume", "Go on after a pause.")
_add_turn("end", "Make no new decisions any more; rewards are still taken.")
