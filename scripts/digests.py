"""Check that a change moved no number: digests of every numeric column that a run wrote, and what two runs differ in.

    trueward reproduce --trials 100 --out build/before/reproduce
    trueward arena --trials 64 --out build/before/arena
    …                                                        make the change, and run both again into build/after
    python scripts/digests.py build/before                   one digest per table and column
    python scripts/digests.py build/before build/after       what differs; exit status 1 if anything does
    python scripts/digests.py build/before build/after --map renames.toml

Rows are matched by their text columns and by the numbers in KEYS. The map names what the change renamed:

    [files]                    # paths of tables, without their ending
    "reproduce/data/old" = "reproduce/data/new"
    [columns]                  # for every table
    law = "distribution"
    [values]                   # entries of text columns, such as policies, settings and scenarios
    "Old policy" = "New policy"

A column of the first run that the second one lacks, and that the map does not name, is a failure.
"""

import argparse
import hashlib
import sys
import tomllib
from pathlib import Path

import polars as pl
import polars.selectors as cs

KEYS = ("trial", "round", "value", "epsilon", "alpha", "sigma")  # numeric columns that identify a row
LEFT_OUT = "cells"  # results kept for a later run, under keys that change with the code

Renames = dict[str, dict[str, str]]


def tables(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the tables below a folder by their paths, without the ending."""
    files = sorted(file for file in folder.rglob("*.parquet") if LEFT_OUT not in file.relative_to(folder).parts)
    return {file.relative_to(folder).with_suffix("").as_posix(): pl.read_parquet(file) for file in files}


def digests(table: pl.DataFrame) -> dict[str, str]:
    """Return a digest of each numeric column, the same on every machine and for any order of rows."""
    ordered = table.sort(key_columns(table))
    return {
        name: hashlib.sha256(ordered[name].to_numpy().tobytes()).hexdigest()[:16]
        for name in table.select(cs.numeric()).columns
    }


def key_columns(table: pl.DataFrame) -> list[str]:
    """Return the columns that identify a row."""
    return [*table.select(~cs.numeric()).columns, *(name for name in table.columns if name in KEYS)]


def renamed(run: dict[str, pl.DataFrame], renames: Renames) -> dict[str, pl.DataFrame]:
    """Return the tables of a run under the names that the map gives to files, columns and text entries."""
    files, columns, values = (renames.get(kind, {}) for kind in ("files", "columns", "values"))
    return {
        files.get(file, file): table.with_columns(cs.string().replace(values)).rename(columns, strict=False)
        for file, table in run.items()
    }


def differences(before: pl.DataFrame, after: pl.DataFrame) -> list[str]:
    """Return one sentence per difference: missing columns, numbers that moved and by how much, missing rows."""
    missing = [name for name in before.columns if name not in after.columns]
    if missing:
        return [f"column {name!r} is gone, and the map has no entry for it" for name in missing]
    keys = key_columns(before)
    both = before.join(after, on=keys, how="inner", suffix=" after", nulls_equal=True)
    found = []
    for name in before.select(cs.numeric()).columns:
        if name not in keys:
            old, new = both[name], both[f"{name} after"]
            moved = both.filter(~old.eq_missing(new))
            if moved.height:
                largest = (moved[name] - moved[f"{name} after"]).abs().max()
                found.append(f"{name}: {moved.height} of {both.height} rows moved, by at most {largest:.3g}")
    for label, table in {"before": before, "after": after}.items():
        if table.height > both.height:
            found.append(f"{table.height - both.height} of {table.height} rows are there only {label}")
    return found


def compare(before: dict[str, pl.DataFrame], after: dict[str, pl.DataFrame]) -> int:
    """Print what differs between two runs, and return the number of tables that differ."""
    different = 0
    for file in sorted({*before, *after}):
        in_both = file in before and file in after
        found = differences(before[file], after[file]) if in_both else ["this table is in only one of the runs"]
        different += bool(found)
        sys.stdout.write(f"{file}: {'; '.join(found) or 'the same numbers'}\n")
    return different


def main(arguments: list[str]) -> int:
    """Print the digests of one run, or the differences between two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?")
    parser.add_argument("--map", type=Path, help="TOML file with renamed files, columns and values")
    given = parser.parse_args(arguments)
    before = tables(given.before)
    if given.after is None:
        for file, table in before.items():
            columns = (f"  {name:24}{digest}\n" for name, digest in digests(table).items())
            sys.stdout.write("".join([f"{file}\n", *columns]))
        return 0
    renames = tomllib.loads(given.map.read_text(encoding="utf-8")) if given.map else {}
    return int(compare(renamed(before, renames), tables(given.after)) > 0 or not before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
