"""Start-up time of a small reproduction before the first game, compared with importing Numba alone."""

import json
import sys
import tempfile
import time
from statistics import median
from typing import Any

import environments
from timing import wall_seconds

WORKERS = environments.HERE / "workers"
SCRIPT = WORKERS / "start_up.py"
REPRODUCE, TINY = ("reproduce", "--trials", "10"), ("run", WORKERS / "tiny.toml")


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return the seconds of each part, of the whole, and of `import numba`; the quick form starts a tiny run once."""
    repeats, command = (1, TINY) if quick else (3, REPRODUCE)
    if not quick:
        step("start-up: warming")
        _parts(command)
    parts, numba = [], []
    for _ in range(repeats):
        step("start-up")
        numba.append(wall_seconds(lambda: environments.output_of([sys.executable, "-c", "import numba"], "numba")))
        parts.append(_parts(command))
    results = {name: median(part[name] for part in parts) for name in parts[0]}
    return {"parts": results, "import numba": median(numba)}


def _parts(command: tuple[object, ...]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()  # the same clock in both processes
        results = json.loads(environments.run(environments.python_of(None), SCRIPT, start, *command, "--out", out))
        return {**results, "in all": time.perf_counter() - start}
