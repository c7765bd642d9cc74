"""The progress of the measurements: a progress bar in a terminal, otherwise one line per step."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


class SectionProgress:
    """Shows the current step, and the share of the total time that is over."""

    def __init__(self, console: Console, total: int) -> None:
        columns = (TextColumn("{task.description:42}"), BarColumn(), TimeElapsedColumn())
        self.console, self.label = console, ""
        self.bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self.task = self.bar.add_task("", total=total)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.bar.stop()

    def step(self, label: str) -> None:
        """Show the step that begins now; a repeated label is shown once."""
        if label != self.label:
            self.label = label
            self.bar.update(self.task, description=label)
            if not self.console.is_terminal:
                self.console.print(f"{label} …", highlight=False)

    def finish(self, line: str, share: int) -> None:
        """Print a line about a finished section."""
        self.bar.advance(self.task, share)
        self.console.print(line, highlight=False)
