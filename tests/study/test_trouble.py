"""Databases in trouble: a clear error of one line, nothing half done, and it works again afterwards."""

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

import trueward as tw
from trueward.errors import StorageError
from trueward.study import database as module
from trueward.study.memory import Memory


@pytest.fixture
def before_each():
    """Return a way to execute a statement at the beginning of every transaction of a study, for a while."""

    def troubled(study, statement):
        engine = study._database._writer
        listener = lambda connection: connection.exec_driver_sql(statement)  # noqa: E731 - it is removed by identity
        sa.event.listen(engine, "begin", listener)
        return lambda: (sa.event.remove(engine, "begin", listener), engine.dispose())

    return troubled


@pytest.mark.parametrize(
    ("statement", "words"),
    [("PRAGMA max_page_count = 1", "has no space left on its disk"), ("PRAGMA query_only = ON", "is read-only")],
)
def test_a_full_or_read_only_disk_is_said_and_nothing_half_done(sqlite, create, rate, before_each, statement, words):
    study = create(sqlite)
    rate(study, 3)
    good_again = before_each(study, statement)
    with pytest.raises(StorageError, match=words):
        rate(study, 500, first=4)  # the file has some room left
    good_again()
    known = study.decisions().height
    assert study.ask(participant="after").number == known + 1
    assert study.verify().ok


def test_a_locked_database_is_said_and_works_again(sqlite, create, monkeypatch):
    monkeypatch.setattr(module, "WAIT", 0.05)
    study = create(sqlite)
    other = sqlite3.connect(sqlite.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="is locked by another process"):
        study.ask(participant="p1")
    assert study.decisions().height == 0  # readers wait for nobody
    other.execute("ROLLBACK")
    other.close()
    assert study.ask(participant="p1").number == 1


def test_a_vanished_file_is_said_and_works_again_when_it_is_back(sqlite, create, rate):
    study = create(sqlite)
    rate(study, 2)
    study._database._hang_up()  # the file is moved as a whole
    file = Path(sqlite.removeprefix("sqlite:///"))
    file.rename(file.with_suffix(".away"))
    with pytest.raises(StorageError, match="has vanished"):
        study.ask(participant="p1")
    assert not file.exists()
    file.with_suffix(".away").rename(file)
    assert study.ask(participant="p1").again


def test_a_connection_to_a_file_that_vanished_while_it_was_used_does_not_come_back(tmp_path):
    file = tmp_path / "ratings.db"
    counted = sa.text("SELECT count(*) FROM sqlite_master")
    with module.connected(f"sqlite:///{file}") as database:
        with database.write() as connection:
            connection.exec_driver_sql("CREATE TABLE old (x)")
        with database.write() as connection:
            assert connection.execute(counted).scalar_one() == 1
            for path in tmp_path.iterdir():
                path.unlink()
            with pytest.raises(StorageError, match="has vanished"), database.read():
                pass
        with database.write() as connection:  # what is there now is another file, an empty one
            assert connection.execute(counted).scalar_one() == 0


def test_what_is_no_database_is_refused(tmp_path, reopen):
    file = tmp_path / "notes.db"
    file.write_text("no database at all, but a text that is long enough to be looked at" * 20)
    with pytest.raises(StorageError, match="is not a database"):
        reopen(f"sqlite:///{file}")
    with pytest.raises(StorageError, match="there is no database"):
        reopen(f"sqlite:///{tmp_path}/nowhere.db")
    with pytest.raises(StorageError, match="cannot be opened"):
        tw.Study.create(f"sqlite:///{tmp_path}/no/such/folder.db", "s", ["a"], policy=tw.UCB(sigma=1))
    for wrong, words in (
        ("ratings.db", "such as sqlite:///"),
        ("sqlite://", "a file"),
        ("mysql://x/y", "of sqlite or"),
    ):
        with pytest.raises(tw.ParameterError, match=words):
            reopen(wrong)


def test_a_server_that_is_not_there_is_said(tmp_path, reopen):
    with pytest.raises(StorageError, match=r"the database postgresql.* failed: .*No such file"):
        reopen(f"postgresql://nobody@/none?host={tmp_path}")


def test_connections_that_a_server_ended_are_made_anew(server, postgresql, create):
    study = create(postgresql)
    study.ask(participant="p1")
    engine = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        connection.execute(sa.text(f"{end} AND backend_type = 'client backend'"))
    engine.dispose()
    assert study.ask(participant="p1").again
    assert study.ask(participant="p2").number == 2


def test_a_server_that_goes_away_is_said_and_nothing_is_lost_when_it_is_back(own_server, create, rate):
    server, url = own_server
    study = create(url, policy=tw.BetaThompson((1, 5)))
    rate(study, 5)
    answered, said, away = {}, [], threading.Event()

    def work(i):
        while True:
            try:
                shown = study.ask(participant=f"later {i}")
                study.tell(shown, 1 + i % 5)
                answered[shown.number] = 1.0 + i % 5
                return
            except StorageError as error:
                said.append(str(error))
                away.set()
                time.sleep(0.05)

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(work, i) for i in range(80)]
        server.stop()
        while not all(done.done() for done in asked) and not away.wait(0.05):
            pass
        for verb in (lambda: study.ask(participant="p9"), lambda: study.void(number=1, reason="odd"), study.decisions):
            with pytest.raises(StorageError, match="the database postgresql"):
                verb()
        server.ensure_postgres_running()
        for done in asked:
            done.result(60)
    assert [words for words in said if not words.startswith("the database postgresql") or "\n" in words] == []
    table = study.decisions()
    told = dict(table.select("number", "reward").rows())
    assert table["number"].to_list() == list(range(1, 86))
    assert {number: told[number] for number in answered} == answered
    assert study.void(number=1, reason="odd") == (1,)
    assert study.verify().ok


