"""All measurements of speed: `bench.py [SECTION …] [--quick]`; without sections, all of them, in some ten minutes.

Results go into benchmarks/results/: bench.json, as soon as a section is measured, then bench.md and two charts. A
section that fails is named at the end, and loses none of the others. Of sections that are not run, the numbers of the
last time stay; a complete run measures everything anew. `--quick` sees in some seconds that everything runs; its
numbers mean nothing, and go into benchmarks/.quick/.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import charts
from bars import bars
from machine import machine
from report import page
from steps import Steps
from writing import replace_text

SECTIONS = {  # and how long they take, about
    "peers": 27,
    "limit": 10,
    "growth": 30,
    "threads": 6,
    "memory": 45,
    "start_up": 30,
    "first_use": 30,
    "study": 300,
}
HERE = Path(__file__).parent
RESULTS, QUICK = HERE / "results", HERE / ".quick"


def measure(sections: Sequence[str], found: dict[str, Any], folder: Path, quick: bool, console: Console) -> None:
    """Measure sections one after the other, and keep each at once."""
    failed = found.setdefault("failed", {})
    with Steps(console, sum(SECTIONS[name] for name in sections)) as steps:
        for name in sections:
            start = time.perf_counter()
            steps.step(name)
            failed.pop(name, None)
            found.pop(name, None)
            try:
                found[name] = import_module(f"sections.{name}").measure(quick, steps.step)
            except Exception as error:  # whatever it is, the other sections are measured all the same
                failed[name] = _in_one_line(error)
            replace_text(folder / "bench.json", json.dumps(found, indent=1) + "\n")
            outcome = "failed after" if name in failed else "measured in"
            steps.finish(f"{name}: {outcome} {time.perf_counter() - start:.1f} s", SECTIONS[name])


def _in_one_line(error: Exception) -> str:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f" ({Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno})" if last is not None else ""
    return " ".join(f"{type(error).__name__}: {error}".split()) + where


def bar_table(found: dict[str, Any]) -> Table:
    """Return the bars as a table for the terminal."""
    shown = Table("promise", "bar", "measured", "holds")
    for bar in bars(found):
        shown.add_row(*bar.row, style="green" if bar.held else "bold red")
    return shown


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all if left out")
    parser.add_argument("--quick", action="store_true", help="tiny sizes and few policies, to see that it works")
    parser.add_argument("--out", type=Path, help="folder for the results")
    asked = parser.parse_args(given)
    if unknown := set(asked.sections) - set(SECTIONS):
        parser.error(f"there is no section {unknown.pop()!r}")
    return asked


def main(given: Sequence[str] | None = None) -> int:
    """Measure, write, print the bars and what failed; return the exit code."""
    asked, console = _arguments(given), Console(width=130)
    folder = asked.out or (QUICK if asked.quick else RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bench.json"
    before = json.loads(file.read_text()) if asked.sections and file.exists() else {}
    found = {**before, "machine": machine(asked.quick)}
    measure(asked.sections or list(SECTIONS), found, folder, asked.quick, console)
    replace_text(folder / "bench.md", page(found))
    charts.write(found, folder)
    console.print(bar_table(found))
    for name, error in found["failed"].items():
        console.print(f"[bold red]{name} failed:[/] {escape(error)}", soft_wrap=True)
    return 1 if found["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
