"""What a small run of the whole reproduction spends before it plays, beside importing Numba alone."""

import json
import subprocess
import sys
import tempfile
import time
from statistics import median
from typing import Any

import environments
from measuring import wall_seconds

SCRIPT = environments.HERE / "workers" / "start_up.py"


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return the seconds of each part, of the whole, and of `import numba`."""
    repeats = 1 if quick else 3
    step("start-up: warming")
    _parts()
    parts, numba = [], []
    for _ in range(repeats):
        step("start-up")
        numba.append(wall_seconds(lambda: subprocess.run([sys.executable, "-c", "import numba"], check=True)))
        parts.append(_parts())
    found = {name: median(part[name] for part in parts) for name in parts[0]}
    return {"parts": found, "import numba": median(numba)}


def _parts() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()  # the same clock in both processes
        found = json.loads(environments.run(environments.python_of(None), SCRIPT, start, out))
        return {**found, "in all": time.perf_counter() - start}
