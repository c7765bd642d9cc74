"""What a new user waits for: each thing in a new process, with an empty cache of compiled code."""

import tempfile
from statistics import median
from typing import Any

import environments
from workers.first_use import CASES

SCRIPT = environments.HERE / "workers" / "first_use.py"
QUICK = ("import trueward",)


def measure(quick: bool, step: Any) -> dict[str, float]:
    """Return the seconds of each; the quick form compiles nothing."""
    repeats, names = (1, QUICK) if quick else (3, tuple(CASES))
    found = {}
    for name in names:
        step(f"first use: {name}")
        found[name] = median(seconds(name) for _ in range(repeats))
    return found


def seconds(name: str) -> float:
    """Return how long it takes on a machine that has compiled nothing yet."""
    with tempfile.TemporaryDirectory() as cache:
        return float(environments.run(environments.python_of(None), SCRIPT, name, NUMBA_CACHE_DIR=cache))
