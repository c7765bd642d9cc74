"""Finished cells on disk: each in a folder named after everything that decides its numbers.

The key is a digest of the cell's settings, of trueward's version and of the code that plays it. A cell appears by a
rename once it is complete, so that a run killed at any moment loses only the cells under way, and the same command
finds the others.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

import polars as pl

from trueward import __version__
from trueward.game.match import code_of
from trueward.lab.experiment.specification import Cell

TABLES = ("trials", "curves")


def cell_key(cell: Cell) -> str:
    """Return the digest of all that decides a cell's numbers."""
    code = code_of(cell.policies, cell.arms, cell.adversary, cell.horizon)
    settings = json.dumps([__version__, code, cell.described], sort_keys=True)
    return hashlib.sha256(settings.encode()).hexdigest()[:24]


class Store:
    """A folder of finished cells."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __contains__(self, cell: Cell) -> bool:
        return (self.folder / cell_key(cell)).is_dir()

    def read(self, cell: Cell) -> dict[str, pl.DataFrame]:
        """Return the tables of a finished cell."""
        return {name: pl.read_parquet(self.folder / cell_key(cell) / f"{name}.parquet") for name in TABLES}

    def write(self, cell: Cell, tables: dict[str, pl.DataFrame]) -> None:
        """Keep the tables of a finished cell."""
        done = self.folder / cell_key(cell)
        growing = self.folder / f"{done.name}.{os.getpid()}.part"
        shutil.rmtree(growing, ignore_errors=True)
        growing.mkdir(parents=True)
        for name in TABLES:
            tables[name].write_parquet(growing / f"{name}.parquet")
        if not done.exists():
            growing.rename(done)
