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


def test_digests_do_not_depend_on_the_order_of_rows(runs, capsys):
    script = loading.script("digests")
    one, other = ([script.digests(table) for table in script.tables(folder).values()] for folder in runs)
    assert one == other
    assert [*one[0]] == ["trial", "regret"]
    assert script.main([str(folder) for folder in runs]) == 0
    assert capsys.readouterr().out == "arena/shares: the same numbers\n"


def test_digests_name_changed_numbers_and_missing_rows(runs, capsys):
    script = loading.script("digests")
    file = runs[1] / "arena" / "shares.parquet"
    rows = pl.read_parquet(file).with_columns(regret=pl.col("regret") + pl.Series([0.0, 0.0, 1e-9]))
    rows[1:].write_parquet(file)
    assert script.main([str(folder) for folder in runs]) == 1
    words = capsys.readouterr().out
    assert "regret: 1 of 2 rows moved, by at most 1e-09" in words
    assert "1 of 3 rows are there only before" in words


def test_digests_with_a_map_follow_renamed_files_columns_and_values(runs, tmp_path, capsys):
    script = loading.script("digests")
    old = runs[1] / "arena" / "shares.parquet"
    new = pl.read_parquet(old).rename({"regret": "mean_regret"}).with_columns(pl.col("policy").replace({"a": "ucb"}))
    new.write_parquet(old.with_name("standings.parquet"))
    old.unlink()
    renames = tmp_path / "renames.toml"
    renames.write_text('[files]\n"arena/shares" = "arena/standings"\n[values]\na = "ucb"\n')
    command = [*map(str, runs), "--map", str(renames)]
    assert script.main(command) == 1
    assert "column 'regret' is gone, and the map has no entry for it" in capsys.readouterr().out
    renames.write_text(renames.read_text() + '[columns]\nregret = "mean_regret"\n')
    assert script.main(command) == 0
    assert capsys.readouterr().out == "arena/standings: the same numbers\n"
