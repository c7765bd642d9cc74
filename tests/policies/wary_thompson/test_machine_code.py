"""What Python calls compiled is compiled anew when anything that it calls is edited."""

import os
import subprocess
import sys

RUN = """
import sys
import numpy as np
from trueward.engine import kernel

def edited(x):
    return math.exp(min(x, 700.0)) / 2.0

if sys.argv[1] == "edited":
    kernel.exp.__code__ = edited.__code__

from trueward.policies.wary_thompson.belief import weigh_counts

weights, sums, logs = np.zeros((1, 2, 1), np.float32), np.zeros((1, 1), np.float32), np.zeros((1, 1))
weigh_counts(weights, sums, logs, np.log([[[[0.25], [1.0]]]]), np.ones(1, np.int64))
print(*weights[0, :, 0].round(6))
"""


def run_in_a_new_process(folder, exp):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", RUN, exp], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_editing_the_exponential_is_seen_by_what_was_compiled_with_it(tmp_path):
    assert run_in_a_new_process(tmp_path, "as it is") == "0.25 1.0"
    assert run_in_a_new_process(tmp_path, "edited") == "0.125 0.5"  # with yesterday's machine code, as it was
