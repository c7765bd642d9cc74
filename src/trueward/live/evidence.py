"""What comes with a rating, such as {"check": False, "seconds": 1.7}: by name, True, False or a number."""

import functools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import NOT_GIVEN
from trueward.errors import ParameterError
from trueward.parameters import check_number

Evidence = Mapping[str, bool | float]


def evidence_of(given: object, where: str) -> dict[str, bool | float]:
    """Return what came with a rating as it is logged, or refuse it; None is nothing."""
    if given is None or given == {}:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"the evidence of {where} must be a mapping such as {{'check': False}}, got {given!r}")
    return {_name(name, where): _value(name, value, where) for name, value in given.items()}


def _name(name: object, where: str) -> str:
    if not isinstance(name, str) or not name:
        raise ParameterError(f"the evidence of {where} must have names for keys, got {name!r}")
    return name


def _value(name: object, value: object, where: str) -> bool | float:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return check_number(f"the evidence {name!r} of {where}", value, at_least=0)


def in_columns(numbers: Ints, evidence: Mapping[int, Evidence], signals: Sequence[str]) -> Floats:
    """Return the evidence of asks as a policy sees it, a column for each of its signals."""
    if not evidence and numbers.size == 1:
        return _nothing_given(len(signals))
    table = np.full((numbers.size, len(signals)), NOT_GIVEN)
    for row, number in enumerate(numbers.tolist()) if evidence else ():
        table[row] = [float(evidence.get(number, {}).get(name, NOT_GIVEN)) for name in signals]
    return table


@functools.cache
def _nothing_given(n_signals: int) -> Floats:
    """Return the row of a rating that came with nothing, as most do; nobody writes to it."""
    return np.full((1, n_signals), NOT_GIVEN)


def unused(told: Iterable[Evidence], signals: Sequence[str], policy: str) -> list[str]:
    """Say how many ratings came with evidence that the policy has no signal for."""
    unknown = [names for evidence in told if (names := evidence.keys() - set(signals))]
    if not unknown:
        return []
    ratings = "1 rating" if len(unknown) == 1 else f"{len(unknown)} ratings"
    return [f"{ratings} came with evidence ({', '.join(sorted(set().union(*unknown)))}), which {policy} does not use"]
