"""Ctrl-C never crashes a process that runs compiled code, because compiled code runs outside of the main thread.

Numba runs Python code to unpack a random generator and does not check whether that code raised an exception. Python
raises KeyboardInterrupt in the main thread only.
"""

import subprocess
import sys
import threading

import pytest

from soak_size import size
from trueward.engine import compiling

INTERRUPTED = """
import signal, sys, threading, time
import numpy as np
from trueward.arms import BernoulliArms
from trueward.engine.compiling import compiled
from trueward.game.loop import draw_worlds

calls, interrupts, ends = 0, 0, False

def draw_repeatedly():
    global calls
    distribution, truths = BernoulliArms([0.4, 0.6]).distribution(), np.empty((1, 1, 2))
    draw, rng = compiled(draw_worlds, distribution), np.random.default_rng(1)
    while not ends:
        draw(distribution, truths, rng)
        calls += 1

worker = threading.Thread(target=draw_repeatedly)
worker.start()
while calls == 0:
    time.sleep(0.01)
signal.signal(signal.SIGALRM, signal.default_int_handler)
while interrupts < int(sys.argv[1]):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        time.sleep(1.0)
    except KeyboardInterrupt:
        interrupts += 1
ends = True
worker.join()
print(interrupts, calls > interrupts)
"""


def interrupt(times):
    command = [sys.executable, "-c", INTERRUPTED, str(times)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60 + times / 50, check=False)
    assert (ended.returncode, ended.stdout) == (0, f"{times} True\n"), ended.stderr[-500:]


def test_interrupts_of_the_main_thread_do_not_disturb_compiled_calls_in_another():
    interrupt(1000)


@pytest.mark.soak
def test_many_interrupts_of_the_main_thread_do_not_disturb_compiled_calls_in_another():
    interrupt(size(100_000, 10_000))


def test_compiled_function_called_from_any_thread_runs_outside_of_the_main_thread(monkeypatch):
    monkeypatch.setattr(compiling, "_code", lambda *_: lambda *args: (threading.current_thread(), args))
    call = compiling.compiled(interrupt)
    thread, args = call(1, 2)
    assert thread is not threading.main_thread()
    assert args == (1, 2)
    found = []
    other = threading.Thread(target=lambda: found.append(call()[0]))
    other.start()
    other.join()
    assert found == [other]  # not in yet another one
