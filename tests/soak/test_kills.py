"""A laboratory that is killed again and again, at any moment, loses nothing that it had finished."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from soak_size import size

pytestmark = pytest.mark.soak

CELLS, KILLS = 40, size(20, 3)
CODE = """
import sys
from pathlib import Path
from trueward import lab
from trueward.lab.experiment.runner import write_tables
spec = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8, 0.7]},
    "adversary": {"name": "bernoulli", "epsilon": "$epsilon"},
    "policies": {"UCB": {"name": "ucb", "sigma": "$sd"}, "uniform": {"name": "uniform"}},
    "horizon": 500,
    "trials": 640,
    "seed": 4,
    "sweep": {"epsilon": [i / 100 for i in range(int(sys.argv[2]))]},
}
write_tables(lab.run(spec, cache_folder=sys.argv[1] + "/cells", progress=False), Path(sys.argv[1]))
"""


def start(folder):
    return subprocess.Popen([sys.executable, "-c", CODE, str(folder), str(CELLS)])


def finished(folder: Path):
    """Return when each finished cell was written."""
    return {c.name: c.stat().st_mtime_ns for c in (folder / "cells").glob("*") if c.suffix != ".part"}


def test_a_run_killed_at_any_moment_goes_on_where_it_was(tmp_path):
    interrupted, rng, kept = tmp_path / "interrupted", np.random.default_rng(0), {}
    for _ in range(KILLS):
        process = start(interrupted)
        least = len(kept) + int(rng.integers(0, 3))
        deadline = time.monotonic() + 60
        while len(finished(interrupted)) < least and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(float(rng.uniform(0.0, 0.03)))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        now = finished(interrupted)
        assert {name: now[name] for name in kept} == kept  # untouched since the last kill: not played again
        kept = now
    assert start(interrupted).wait() == 0
    assert start(tmp_path / "whole").wait() == 0
    assert len(finished(interrupted)) == CELLS
    for file in ("experiment-trials.parquet", "experiment-curves.parquet"):
        assert (interrupted / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
