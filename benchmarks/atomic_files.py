"""Atomic replacement of files."""

from collections.abc import Callable
from pathlib import Path


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Write a temporary file beside `path` with `write`, then move it to `path`."""
    part = path.with_name(f".part-{path.name}")
    write(part)
    part.replace(path)


def replace_text(path: Path, text: str) -> None:
    """Replace a file by a text."""
    replace_file(path, lambda part: part.write_text(text))
