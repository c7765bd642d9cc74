"""Files that are there as a whole or not at all."""

from collections.abc import Callable
from pathlib import Path


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` write a file beside `path`, then put it in its place."""
    part = path.with_name(f".part-{path.name}")
    write(part)
    part.replace(path)


def replace_text(path: Path, text: str) -> None:
    """Put a text into the place of a file."""
    replace(path, lambda part: part.write_text(text))
