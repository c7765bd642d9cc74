"""A file to start from: a policy, an estimator, an adversary or arms of one's own, complete, to be changed."""

from importlib.resources import files
from pathlib import Path

from trueward.errors import ParameterError

KINDS = ("policy", "estimator", "adversary", "arms")


def template(kind: str, name: str = "Mine") -> str:
    """Return a complete file that defines something of a kind under a name."""
    text = (files("trueward.cli") / "templates" / f"{kind}.py.template").read_text(encoding="utf-8")
    return text.replace("Mine", name)


def write_template(kind: str, path: Path) -> str:
    """Write a file to start from, and return the name of the class in it: that of the file."""
    name = "".join(part.capitalize() for part in path.stem.split("_"))
    if path.suffix != ".py" or not name.isidentifier():
        raise ParameterError(f"the file must be named like a Python module, as in mine.py, got {path}")
    if path.exists():
        raise ParameterError(f"there is a file {path} already; choose another name")
    path.write_text(template(kind, name), encoding="utf-8")
    return name
