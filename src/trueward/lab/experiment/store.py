"""The store: finished cells on disk, found again by a key of everything that decides their numbers.

A cell's folder appears under its key by a rename once it is complete. A run that is killed loses only the cells in
progress, and the same command loads the others. A cell whose checksums do not match counts as not played.
"""

import hashlib
import io
import json
import pickle
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import polars as pl

from trueward import __version__
from trueward.errors import ParameterError, TruewardError
from trueward.game.match import checkpoints_of
from trueward.lab.experiment.code_digest import game_code_digest, has_parts, parts_of
from trueward.lab.experiment.fingerprint import fingerprint
from trueward.lab.experiment.specification import Cell

FORMAT = 2  # of a cell's folder; a cell in another format is never read
TABLES = ("trials", "curves")
MANIFEST = "cell.json"
STALE = 60.0  # seconds after which an unfinished folder counts as abandoned: writing takes far less

Tables = dict[str, pl.DataFrame]


def cell_key(cell: Cell) -> str:
    """Return a digest of the cell's objects, of trueward's version and of the code that plays the cell."""
    delay = [] if cell.delay.is_zero else [cell.delay, cell.count_pending]
    code = game_code_digest(cell.policies, cell.arms, cell.adversary, cell.horizon, *delay)
    try:
        objects = identity([cell.policies, cell.arms, cell.adversary, *delay])
    except RecursionError:
        raise TruewardError(
            "an object of the experiment contains itself, so its results cannot be stored; run without a cache folder"
        ) from None
    numbers = [cell.horizon, cell.trials, cell.seed, cell.shuffle_arms, checkpoints_of(cell.horizon).tolist()]
    settings = json.dumps([FORMAT, __version__, code, objects, cell.reference, numbers])
    return hashlib.sha256(settings.encode()).hexdigest()[:24]


def identity(thing: Any) -> Any:
    """Return an object as plain data, which is the same in every process for equal parameters and equal functions."""
    if thing is None or isinstance(thing, bool | int | float | str):
        return repr(thing)
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return [str(thing.dtype), thing.shape, hashlib.sha256(thing.tobytes()).hexdigest()]
    if isinstance(thing, Mapping):
        return ["mapping", [[identity(key), identity(value)] for key, value in thing.items()]]
    if isinstance(thing, Set):
        return ["set", sorted(json.dumps(identity(part)) for part in thing)]
    if isinstance(thing, FunctionType):
        return [_qualified_name(thing), fingerprint(thing), [identity(part) for part in parts_of(thing)]]
    if isinstance(thing, list | tuple) or has_parts(thing):
        return [_qualified_name(type(thing)), [identity(part) for part in parts_of(thing)]]
    return [_qualified_name(type(thing)), _pickle_digest(thing)]


def _pickle_digest(thing: Any) -> str:
    try:
        return hashlib.sha256(pickle.dumps(thing, protocol=5)).hexdigest()
    except Exception:  # any kind: pickling runs the code of the object
        raise ParameterError(
            f"{thing!r} cannot be pickled, so its results cannot be stored; run without a cache folder"
        ) from None


def _qualified_name(thing: type | Callable[..., Any]) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


@dataclass(frozen=True)
class StoredCell:
    """The tables of a finished cell, and the seconds that it took to play."""

    tables: Tables
    seconds: float


class CellStore:
    """A folder with finished cells, by their keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Check that the folder can be written, before anything is played, and remove what killed runs left."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise TruewardError(f"{self.folder}: the folder cannot be written: {error.strerror}") from None
        for part in self.folder.glob("*.part"):
            with suppress(FileNotFoundError):  # another run may remove it at the same time
                if time.time() - part.stat().st_mtime > STALE:
                    shutil.rmtree(part, ignore_errors=True)

    def __contains__(self, key: str) -> bool:
        return (self.folder / key / MANIFEST).is_file()

    def read(self, key: str) -> StoredCell | None:
        """Return a finished cell; None if it is missing or damaged."""
        folder = self.folder / key
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            if manifest["format"] != FORMAT or manifest["checksums"] != _checksums(folder):
                return None
            return StoredCell({name: pl.read_parquet(_file(folder, name)) for name in TABLES}, manifest["seconds"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def write(self, key: str, cell: StoredCell) -> None:
        """Store a finished cell; if another run was faster, its copy stays."""
        target = self.folder / key
        part = self.folder / f"{key}.{uuid.uuid4().hex[:12]}.part"
        try:
            part.mkdir(parents=True)
            for name, table in cell.tables.items():
                write_parquet(table, _file(part, name))
            manifest = {"format": FORMAT, "seconds": cell.seconds, "checksums": _checksums(part)}
            (part / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
            if self.read(key) is None:
                _rename(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _rename(part: Path, target: Path) -> None:
    """Rename a complete folder, replacing a damaged cell; if another run has just done so, leave its cell."""
    shutil.rmtree(target, ignore_errors=True)
    try:
        part.rename(target)
    except OSError:
        if not (target / MANIFEST).is_file():
            raise


def write_parquet(table: pl.DataFrame, file: Path) -> None:
    """Write a table; a full disk raises an `OSError`, as for every other file."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    file.write_bytes(buffer.getbuffer())


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.parquet"


def _checksums(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256(_file(folder, name).read_bytes()).hexdigest() for name in TABLES}
