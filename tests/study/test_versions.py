"""A database file of every version before is brought to this one, and holds the same study."""

import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa

from trueward.study.database import connected

FILES = sorted((Path(__file__).parent / "versions").glob("*.db"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_an_earlier_version_is_brought_to_this_one(file, tmp_path, reopen):
    copy = shutil.copy(file, tmp_path / "ratings.db")
    study = reopen(f"sqlite:///{copy}")
    assert study.decisions()["status"].to_list() == ["rated"] * 3 + ["void"] + ["rated"] * 2 + ["pending"]
    assert study.decisions()["reward"].to_list() == [5, 2, 3, 4, 5, 1, None]
    assert study.ask(participant="p2").again
    study.tell(study.ask(participant="new"), 4)
    assert study.verify().ok
    with connected(f"sqlite:///{copy}") as database, database.read() as connection:
        assert {"api_key", "answered", "rate"} <= set(sa.inspect(connection).get_table_names())
        assert connection.exec_driver_sql("SELECT DISTINCT verified FROM participant").scalars().all() == [1]
