"""What a user can cause ends in one line."""

import functools
import signal
from collections.abc import Callable
from typing import Any, NoReturn

import typer


def friendly(command: Callable[..., None]) -> Callable[..., None]:
    """End what a user can cause in one line and a non-zero exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from trueward.errors import TruewardError

        try:
            _interrupted_once(command, *args, **kwargs)
        except TruewardError as error:
            _end(f"trueward: {error}", 2)
        except BrokenPipeError:
            raise  # the reader has seen enough; no word is owed
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _end(f"trueward: {where}{error.strerror or error}", 2)
        except MemoryError as error:
            _end(f"trueward: not enough memory for so much at once: {error}", 2)
        except KeyboardInterrupt:
            _end("stopped; what was finished is kept, and the same command goes on from there", 130)

    return run


def _interrupted_once(command: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    """Call a command; after a Ctrl-C ignore more. Polars notices one by itself, so that Python's own comes second."""
    try:
        command(*args, **kwargs)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise


def add_command(app: typer.Typer, name: str, words: str, command: Callable[..., None]) -> None:
    """Add one of several commands that are made alike."""
    command.__name__, command.__doc__ = name, words
    app.command()(friendly(command))


def _end(message: str, code: int) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(code)
