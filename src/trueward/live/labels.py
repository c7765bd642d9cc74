"""The arms of a study, by name."""

from collections.abc import Iterable, Sequence

import numpy as np

from trueward.engine.kernel import Bools
from trueward.errors import ParameterError, UnknownArmError
from trueward.parameters import check_integer, is_integer

Label = str | int

MOST_ARMS = 100_000
EVERY = np.ones(MOST_ARMS, np.bool_)


def labels_of(arms: Sequence[Label] | int) -> tuple[Label, ...]:
    """Return the names of a study's arms, or refuse what is none."""
    if is_integer(arms):
        return tuple(range(_few(check_integer("arms", arms, at_least=1))))
    if isinstance(arms, str | set | frozenset) or not isinstance(arms, Iterable):  # a set has no order
        raise ParameterError(f"arms must be a list of names, or how many there are, got {arms!r}")
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in arms)
    if not labels:
        raise ParameterError("arms must have at least one arm, got none")
    if not all(type(label) in (str, int) for label in labels) or len(set(labels)) != len(labels):
        raise ParameterError(f"arms must be different names or whole numbers, got {arms!r}")
    _few(len(labels))
    return labels


def _few(n_arms: int) -> int:
    if n_arms > MOST_ARMS:
        raise ParameterError(f"arms must be at most {MOST_ARMS:,}, got {n_arms:,}")
    return n_arms


def index_of(label: object, labels: Sequence[Label]) -> int:
    """Return which of the arms bears a name."""
    plain = label.item() if isinstance(label, np.generic) else label
    if type(plain) not in (str, int) or plain not in labels:
        raise UnknownArmError(f"there is no arm {label!r}; the arms are {', '.join(map(repr, labels))}")
    return labels.index(plain)


def available_of(among: Iterable[Label] | None, labels: Sequence[Label]) -> Bools:
    """Return for each of the arms whether it is among those named; None names them all."""
    if among is None:
        return EVERY[: len(labels)].copy()
    if isinstance(among, str) or not isinstance(among, Iterable):
        raise ParameterError(f"among must be a list of arms, got {among!r}")
    named = [index_of(label, labels) for label in among]
    if not named:
        raise ParameterError("among must name at least one arm, got none")
    available = np.zeros(len(labels), np.bool_)
    available[named] = True
    return available
