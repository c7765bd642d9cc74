"""Workers that are killed again and again, at any moment, lose nothing that was answered."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import trueward as tw
from soak_size import size
from trueward.engine.states import arrays_of

pytestmark = pytest.mark.soak

KILLS, WORKERS, SECONDS = size(20, 3), 2, 1.0
WORKER = """
import os, sys, threading
import trueward as tw
url, file, name = sys.argv[1:]
study = tw.Study.open(url, "killed")
answered = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def work(thread):
    i = 0
    while True:
        i += 1
        shown = study.ask(participant=f"{name}-{thread}-{i}")
        study.tell(shown, 1 + (shown.number + i) % 5)
        os.write(answered, f"{shown.number} {1 + (shown.number + i) % 5}\\n".encode())

for thread in range(4):
    threading.Thread(target=work, args=(thread,)).start()
"""


def start(url, file, name):
    return subprocess.Popen([sys.executable, "-c", WORKER, url, str(file), name])


def answers(file):
    return len(file.read_bytes().splitlines()) if file.exists() else 0


def wait_for(file, more):
    deadline = time.monotonic() + 60
    while answers(file) < more and time.monotonic() < deadline:
        time.sleep(0.02)


def test_what_was_answered_is_there_once_however_often_workers_are_killed(url, tmp_path):
    tw.Study.create(url, "killed", ["a", "b", "c"], policy=tw.UCB(sigma=1.0), uniform_share=0.1).close()
    file, rng = tmp_path / "answered", np.random.default_rng(0)
    for kill in range(KILLS):
        workers = [start(url, file, f"{kill}-{i}") for i in range(WORKERS)]
        wait_for(file, answers(file) + 10)
        time.sleep(float(rng.uniform(0.0, SECONDS)))
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
        for worker in workers:
            worker.wait()
    answered = [
        tuple(map(int, line.split())) for line in file.read_bytes().splitlines(keepends=True) if line[-1:] == b"\n"
    ]
    with tw.Study.open(url, "killed") as study:
        table = study.decisions()
        told = dict(table.filter(table["reward"].is_not_null()).select("number", "reward").rows())
        assert len(answered) == len(dict(answered)) >= 10 * KILLS  # no number was answered twice
        assert {number: told.get(number) for number, _ in answered} == dict(answered)
        assert table["number"].to_list() == list(range(1, table.height + 1))
        assert table.drop_nulls("participant").select("participant").n_unique() == table.height
        checked = study.verify()
        assert checked.ok, checked
        assert state_of(study) == state_of(study.replay(tw.UniformShare(tw.UCB(sigma=1.0), share=0.1)))


def state_of(study):
    """Return all that was learned, bit for bit."""
    if isinstance(study, tw.Study):
        return study._do(lambda desk: state_of(desk.memory.bandit))
    return [array.tobytes() for array in arrays_of(study._state)]
