"""The script that says whether a change moved a number."""

import polars as pl
import pytest

import loading


@pytest.fixture
def runs(tmp_path):
    """Return two folders with the same numbers, in another order."""
    table = pl.DataFrame({"policy": ["a", "a", "b"], "trial": [0, 1, 0], "regret": [1.0, 2.0, None]})
    for name, rows in {"before": table, "after": table.reverse()}.items():
        (tmp_path / name / "arena" / "cells").mkdir(parents=True)
        rows.write_parquet(tmp_path / name / "arena" / "shares.parquet")
        pl.DataFrame({"x": [name]}).write_parquet(tmp_path / name / "arena" / "cells" / f"{name}.parquet")
    return tmp_path / "before", tmp_path / "after"


def test_the_same_numbers_have_the_same_digests_in_any_order(runs, capsys):
    script = loading.script("digests")
    one, other = ([script.digests(table) for table in script.tables(folder).values()] for folder in runs)
    assert one == other
    assert [*one[0]] == ["trial", "regret"]
    assert script.main([str(folder) for folder in runs]) == 0
    assert capsys.readouterr().out == "arena/shares.parquet: the same numbers\n"


def test_a_number_that_moved_and_a_row_that_is_gone_are_named(runs, capsys):
    script = loading.script("digests")
    file = runs[1] / "arena" / "shares.parquet"
    rows = pl.read_parquet(file).with_columns(regret=pl.col("regret") + pl.Series([0.0, 0.0, 1e-9]))
    rows[1:].write_parquet(file)
    assert script.main([str(folder) for folder in runs]) == 1
    words = capsys.readouterr().out
    assert "regret: 1 of 2 rows moved, by at most 1e-09" in words
    assert "1 of 3 rows are there only before" in words
