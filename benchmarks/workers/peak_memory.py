"""Peak memory, in MiB, of one player in long games: `peak_memory.py PLAYER HORIZON TRIALS`.

The player is a pickled pair of policy and arms, in hexadecimal: were the arena imported here, it would be counted.
"""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import trueward as tw


def peak() -> float:
    """Return the most memory this process has held; `getrusage` would count what its parent held before it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    policy, arms = pickle.loads(bytes.fromhex(sys.argv[1]))
    horizon, trials = int(sys.argv[2]), int(sys.argv[3])
    with ThreadPoolExecutor(1) as one:
        tw.play(policy, arms, horizon=horizon, trials=trials, executor=one)
    print(peak())
