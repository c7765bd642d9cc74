"""The command that writes a file to start from: a complete policy, estimator, adversary or arms."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import typer

from trueward.cli.one_line_errors import one_line_errors

KINDS = ("policy", "estimator", "adversary", "arms")


@one_line_errors
def new(
    kind: Annotated[Literal["policy", "estimator", "adversary", "arms"], typer.Argument(help="What to write.")],
    file: Annotated[Path, typer.Argument(help="The file to write, as mine.py. The class is named after the file.")],
) -> None:
    """Write a working template of a policy, estimator, adversary or arms, for you to change."""
    name = write_template(kind, file)
    typer.echo(f"wrote {file}; play it: python {file}")
    if kind == "policy":
        typer.echo(f"play it against everything: trueward arena --policy {file}:{name}")


def write_template(kind: str, path: Path) -> str:
    """Write a template, and return the name of the class in it."""
    from trueward.errors import ParameterError

    name = "".join(part.capitalize() for part in path.stem.split("_"))
    if path.suffix != ".py" or not name.isidentifier():
        raise ParameterError(f"the file must be named like a Python module, as in mine.py, got {path}")
    if path.exists():
        raise ParameterError(f"{path} exists already; choose another name")
    path.write_text(template(kind, name), encoding="utf-8")
    return name


def template(kind: str, name: str = "Mine") -> str:
    """Return the template of a kind, with its class under this name."""
    text = (files("trueward.cli") / "templates" / f"{kind}.py.template").read_text(encoding="utf-8")
    return text.replace("Mine", name)
