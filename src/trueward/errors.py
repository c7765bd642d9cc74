"""Every exception that a user may catch, one class per kind; all are `TruewardError`s."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that suggests the most similar known name, or an empty string if none is similar.

    >>> did_you_mean("tUCB", ["ucb", "crucb", "uniform"])
    "; did you mean 'ucb'?"
    """
    by_case = {each.casefold(): each for each in known}
    similar = get_close_matches(name.casefold(), by_case, n=1)
    return f"; did you mean {by_case[similar[0]]!r}?" if similar else ""


class TruewardError(Exception):
    """A problem that the caller can solve; the message says how."""


class ParameterError(TruewardError, ValueError):
    """A parameter outside its allowed range; `parameter` is its name, where one parameter is to blame."""

    def __init__(self, message: str = "", *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class RewardError(TruewardError, ValueError):
    """A reward that no policy may observe: NaN, infinite, or outside a range that the policy enforces."""


class UnknownArmError(TruewardError, LookupError):
    """An arm that the study does not have, or that is not available."""


class TicketError(TruewardError, LookupError):
    """A ticket, or a pending decision, that does not exist."""


class LogError(TruewardError, ValueError):
    """A saved log from which a bandit or study cannot be resumed."""


class SpecificationError(TruewardError, ValueError):
    """An experiment file that cannot be played; the message names the file, the key and what is allowed."""


class KernelError(TruewardError, TypeError):
    """A kernel that is missing, or that failed while it was played; the message says which."""


class StudyError(TruewardError):
    """An action that a study does not allow in its present state."""


class ConflictError(StudyError):
    """A reward or correction that contradicts one that is already recorded."""


class StorageError(TruewardError, OSError):
    """A database that cannot be read or written; the transaction was rolled back."""


class DataError(TruewardError, ValueError):
    """A table of ratings that cannot be analysed; the message names the row and the column."""
