"""Progress of a run: a bar in terminals and notebooks, lines on stderr elsewhere."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

SECONDS_BETWEEN_LINES = 10.0
COMPILING = " - loading or compiling "  # in a label, before the name of the policy that is loaded or compiled

Report = Callable[[str, int], None]
"""Takes a label of what is being played, and the number of games finished since the last call."""


class RateColumn(ProgressColumn):
    """Games per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "")


class ProgressLines:
    """Prints a line for each policy that is compiled, and the number of finished games every ten seconds."""

    def __init__(self, games: int) -> None:
        self._games, self._done, self._last_line = games, 0, -math.inf
        self._compiled: set[str] = set()
        self._console = Console(stderr=True, soft_wrap=True)

    def __call__(self, label: str, done: int) -> None:
        self._done += done
        compiling = label.partition(COMPILING)[2]
        is_due = time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES
        if is_due or (compiling and compiling not in self._compiled):
            self._compiled.add(compiling)
            self._last_line = time.monotonic()
            self._console.print(f"{self._done:,} of {self._games:,} games; {label}", markup=False, highlight=False)


@contextmanager
def progress_bar(console: Console, games: int) -> Iterator[Report]:
    """Yield a function that shows finished games: as a bar in terminals and notebooks, in lines elsewhere."""
    notebook = console.is_jupyter and find_spec("ipywidgets") is not None
    if not (console.is_terminal or notebook):
        yield ProgressLines(games)
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
