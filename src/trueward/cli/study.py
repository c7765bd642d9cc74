"""The commands of a durable study: parse, call one method of `Study`, print."""

from pathlib import Path
from typing import Annotated, Any

import typer

from trueward.cli.one_line_errors import one_line_errors
from trueward.cli.study_corrections import app as corrections
from trueward.cli.study_options import (
    ACTOR,
    Database,
    Name,
    Rules,
    TheDecision,
    UniformShare,
    Window,
    json_of,
    opened,
    say_numbers,
)

HELP = (
    "Create and run a study stored in a database.\n\n"
    "Set TRUEWARD_DB to its address once, instead of giving --db each time. Set TRUEWARD_SECRET before you create a "
    "study, and whenever you use it, so that nobody without it can forge the log."
)

app = typer.Typer(no_args_is_help=True, help=HELP)


def described(policy: str, range: tuple[float, float] | None) -> Any:
    """Return a policy by its name, or by its description in JSON."""
    from trueward.serialization import from_plain

    description = json_of("--policy", policy) if policy.lstrip().startswith("{") else {"name": policy}
    return from_plain("policy", description | ({"range": list(range)} if range else {}))


@app.command()
@one_line_errors
def create(
    name: Name,
    db: Database,
    arm: Annotated[list[str], typer.Option(help="The name of an arm; may be repeated.")],
    policy: Annotated[str, typer.Option(help='A name, or JSON such as {"name": "ucb", "sigma": 1}.')] = "wary",
    range: Annotated[tuple[float, float] | None, typer.Option(help="The lowest and the highest rating.")] = None,
    horizon: Annotated[int | None, typer.Option(min=1, help="How many decisions are expected.")] = None,
    uniform_share: UniformShare = 0.0,
    window: Window = None,
    rule: Rules = None,
    one_arm: Annotated[
        bool, typer.Option("--one-arm", metavar="", help="Let each participant keep the first arm.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same choices.")] = 0,
    test: Annotated[bool, typer.Option("--test", metavar="", help="A test study, which may be deleted.")] = False,
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
        one_arm=one_arm,
        seed=seed,
        test=test,
        actor=ACTOR,
    )
    typer.echo(f"created {name}: {', '.join(arm)}; {plays}")
    for each in study.rules:
        typer.echo(f"rule: {each}{' (in words: to be applied by hand)' if isinstance(each, str) else ''}")
    study.close()


@app.command(name="import")
@one_line_errors
def import_file(
    name: Name,
    file: Annotated[Path, typer.Argument(help="A bandit's log (.json), or a pilot's table (.csv).")],
    db: Database,
    uniform_share: UniformShare = 0.0,
    window: Window = None,
) -> None:
    """Begin a study with a bandit's log, from JSON; or take a pilot's ratings into a study, from CSV.

    The table has the columns arm and reward, and may have participant, occasion and evidence (as JSON). The uniform
    share and the window are those of the study that begins with a bandit's log.
    """
    from trueward.live.bandit import Bandit
    from trueward.study.importing import rows_of
    from trueward.study.study import Study

    if file.suffix == ".csv":
        with opened(db, name) as study:
            say_numbers(study.import_ratings(rows_of(file)), "imported")
        return
    bandit = Bandit.from_dict(json_of(str(file), file.read_bytes()))
    with Study.from_bandit(db, name, bandit, actor=ACTOR, uniform_share=uniform_share, window=window) as study:
        typer.echo(f"created {name} with {study.decisions().height} decisions; {bandit.policy!r}")


@app.command(name="list")
@one_line_errors
def list_all(db: Database) -> None:
    """List the studies of a database."""
    from trueward.study.study import Study

    for study in Study.list(db):
        typer.echo(f"{study.name:30} {study.state:8} {study.asks:7} decisions{'  test' if study.test else ''}")


@app.command()
@one_line_errors
def show(name: Name, db: Database) -> None:
    """Show how many decisions each arm has, what became of them, and what is believed."""
    with opened(db, name) as study:
        typer.echo(f"{name}: {study.state}, head of the log {study.head}")
        for arm in study.summary():
            counts = (
                f"{arm.shown} shown, {arm.rated} rated, {arm.pending} pending, {arm.missing} missing, {arm.void} void"
            )
            typer.echo(f"{arm.arm}: {counts}{', retired' if arm.retired else ''}")
        typer.echo(str(study.explain()))


@app.command()
@one_line_errors
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
@one_line_errors
def tell(
    name: Name,
    number: TheDecision,
    reward: Annotated[float, typer.Argument(help="Its reward.")],
    db: Database,
    evidence: Annotated[str | None, typer.Option(help='What came with it, such as {"check": true}.')] = None,
) -> None:
    """Tell the reward of a decision."""
    with opened(db, name) as study:
        study.tell(number, reward, evidence=None if evidence is None else json_of("--evidence", evidence))


app.add_typer(corrections)


@app.command()
@one_line_errors
def export(name: Name, folder: Annotated[Path, typer.Argument(help="Where to.")], db: Database) -> None:
    """Write the log, the decisions and a codebook into a folder."""
    with opened(db, name) as study:
        for file in study.export(folder):
            typer.echo(f"wrote {file}")


@app.command()
@one_line_errors
def verify(name: Name, db: Database) -> None:
    """Check the chain of events, and compute every choice again; exit code 1 if something is wrong."""
    with opened(db, name) as study:
        found = study.verify()
    typer.echo(str(found))
    if not found.ok:
        raise typer.Exit(1)


@app.command()
@one_line_errors
def delete(name: Name, db: Database) -> None:
    """Delete a test study."""
    from trueward.study.study import Study

    Study.delete(db, name)
    typer.echo(f"deleted {name}")
