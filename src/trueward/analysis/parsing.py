"""Parse the columns of a table into the parts of `Decisions`: checked, completed, and in the order of asking."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis import columns as read
from trueward.analysis.columns import Columns
from trueward.engine.kernel import Bools, Floats, Ints
from trueward.errors import ParameterError

MIN_WIDTH = 1e-300  # of the scale, by which ratings are divided
Scale = tuple[float, float]
Reader = Callable[[Any], float]
Parts = tuple[tuple[str, ...], Scale, bool, pl.DataFrame, Floats | None, Bools]
"""The arms, the scale, whether it was declared, the table, the probabilities, and which arms could be shown."""


def parse_columns(columns: Columns, scale: Scale | None) -> Parts:
    arm, rating = columns.required("arm", str), columns.required("rating", read.number)
    _check_not_empty(columns, arm)
    known_p = _of_own_decisions(columns, columns.values("probabilities", read.probabilities))
    arms = tuple(dict.fromkeys([label for p in known_p or [] if p for label in p] + arm))
    if len(arms) < 2:
        raise columns.error("arm", f"is the last, and only {arms[0]!r} was named: there must be two arms", len(arm) - 1)
    status = _statuses(columns, rating)
    limits = _scale(columns, [None if word == "void" else r for word, r in zip(status, rating, strict=True)], scale)
    table = pl.DataFrame(
        {
            "number": _numbers(columns, len(arm)),
            "arm": [arms.index(label) for label in arm],
            "rating": pl.Series(rating, dtype=pl.Float64),
            "status": status,
            "participant": pl.Series(columns.values("participant", str) or [None] * len(arm), dtype=pl.String),
            "seconds": _evidence(columns, "seconds", read.not_negative, read.not_negative),
            "check": _evidence(columns, "check", read.check, read.passed),
            "told_after": pl.Series(_told_after(columns) or [None] * len(arm), dtype=pl.Int64),
        }
    )
    p, available = _probabilities(columns, arms, table["arm"].to_numpy(), known_p)
    order = table["number"].arg_sort().to_numpy()
    return arms, limits, scale is not None, table[order], None if p is None else p[order], available[order]


def _check_not_empty(columns: Columns, arm: list[Any]) -> None:
    if not arm:
        raise columns.error("arm", "there are no rows")
    if None in arm:
        raise columns.error("arm", "must not be empty", arm.index(None))


def _scale(columns: Columns, rating: list[float | None], scale: Scale | None) -> Scale:
    """Return the declared scale, which must contain every rating, or else the range of the ratings."""
    name = columns.name_of("rating") or "rating"
    known = [value for value in rating if value is not None]
    if scale is None:
        if len(set(known)) < 2 or max(known) - min(known) < MIN_WIDTH:
            problem = "is the last, and there are no two different ratings: declare the scale"
            raise columns.error(name, problem, len(rating) - 1)
        return min(known), max(known)
    if scale[1] - scale[0] < MIN_WIDTH:
        raise ParameterError(f"scale must be at least {MIN_WIDTH:g} wide, got {scale!r}")
    for row, value in enumerate(rating):
        if value is not None and not scale[0] <= value <= scale[1]:
            raise columns.error(name, f"must be on the scale from {scale[0]:g} to {scale[1]:g}, got {value:g}", row)
    return scale


def _statuses(columns: Columns, rating: list[float | None]) -> list[str]:
    declared = columns.values("status", read.status) or [None] * len(rating)
    for row, (word, value) in enumerate(zip(declared, rating, strict=True)):
        if word is not None and word != "void" and (word == "rated") == (value is None):
            raise columns.error("status", f"is {word!r}, but the rating is {'empty' if value is None else value}", row)
    return [word or ("missing" if value is None else "rated") for word, value in zip(declared, rating, strict=True)]


def _numbers(columns: Columns, n: int) -> Any:
    """Return the number of each decision: as given, by time, or in the order of the rows."""
    numbers = columns.values("number", read.number)
    times = columns.values("time", read.moment) if numbers is None else None
    order = numbers or times
    if order is None:
        return np.arange(1, n + 1)
    name = columns.name_of("number" if numbers else "time") or ""
    if None in order:
        raise columns.error(name, "must not be empty", order.index(None))
    if numbers and len(set(numbers)) < n:
        row = next(row for row, each in enumerate(numbers) if each in numbers[:row])
        raise columns.error(name, f"must differ from row to row, got {numbers[row]:g} again", row)
    places = np.empty(n, np.int64)
    places[np.argsort(order, kind="stable")] = np.arange(1, n + 1)
    return places


def _evidence(columns: Columns, name: str, of_column: Reader, of_evidence: Reader) -> pl.Series:
    """Return evidence from a column of its own, or from the column of evidence in the table of a study."""
    values = columns.values(name, of_column)
    if values is None:
        values = columns.evidence(name, of_evidence) or [None] * len(columns.data["arm"])
    return pl.Series(values, dtype=pl.Float64)


def _told_after(columns: Columns) -> list[int | None] | None:
    """Return how many decisions had been made when each rating arrived, where both times are known."""
    asked, told = columns.values("time", read.moment), columns.values("told_at", read.moment)
    if asked is None or told is None or None in asked:
        return None
    times = np.sort(asked)
    return [None if t is None else int(np.searchsorted(times, t, side="right")) for t in told]


def _probabilities(
    columns: Columns, arms: tuple[str, ...], arm: Ints, by_name: list[dict[str, float] | None] | None
) -> tuple[Floats | None, Bools]:
    """Return the probabilities of the arms at each decision, NaN where unknown, and which arms could be shown.

    An arm that is missing from the probabilities of a decision could not be shown.
    """
    shown = _of_own_decisions(columns, columns.values("probability", read.probability))
    rows, p = np.arange(arm.size), np.full((arm.size, len(arms)), np.nan)
    available = np.ones(p.shape, np.bool_)
    if by_name is not None:
        for row, known in enumerate(by_name):
            if known is not None:
                p[row] = [known.get(label, 0.0) for label in arms]
                available[row] = [label in known for label in arms]
        _check_possible(columns, p[rows, arm])
        return p, available
    if shown is None:
        return None, available
    p[rows, arm] = [np.nan if each is None else each for each in shown]
    if len(arms) == 2:
        p[rows, 1 - arm] = 1.0 - p[rows, arm]
    return p, available


def _of_own_decisions(columns: Columns, values: list[Any] | None) -> list[Any] | None:
    """Return probabilities without those of "forced" decisions, which a study has imported."""
    kinds = columns.values("kind", str)
    if values is None or kinds is None:
        return values
    return [None if kind == "forced" else value for kind, value in zip(kinds, values, strict=True)]


def _check_possible(columns: Columns, shown: Floats) -> None:
    if (shown == 0.0).any():
        raise columns.error("probabilities", "must be above 0 for the arm that was shown", int(np.argmax(shown == 0.0)))
