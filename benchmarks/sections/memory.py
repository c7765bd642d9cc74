"""Peak memory of long games, each policy in a process of its own, with one worker."""

from typing import Any

import environments
from workers.peak_memory import PLAYERS

SCRIPT = environments.HERE / "workers" / "peak_memory.py"


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return the peak in MiB for 2 and for 4 trials: it is the same, so it is the one of 100 as well."""
    horizon, found = 10**4 if quick else 10**6, {}
    for name in PLAYERS:
        step(f"memory: {name}")
        found[name] = [float(environments.run(environments.python_of(None), SCRIPT, name, horizon, n)) for n in (2, 4)]
    return {"horizon": horizon, "peaks": found}
