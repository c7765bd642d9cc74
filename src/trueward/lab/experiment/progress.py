"""How far a run is: a bar with rate and remaining time in terminals and notebooks, and lines on stderr elsewhere."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from trueward.lab.experiment.runner import COMPILING, Report

PAUSE = 10.0  # seconds between two lines


class RateColumn(ProgressColumn):
    """Games per second."""

    def render(self, task: Task) -> Text:
        """Return the rate in words."""
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "")


class Lines:
    """Lines for output that is no terminal: what is compiled, and every so often how far the run is."""

    def __init__(self, games: int) -> None:
        self._games, self._done, self._last = games, 0, -math.inf
        self._compiled: set[str] = set()
        self._console = Console(stderr=True, soft_wrap=True)

    def __call__(self, label: str, done: int) -> None:
        """Take note of finished games, and say what is worth a line."""
        self._done += done
        compiling = label.partition(COMPILING)[2]
        if time.monotonic() - self._last > PAUSE or (compiling and compiling not in self._compiled):
            self._compiled.add(compiling)
            self._last = time.monotonic()
            self._console.print(f"{self._done:,} of {self._games:,} games; {label}", markup=False, highlight=False)


@contextmanager
def progress_bar(console: Console, games: int) -> Iterator[Report]:
    """Give a function that is told of finished games: a bar in terminals and notebooks, lines elsewhere."""
    notebook = console.is_jupyter and find_spec("ipywidgets") is not None
    if not (console.is_terminal or notebook):
        yield Lines(games)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=games == 0) as bar:
        task = bar.add_task("", total=games)
        yield lambda label, done: bar.update(task, description=label, advance=done)
