"""Peak memory, in MiB, of one policy in long games: `peak_memory.py POLICY_AND_ARMS HORIZON TRIALS`.

Policy and arms are a pickled pair in hexadecimal, because importing the arena here would add to the memory.
"""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import trueward as tw


def peak() -> float:
    """Return the peak memory of this process; `getrusage` would include that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    policy, arms = pickle.loads(bytes.fromhex(sys.argv[1]))
    horizon, trials = int(sys.argv[2]), int(sys.argv[3])
    with ThreadPoolExecutor(1) as one:
        tw.play(policy, arms, horizon=horizon, trials=trials, executor=one)
    print(peak())
