"""Did a change move a number? Digests of every numeric column that a run left, and which rows of two runs differ.

    trueward reproduce --trials 100 --out build/before/reproduce
    trueward arena --trials 64 --out build/before/arena
    …                                                        the change, and the same again into build/after
    python scripts/digests.py build/before build/after

With one folder it prints a digest for each table and column; with two, what differs, and it fails if anything does.
Rows are matched by the columns that hold text; of those that only one of the runs has, it says how many.
"""

import hashlib
import sys
from pathlib import Path

import polars as pl
import polars.selectors as cs

KEYS = ("trial", "round", "value", "epsilon", "alpha", "sigma")  # numbers that say which row it is
KEPT_ASIDE = "cells"  # what a run has finished, under keys that change with the code


def tables(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the tables of all runs in a folder, by their files."""
    files = sorted(file for file in folder.rglob("*.parquet") if KEPT_ASIDE not in file.relative_to(folder).parts)
    return {file.relative_to(folder).as_posix(): pl.read_parquet(file) for file in files}


def digests(table: pl.DataFrame) -> dict[str, str]:
    """Return a digest of each numeric column; one of the same numbers is the same on every machine."""
    ordered = table.sort(keys_of(table))
    return {
        name: hashlib.sha256(ordered[name].to_numpy().tobytes()).hexdigest()[:16]
        for name in table.select(cs.numeric()).columns
    }


def keys_of(table: pl.DataFrame) -> list[str]:
    """Return the columns that say which row it is."""
    return [*table.select(~cs.numeric()).columns, *(name for name in table.columns if name in KEYS)]


def differences(before: pl.DataFrame, after: pl.DataFrame) -> list[str]:
    """Return in words which columns of a table differ, in how many rows, and by how much at most."""
    keys = keys_of(before)
    both = before.join(after, on=keys, how="inner", suffix=" after", nulls_equal=True)
    words = []
    for name in before.select(cs.numeric()).columns:
        if name not in keys and name in after.columns:
            old, new = both[name], both[f"{name} after"]
            moved = both.filter(~old.eq_missing(new))
            if moved.height:
                largest = (moved[name] - moved[f"{name} after"]).abs().max()
                words.append(f"{name}: {moved.height} of {both.height} rows moved, by at most {largest:.3g}")
    for label, table in {"before": before, "after": after}.items():
        if table.height > both.height:
            words.append(f"{table.height - both.height} of {table.height} rows are there only {label}")
    return words


def main(folders: list[str]) -> int:
    """Print the digests of one folder, or what differs between two."""
    before, *others = (tables(Path(folder)) for folder in folders)
    if not others:
        for file, table in before.items():
            columns = (f"  {name:24}{digest}\n" for name, digest in digests(table).items())
            sys.stdout.write("".join([f"{file}\n", *columns]))
        return 0
    after, moved = others[0], 0
    for file in sorted({*before, *after}):
        both = file in before and file in after
        words = differences(before[file], after[file]) if both else ["is there only once"]
        moved += bool(words)
        sys.stdout.write(f"{file}: {'; '.join(words) or 'the same numbers'}\n")
    return int(moved > 0 or not before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
