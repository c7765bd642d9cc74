"""The few exceptions a user may catch; every one is a `TruewardError`. And what a misspelt name may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest of the known names, or nothing if none is near.

    >>> did_you_mean("tUCB", ["ucb", "crucb", "uniform"])
    "; did you mean 'ucb'?"
    """
    by_letters = {each.casefold(): each for each in known}
    near = get_close_matches(name.casefold(), by_letters, n=1)
    return f"; did you mean {by_letters[near[0]]!r}?" if near else ""


class TruewardError(Exception):
    """Something that the caller can put right; the message says what."""


class ParameterError(TruewardError, ValueError):
    """A parameter outside its allowed range."""


class RewardError(TruewardError, ValueError):
    """A reward that no policy may see: NaN, infinite, or outside a range declared strict."""


class UnknownArmError(TruewardError, LookupError):
    """An arm that the study does not have, or that is not available."""


class TicketError(TruewardError, LookupError):
    """A ticket, or an open ask, that does not exist."""


class LogError(TruewardError, ValueError):
    """A saved log that cannot be resumed."""


class SpecificationError(TruewardError, ValueError):
    """An experiment's file that cannot be played; the message names the file, the key and what is allowed."""


class KernelError(TruewardError, TypeError):
    """A kernel that is missing, or that failed when it was played; the message says which."""


class StudyError(TruewardError):
    """Something that a study does not do in its present state."""


class ConflictError(StudyError):
    """A reward, or a correction, that contradicts what is there."""


class StorageError(TruewardError, OSError):
    """A database that cannot be read or written; nothing was half done."""


class DataError(TruewardError, ValueError):
    """A table of ratings that cannot be analysed; the message names row and column."""
