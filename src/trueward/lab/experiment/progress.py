"""A progress bar with rate and remaining time, where the output is a terminal; elsewhere a line now and then."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from trueward.lab.experiment.runner import Report

PAUSE = 10.0  # seconds between two lines


class RateColumn(ProgressColumn):
    """Games per second."""

    def render(self, task: Task) -> Text:
        """Return the rate in words."""
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "")


@contextmanager
def progress_bar(console: Console, games: int) -> Iterator[Report]:
    """Give a function that is told of finished games."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    if not console.is_terminal:
        yield _lines(console, games)
        return
    with Progress(*columns, console=console, transient=True, disable=games == 0) as bar:
        task = bar.add_task("", total=games)
        yield lambda label, done: bar.update(task, description=escape(label), advance=done)


def _lines(console: Console, games: int) -> Report:
    """Return a function that says what is played or compiled, at most every few seconds."""
    finished, last = 0, -PAUSE

    def report(label: str, done: int) -> None:
        nonlocal finished, last
        finished += done
        if time.monotonic() - last >= PAUSE:
            last = time.monotonic()
            console.print(f"{finished:,} of {games:,} games; {label}", markup=False, highlight=False, soft_wrap=True)

    return report
