"""Measure speed: `bench.py [SECTION …] [--quick]`; without sections, all of them, in about ten minutes.

Results are written to benchmarks/results/: bench.json after every section, then bench.md and two charts. A section that
fails is named at the end and does not affect the others. Sections that are not run keep their last numbers; a complete
run measures everything again. `--quick` checks within seconds that everything runs; its numbers mean nothing, and go
to benchmarks/.quick/.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import bench_charts
from atomic_files import replace_text
from bars import bars
from bench_report import page
from section_progress import SectionProgress
from system_info import system_info

SECTIONS = {  # name: seconds, approximately
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


def measure(sections: Sequence[str], results: dict[str, Any], folder: Path, quick: bool, console: Console) -> None:
    """Measure sections one after the other, and save the results after each."""
    failed = results.setdefault("failed", {})
    with SectionProgress(console, sum(SECTIONS[name] for name in sections)) as progress:
        for name in sections:
            start = time.perf_counter()
            progress.step(name)
            failed.pop(name, None)
            results.pop(name, None)
            try:
                with ThreadPoolExecutor(
                    1
                ) as worker:  # compiled code called from the main thread starts a thread itself
                    results[name] = worker.submit(
                        import_module(f"sections.{name}").measure, quick, progress.step
                    ).result()
            except Exception as error:  # the other sections are measured nevertheless
                failed[name] = _one_line(error)
            replace_text(folder / "bench.json", json.dumps(results, indent=1) + "\n")
            outcome = "failed after" if name in failed else "measured in"
            progress.finish(f"{name}: {outcome} {time.perf_counter() - start:.1f} s", SECTIONS[name])


def _one_line(error: Exception) -> str:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f" ({Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno})" if last is not None else ""
    return " ".join(f"{type(error).__name__}: {error}".split()) + where


def bar_table(results: dict[str, Any]) -> Table:
    """Return the bars as a table for the terminal."""
    rows = Table("bar", "limit", "measured", "met")
    for bar in bars(results):
        rows.add_row(*bar.row, style="green" if bar.met else "bold red")
    return rows


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"one of {', '.join(SECTIONS)}; default: all")
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes and few policies, to check that everything runs"
    )
    parser.add_argument("--out", type=Path, help="folder for the results")
    options = parser.parse_args(arguments)
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"unknown section {unknown.pop()!r}; choose from {', '.join(SECTIONS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write the results, print bars and failures; return the exit code."""
    options, console = _parse(arguments), Console(width=130)
    folder = options.out or (QUICK if options.quick else RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bench.json"
    before = json.loads(file.read_text()) if options.sections and file.exists() else {}
    results = {**before, "machine": system_info(options.quick)}
    measure(options.sections or list(SECTIONS), results, folder, options.quick, console)
    replace_text(folder / "bench.md", page(results))
    bench_charts.write(results, folder)
    console.print(bar_table(results))
    for name, error in results["failed"].items():
        console.print(f"[bold red]{name} failed:[/] {escape(error)}", soft_wrap=True)
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
