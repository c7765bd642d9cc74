"""The sweep of an experiment: its values, what each is called, and where "$name" puts them.

Results are told apart by what the values are called, so no two values of a sweep may be called the same.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trueward.errors import ParameterError
from trueward.lab.experiment.tables import COLUMNS
from trueward.reporting.labels import text

OF_THE_ARMS = ("sd", "proxy", "bounds")

Point = dict[str, Any]
"""A value for each name of the sweep."""


def sweep_of(given: Any) -> dict[str, list[Any]]:
    """Return a sweep, checked: lists of values by name."""
    if not isinstance(given, Mapping):
        raise ParameterError(f"sweep must be a table of lists, got {given!r}")
    for name, values in given.items():
        if not isinstance(values, list) or not values:
            raise ParameterError(f"sweep.{name} must be a non-empty list, got {values!r}")
        if name in OF_THE_ARMS:
            raise ParameterError(f"sweep.{name} is taken: ${name} belongs to the arms")
        if name in COLUMNS:
            raise ParameterError(f"sweep.{name} is taken: {name!r} is a column of the results; choose another name")
    return dict(given)


def points_of(sweep: Mapping[str, list[Any]]) -> Iterator[tuple[Point, Point]]:
    """Give every combination of values: as they are played, and as they are called."""
    called = {name: called_in_results(name, values) for name, values in sweep.items()}
    pairs = (zip(values, called[name], strict=True) for name, values in sweep.items())
    for combination in itertools.product(*pairs):
        yield (
            dict(zip(sweep, (value for value, _ in combination), strict=True)),
            dict(zip(sweep, (name for _, name in combination), strict=True)),
        )


def called_in_results(name: str, values: list[Any]) -> list[float] | list[str]:
    """Return what the results call the values of a sweep: numbers if all are numbers, else text, no two the same."""
    called: list[Any] = _numbers(name, values) if all(map(_is_number, values)) else _names(values)
    twice = [each for each, times in Counter(called).items() if times > 1]
    if twice:
        raise ParameterError(
            f"sweep.{name} holds {text(twice[0])!r} twice; its values must differ, or have a label of their own"
        )
    return called


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(name: str, values: list[Any]) -> list[float]:
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise ParameterError(f"sweep.{name} must hold numbers below 1e308 in size, got a larger one") from None


def _names(values: list[Any]) -> list[str]:
    """Return the label of each table, else its name; with the parameters that differ where names are the same."""
    unlabelled = [value for value in values if isinstance(value, Mapping) and "label" not in value]
    return [_name(value, unlabelled) for value in values]


def _name(value: Any, unlabelled: list[Mapping[str, Any]]) -> str:
    if not isinstance(value, Mapping):
        return text(value)
    if "label" in value:
        return str(value["label"])
    alike = [other for other in unlabelled if other.get("name") == value.get("name")]
    differing = [key for key in value if any(other.get(key) != value[key] for other in alike)]
    return _in_words(value, differing)


def _in_words(value: Any, keys: list[str] | None = None) -> str:
    """Return a table as its name and some of its parameters, or all."""
    if not isinstance(value, Mapping):
        return text(value)
    chosen = [key for key in value if key != "name"] if keys is None else keys
    parameters = ", ".join(f"{key} {_in_words(value[key])}" for key in chosen)
    name = str(value.get("name", ""))
    return f"{name} ({parameters})".strip() if parameters else name


def variables_in(value: Any) -> list[str]:
    """Return the names that stand in a value as "$name"."""
    if isinstance(value, str) and value.startswith("$"):
        return [value[1:]]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return [name for part in parts for name in variables_in(part)]


def resolve(value: Any, known: Mapping[str, Any], where: str) -> Any:
    """Return a value with what is known put in place of every "$name"."""
    if isinstance(value, str) and value.startswith("$"):
        name = value[1:]
        if name not in known:
            raise ParameterError(f"{where} is {value!r}, which nothing gives; known: {', '.join(known) or 'nothing'}")
        others = {other: given for other, given in known.items() if other != name}  # nothing stands for itself
        return resolve(known[name], others, where)
    if isinstance(value, Mapping):
        return {key: resolve(part, known, f"{where}.{key}") for key, part in value.items() if key != "label"}
    return [resolve(part, known, where) for part in value] if isinstance(value, list) else value
