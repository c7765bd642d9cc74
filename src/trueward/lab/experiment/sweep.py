"""The sweep of an experiment: the grid of its values, their labels in the results, and substitution for "$name".

"$name.key" stands for one entry of a value that is a table, so that several settings can change together.

The results tell cells apart by these labels, so the labels of one sweep must differ.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trueward.errors import ParameterError
from trueward.lab.experiment.game_tables import COLUMNS
from trueward.reporting.labels import text

ARMS_VARIABLES = ("sd", "proxy", "bounds")  # "$sd", "$proxy" and "$bounds" are properties of the arms

Point = dict[str, Any]
"""A point of the grid: a value for each name of the sweep."""


def check_sweep(sweep: Any) -> dict[str, list[Any]]:
    if not isinstance(sweep, Mapping):
        raise ParameterError(f"sweep must be a table of lists, got {sweep!r}")
    for name, values in sweep.items():
        if not isinstance(values, list) or not values:
            raise ParameterError(f"sweep.{name} must be a non-empty list, got {values!r}")
        if name in ARMS_VARIABLES:
            raise ParameterError(f"sweep.{name} is reserved: ${name} is a property of the arms; choose another name")
        if name in COLUMNS:
            raise ParameterError(f"sweep.{name} is reserved: {name!r} is a column of the results; choose another name")
    return dict(sweep)


def grid_points(sweep: Mapping[str, list[Any]]) -> Iterator[tuple[Point, Point]]:
    """Yield every combination of values, with the labels that the results give them."""
    labels = {name: value_labels(name, values) for name, values in sweep.items()}
    pairs = (zip(values, labels[name], strict=True) for name, values in sweep.items())
    for combination in itertools.product(*pairs):
        yield (
            dict(zip(sweep, (value for value, _ in combination), strict=True)),
            dict(zip(sweep, (label for _, label in combination), strict=True)),
        )


def value_labels(name: str, values: list[Any]) -> list[float] | list[str]:
    """Return the labels of a sweep's values in the results: numbers if all values are numbers, text otherwise."""
    labels: list[Any] = _numbers(name, values) if all(map(_is_number, values)) else _texts(values)
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        raise ParameterError(
            f"sweep.{name} contains {text(repeated[0])!r} twice; make the values differ, or give each its own label"
        )
    return labels


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(name: str, values: list[Any]) -> list[float]:
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise ParameterError(f"sweep.{name} must hold numbers below 1e308 in size, got a larger one") from None


def _texts(values: list[Any]) -> list[str]:
    unlabelled = [value for value in values if isinstance(value, Mapping) and "label" not in value]
    return [_text(value, unlabelled) for value in values]


def _text(value: Any, unlabelled: list[Mapping[str, Any]]) -> str:
    """Return a table's label, or its name, with the parameters in which it differs from others of that name."""
    if not isinstance(value, Mapping):
        return text(value)
    if "label" in value:
        return str(value["label"])
    same_name = [other for other in unlabelled if other.get("name") == value.get("name")]
    differing = [key for key in value if any(other.get(key) != value[key] for other in same_name)]
    return _describe(value, differing)


def _describe(value: Any, keys: list[str] | None = None) -> str:
    """Return a table's name with some of its parameters, or with all."""
    if not isinstance(value, Mapping):
        return text(value)
    chosen = [key for key in value if key != "name"] if keys is None else keys
    parameters = ", ".join(f"{key} {_describe(value[key])}" for key in chosen)
    name = str(value.get("name", ""))
    return f"{name} ({parameters})".strip() if parameters else name


def variables_in(value: Any) -> list[str]:
    """Return the names that occur in a value as "$name" or "$name.key"."""
    if isinstance(value, str) and value.startswith("$"):
        return [value[1:].partition(".")[0]]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return [name for part in parts for name in variables_in(part)]


def substitute(value: Any, variables: Mapping[str, Any], where: str) -> Any:
    """Return a value in which every "$name" is replaced by that variable."""
    if isinstance(value, str) and value.startswith("$"):
        name, _, key = value[1:].partition(".")
        if name not in variables:
            known = ", ".join(f"${each}" for each in variables) or "none"
            raise ParameterError(f"{where} is {value!r}, but there is no such variable; there are: {known}")
        others = {other: given for other, given in variables.items() if other != name}  # no variable contains itself
        return substitute(
            _entry(variables[name], key, f"{where} is {value!r}") if key else variables[name], others, where
        )
    if isinstance(value, Mapping):
        return {key: substitute(part, variables, f"{where}.{key}") for key, part in value.items() if key != "label"}
    return [substitute(part, variables, where) for part in value] if isinstance(value, list) else value


def _entry(value: Any, key: str, where: str) -> Any:
    if not isinstance(value, Mapping) or key not in value:
        entries = ", ".join(value) if isinstance(value, Mapping) else "no entries"
        raise ParameterError(f"{where}, but that value has no {key!r}; there are: {entries}")
    return value[key]
