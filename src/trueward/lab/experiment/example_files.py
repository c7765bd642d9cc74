"""The experiments that come with the package: the paper's figures, and the choices that the paper leaves open."""

import shutil
from importlib.resources import files
from pathlib import Path

from trueward.errors import ParameterError, did_you_mean

FOLDER = Path(str(files("trueward.lab") / "experiments"))


def example_names() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def example_file(name: str) -> Path:
    if name not in example_names():
        hint = did_you_mean(name, example_names()) or f"; there are {', '.join(example_names())}"
        raise ParameterError(f"there is no example {name!r}{hint}")
    return FOLDER / f"{name}.toml"


def copy_example(name: str, folder: Path) -> Path:
    """Copy an example into a folder, without overwriting anything, and return the copy."""
    target = folder / f"{name}.toml"
    if target.exists():
        raise ParameterError(f"{target} exists already; nothing was copied")
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(example_file(name), target))
