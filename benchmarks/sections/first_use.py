"""Waiting times of a new user: each first use in a new process, with an empty cache of compiled code."""

import tempfile
from statistics import median
from typing import Any

import environments
from workers.first_use import CASES

SCRIPT = environments.HERE / "workers" / "first_use.py"
QUICK = ("import trueward",)


def measure(quick: bool, step: Any) -> dict[str, float]:
    """Return the seconds of each first use; the quick form compiles nothing."""
    repeats, names = (1, QUICK) if quick else (3, tuple(CASES))
    results = {}
    for name in names:
        step(f"first use: {name}")
        results[name] = median(seconds(name) for _ in range(repeats))
    return results


def seconds(name: str) -> float:
    """Return the seconds of a first use with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        return float(environments.run(environments.python_of(None), SCRIPT, name, NUMBA_CACHE_DIR=cache))
