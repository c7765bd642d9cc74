"""A service that is told to stop: live streams end, and whoever was let in is answered."""

import asyncio
import http.client
import json
import signal
import sqlite3
import threading
import urllib.request

import trueward as tw
from serving import Workers
from trueward.serve.stopping import Stopping

ASKS = 6


def test_a_live_page_ends_at_once_and_what_was_accepted_is_answered(sqlite, tmp_path):
    tw.Study.create(sqlite, "explanations", ["video", "text"], policy=tw.UCB(sigma=1.0)).close()
    workers = Workers(sqlite, 1, tmp_path / "serve.log", TRUEWARD_OPEN="1", TMPDIR=str(tmp_path))
    stream = urllib.request.urlopen(f"{workers.url}/dashboard/studies/explanations/live")
    assert stream.readline() == b"retry: 1500\n"
    locked = sqlite3.connect(sqlite.removeprefix("sqlite:///"), isolation_level=None)
    locked.execute("BEGIN IMMEDIATE")  # nothing can be written now: who asks has to wait
    asked = [asking(workers.port, f"p{person}") for person in range(ASKS)]
    urllib.request.urlopen(f"{workers.url}/healthz").read()  # who came before this has been let in
    workers.process.send_signal(signal.SIGTERM)
    stream.read()  # up to its end, while the others still wait
    stream.close()
    locked.execute("ROLLBACK")
    locked.close()
    answers = [connection.getresponse() for connection in asked]
    assert [answer.status for answer in answers] == [201] * ASKS
    numbers = {json.loads(answer.read())["number"] for answer in answers}
    for connection in asked:
        connection.close()
    assert workers.process.wait(60) == 0
    assert not list(tmp_path.glob("trueward-metrics-*"))
    with tw.Study.open(sqlite, "explanations") as study:
        assert set(study.decisions()["number"]) == numbers == set(range(1, ASKS + 1))


def asking(port, participant):
    """Return a connection on which a decision was asked for, and not yet answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps({"participant": participant})
    connection.request("POST", "/v1/studies/explanations/decisions", body, {"Content-Type": "application/json"})
    return connection


def test_it_is_heard_by_who_waits_and_by_who_comes_later():
    stopping = Stopping()

    async def streams():
        assert await stopping.within(0.001) is False
        threading.Timer(0.01, stopping.say).start()
        return await asyncio.gather(*(stopping.within(600) for _ in range(3))), await stopping.within(600)

    assert asyncio.run(streams()) == ([True] * 3, True)
    stopping.say()  # again, when the loop is closed
