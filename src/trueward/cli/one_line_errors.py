"""Errors of a command in one line on stderr, with a non-zero exit code."""

import functools
import signal
from collections.abc import Callable
from typing import Any, NoReturn

import typer


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors that a user can cause are printed in one line, without a traceback."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from trueward.errors import TruewardError

        try:
            _ignore_further_interrupts(command, *args, **kwargs)
        except TruewardError as error:
            _exit(f"trueward: {error}", 2)
        except BrokenPipeError:
            raise  # the reader of the output has closed it; Typer exits without a message
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _exit(f"trueward: {where}{error.strerror or error}", 2)
        except MemoryError as error:
            _exit(f"trueward: not enough memory: {error}", 2)
        except KeyboardInterrupt:
            _exit("stopped; finished games are stored, and the same command continues from there", 130)

    return run


def _ignore_further_interrupts(command: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    """Call a command; after one Ctrl-C ignore the next: Polars raises its own, and Python's comes second."""
    try:
        command(*args, **kwargs)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise


def add_command(app: typer.Typer, name: str, help_text: str, command: Callable[..., None], **options: Any) -> None:
    """Register a command under a name; for commands that are made by a function."""
    command.__name__, command.__doc__ = name, help_text
    app.command(**options)(one_line_errors(command))


def _exit(message: str, code: int) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(code)