def test_a_failed_commit_leaves_nothing_and_the_memory_is_built_anew(url, create, rate):
    study = create(url)
    rate(study, 3)
    before = study.estimates()

    def fail(_):
        raise sqlite3.OperationalError("disk I/O error")

    sa.event.listen(study._database._writer, "commit", fail)
    with pytest.raises(StorageError, match="disk I/O error"):
        study.tell(study.ask(participant="new"), 5)
    sa.event.remove(study._database._writer, "commit", fail)
    assert study.decisions().height == 3
    assert study.estimates() == before
    assert study.ask(participant="new").number == 4
    assert study.verify().ok


def test_one_refused_request_of_a_batch_does_not_harm_the_others(url, create):
    study = create(url)

    def work(i):
        if i % 3 == 0:
            with pytest.raises(tw.TruewardError, match="has no decision 999"):
                study.tell(999, 1)
            return None
        shown = study.ask(participant=f"p{i}")
        study.tell(shown, 3)
        return shown.number

    with ThreadPoolExecutor(8) as threads:
        numbers = [number for number in threads.map(work, range(24)) if number]
    assert sorted(numbers) == list(range(1, 17))
    assert study.decisions()["status"].to_list() == ["rated"] * 16
    assert study.verify().ok


FORK = """
import os, sys, warnings
import trueward as tw
warnings.simplefilter("ignore")  # of a fork beside threads, which is what is tried here
study = tw.Study.create(sys.argv[1], "forked", ["a", "b"], policy=tw.UCB(sigma=1))
study.tell(study.ask(participant="parent"), 3)
child = os.fork()
if child == 0:
    study.tell(study.ask(participant="child"), 4)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert study.ask(participant="child").again
assert study.verify().ok
study.close()
"""


def test_a_study_goes_on_in_a_forked_process(sqlite):
    done = subprocess.run([sys.executable, "-c", FORK, sqlite], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


FORK_IN_THE_MIDST = """
import itertools, os, sys, threading, time, warnings
import trueward as tw
warnings.simplefilter("ignore")  # of a fork beside threads, which is what is tried here
study = tw.Study.create(sys.argv[1], "forked", ["a", "b"], policy=tw.UCB(sigma=1))
people, going = itertools.count(), True

def serve():
    while going:
        study.tell(study.ask(participant=f"p{next(people)}"), 3)

threads = [threading.Thread(target=serve) for _ in range(4)]
for thread in threads:
    thread.start()
for i in range(int(sys.argv[2])):
    time.sleep(0.01 + 0.003 * (i % 7))
    child = os.fork()
    if child == 0:
        study.tell(study.ask(participant=f"child {i}"), 4)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
going = False
for thread in threads:
    thread.join()
assert all(study.ask(participant=f"child {i}").again for i in range(int(sys.argv[2])))
assert study.verify().ok
study.close()
"""


def test_a_process_forks_while_its_study_serves_others(url):
    command = [sys.executable, "-c", FORK_IN_THE_MIDST, url, "8"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_study_is_verified_and_exported_while_others_write(url, create, reopen, tmp_path):
    study, other = create(url), reopen(url)

    def work(i):
        study.tell(study.ask(participant=f"p{i}"), 3)

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(work, i) for i in range(40)]
        found = []
        while not all(done.done() for done in asked):
            found.append(other.verify())
            other.export(tmp_path / "out")
    assert found
    assert all(checked.ok for checked in found), [str(checked) for checked in found]


def test_another_study_of_the_same_name_is_noticed(url, create, rate):
    study = create(url, test=True)
    rate(study, 3)
    tw.Study.delete(url, "explanations")
    rate(create(url, seed=8), 3)
    assert study.ask(participant="p9").number == 4
    assert study.verify().ok


@pytest.mark.parametrize("value", [object(), float("nan"), "\ud800"])
def test_what_cannot_be_written_down_is_refused(sqlite, create, value):
    study = create(sqlite)
    with pytest.raises(tw.ParameterError, match="must be such as JSON can hold"):
        study.add_arm("song", {"payload": value})
    study.add_arm("song")
    assert study.verify().ok


def test_nobody_is_locked_out_while_a_process_reads_and_learns(sqlite, create, reopen, rate, monkeypatch):
    study = create(sqlite)
    rate(study, 5)
    free, learn = [], Memory.learn

    def looking(self):
        with closing(sqlite3.connect(sqlite.removeprefix("sqlite:///"), timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")  # fails at once where somebody holds the lock
            connection.execute("ROLLBACK")
        free.append(True)
        learn(self)

    monkeypatch.setattr(Memory, "learn", looking)
    reopen(sqlite).ask(participant="p8")
    assert free
    monkeypatch.undo()
    assert study.verify().ok
