"""A progress bar with rate and remaining time, where the output is a terminal; nothing elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from trueward.lab.experiment.runner import Report


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
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal or games == 0) as bar:
        task = bar.add_task("", total=games)
        yield lambda label, done: bar.update(task, description=label, advance=done)
