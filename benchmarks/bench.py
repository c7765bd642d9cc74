"""All measurements of speed: `bench.py [SECTION …] [--quick]`; without sections, all of them, in some ten minutes.

Results go into benchmarks/results/: bench.json, bench.md and two charts. Of sections that are not run, the numbers of
the last time stay; a complete run measures everything anew.
"""

import argparse
import json
import os
import platform
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import charts
from bars import bars
from report import page

SECTIONS = ("peers", "limit", "growth", "threads", "memory", "start_up")
SHARES = {"peers": 27, "limit": 10, "growth": 30, "threads": 6, "memory": 35, "start_up": 30}  # of the time, about
RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, str]:
    """Return what the numbers depend on."""
    models = [line.partition(":")[2] for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "processor": models[0].strip() if models else platform.processor(),
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.1f}",
        "date": time.strftime("%Y-%m-%d"),
        **{name: version(name) for name in ("trueward", "numpy", "numba", "scipy")},
        "python": platform.python_version(),
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def measure(sections: list[str], quick: bool, console: Console) -> dict[str, Any]:
    """Measure sections one after the other, with a bar that moves."""
    found: dict[str, Any] = {"machine": machine()}
    columns = (TextColumn("{task.description:42}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=sum(SHARES[name] for name in sections))
        for name in sections:
            found[name] = import_module(f"sections.{name}").measure(
                quick, lambda label: progress.update(task, description=label)
            )
            progress.advance(task, SHARES[name])
    return found


def bar_table(found: dict[str, Any]) -> Table:
    """Return the bars as a table for the terminal."""
    shown = Table("promise", "bar", "measured", "holds")
    for bar in bars(found):
        shown.add_row(*bar.row, style="green" if bar.held else "bold red")
    return shown


def main() -> None:
    """Measure, write, and print the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all if left out")
    parser.add_argument("--quick", action="store_true", help="few repeats and short games, to see that it works")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"there is no section {unknown.pop()!r}")
    console = Console(width=130)
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "bench.json"
    before = json.loads(file.read_text()) if given.sections and file.exists() else {}
    found = {**before, **measure(given.sections or list(SECTIONS), given.quick, console)}
    file.write_text(json.dumps(found, indent=1) + "\n")
    (given.out / "bench.md").write_text(page(found))
    charts.write(found, given.out)
    console.print(bar_table(found))


if __name__ == "__main__":
    main()
