"""Finished cells on disk: each in a folder named after everything that decides its numbers.

The key is a digest of the cell's objects, of trueward's version and of the code that plays it. A cell appears by a
rename once it is complete, so that a run killed at any moment loses only the cells under way, and the same command
finds the others. Beside its tables stand their checksums: a cell that is damaged counts as not played.
"""

import hashlib
import io
import json
import shutil
import tempfile
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from trueward import __version__
from trueward.errors import TruewardError
from trueward.game.identity import identity
from trueward.game.match import checkpoints_of, code_of
from trueward.lab.experiment.specification import Cell

FORMAT = 2  # of a cell's folder; cells of another are never read
TABLES = ("trials", "curves")
MANIFEST = "cell.json"
STALE = 60.0  # seconds after which an unfinished folder belongs to nobody: tables are written in far less

Tables = dict[str, pl.DataFrame]


def cell_key(cell: Cell) -> str:
    """Return the digest of all that decides a cell's numbers."""
    late = [] if cell.delay.is_zero else [cell.delay, cell.count_pending]
    code = code_of(cell.policies, cell.arms, cell.adversary, cell.horizon, *late)
    try:
        objects = identity([cell.policies, cell.arms, cell.adversary, *late])
    except RecursionError:
        raise TruewardError("an object of the experiment holds itself, so its games cannot be kept") from None
    numbers = [cell.horizon, cell.trials, cell.seed, cell.shuffle_arms, checkpoints_of(cell.horizon).tolist()]
    settings = json.dumps([FORMAT, __version__, code, objects, cell.reference, numbers])
    return hashlib.sha256(settings.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Kept:
    """A finished cell: its tables, and how long it took to play."""

    tables: Tables
    seconds: float


class Store:
    """A folder of finished cells, by their keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Make sure that cells can be kept, before any is played, and clear away what a killed run left."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise TruewardError(f"{self.folder}: nothing can be written there: {error.strerror}") from None
        for part in self.folder.glob("*.part"):
            with suppress(FileNotFoundError):  # another run clears it away as well
                if time.time() - part.stat().st_mtime > STALE:
                    shutil.rmtree(part, ignore_errors=True)

    def __contains__(self, key: str) -> bool:
        return (self.folder / key / MANIFEST).is_file()

    def read(self, key: str) -> Kept | None:
        """Return a finished cell; None if there is none, or it is damaged."""
        folder = self.folder / key
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            if manifest["format"] != FORMAT or manifest["checksums"] != _checksums(folder):
                return None
            return Kept({name: pl.read_parquet(_table(folder, name)) for name in TABLES}, manifest["seconds"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def write(self, key: str, kept: Kept) -> None:
        """Keep a finished cell; if another run was faster, its copy stays."""
        done = self.folder / key
        growing = self.folder / f"{key}.{uuid.uuid4().hex[:12]}.part"
        try:
            growing.mkdir(parents=True)
            for name, table in kept.tables.items():
                write_parquet(table, _table(growing, name))
            manifest = {"format": FORMAT, "seconds": kept.seconds, "checksums": _checksums(growing)}
            (growing / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
            if self.read(key) is None:
                _rename(growing, done)
        finally:
            shutil.rmtree(growing, ignore_errors=True)


def _rename(growing: Path, done: Path) -> None:
    """Let a cell appear, in place of a damaged one; give way to another run that did so just now."""
    shutil.rmtree(done, ignore_errors=True)
    try:
        growing.rename(done)
    except OSError:
        if not (done / MANIFEST).is_file():
            raise


def write_parquet(table: pl.DataFrame, file: Path) -> None:
    """Write a table; a full disk is an `OSError`, as for every other file."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    file.write_bytes(buffer.getbuffer())


def _table(folder: Path, name: str) -> Path:
    return folder / f"{name}.parquet"


def _checksums(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256(_table(folder, name).read_bytes()).hexdigest() for name in TABLES}
