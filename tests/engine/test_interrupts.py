"""Ctrl-C at any moment ends compiled code by an exception, never by a crash of the process."""

import subprocess
import sys

INTERRUPTED = """
import signal
import numpy as np
from trueward.arms import BernoulliArms
from trueward.game.loop import draw_worlds

def interrupt(*_):
    raise KeyboardInterrupt

distribution, truths, rng = BernoulliArms([0.4, 0.6]).distribution(), np.empty((1, 1, 2)), np.random.default_rng(1)
draw_worlds.version(distribution, compiled=True)(distribution, truths, rng)
signal.signal(signal.SIGALRM, interrupt)
interrupts = 0
while interrupts < 1000:
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 * (1 + interrupts % 10))
        while True:
            draw_worlds.version(distribution, compiled=True)(distribution, truths, rng)
    except KeyboardInterrupt:
        interrupts += 1
print(interrupts)
"""


def test_interrupt_during_compiled_call_raises_keyboard_interrupt():
    """Numba crashed here: it runs Python to find the addresses of a generator, and does not look whether that fails."""
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "1000\n"), ended.stderr[-500:]
