"""The machine and the versions that the measurements depend on."""

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path


def system_info(quick: bool) -> dict[str, str]:
    """Return processor, load and versions."""
    models = [line.partition(":")[2] for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return {
        **({"form": "quick: the numbers mean nothing"} if quick else {}),
        "processor": models[0].strip() if models else platform.processor(),
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.1f}",
        "date": time.strftime("%Y-%m-%d"),
        **{name: version(name) for name in ("trueward", "numpy", "numba", "scipy")},
        "python": platform.python_version(),
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []
