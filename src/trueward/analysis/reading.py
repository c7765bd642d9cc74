"""From the columns of a table to decisions: checked, completed, and in the order of asking."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis import columns as read
from trueward.analysis.columns import Columns
from trueward.engine.kernel import Bools, Floats, Ints
from trueward.errors import ParameterError

NARROWEST = 1e-300  # scale: ratings are divided by its width
Scale = tuple[float, float]
Reader = Callable[[Any], float]
Parts = tuple[tuple[str, ...], Scale, bool, pl.DataFrame, Floats | None, Bools]
"""Arms, scale, whether it was declared, the table of decisions, the arms' probabilities, and which could be shown."""


def decisions_from(given: Columns, scale: Scale | None) -> Parts:
    """Return what decisions consist of."""
    arm, rating = given.needed("arm", str), given.needed("rating", read.number)
    _refuse_empty(given, arm)
    known_p = _unless_forced(given, given.values("probabilities", read.probabilities))
    arms = tuple(dict.fromkeys([label for p in known_p or [] if p for label in p] + arm))
    if len(arms) < 2:
        raise given.refuse("arm", f"is the last, and only {arms[0]!r} was named: there must be two arms", len(arm) - 1)
    status = _statuses(given, rating)
    ends = _scale(given, [None if word == "void" else r for word, r in zip(status, rating, strict=True)], scale)
    table = pl.DataFrame(
        {
            "number": _numbers(given, len(arm)),
            "arm": [arms.index(label) for label in arm],
            "rating": pl.Series(rating, dtype=pl.Float64),
            "status": status,
            "participant": pl.Series(given.values("participant", str) or [None] * len(arm), dtype=pl.String),
            "seconds": _evidence(given, "seconds", read.not_negative, read.not_negative),
            "check": _evidence(given, "check", read.check, read.passed),
            "known": pl.Series(_known(given) or [None] * len(arm), dtype=pl.Int64),
        }
    )
    p, available = _probabilities(given, arms, table["arm"].to_numpy(), known_p)
    order = table["number"].arg_sort().to_numpy()
    return arms, ends, scale is not None, table[order], None if p is None else p[order], available[order]


def _refuse_empty(given: Columns, arm: list[Any]) -> None:
    if not arm:
        raise given.refuse("arm", "there are no rows")
    if None in arm:
        raise given.refuse("arm", "must not be empty", arm.index(None))


def _scale(given: Columns, rating: list[float | None], scale: Scale | None) -> Scale:
    """Return the scale, and refuse a rating that is off it; or the range of the ratings, where none is declared."""
    name = given.called("rating") or "rating"
    known = [value for value in rating if value is not None]
    if scale is None:
        if len(set(known)) < 2 or max(known) - min(known) < NARROWEST:
            problem = "is the last, and there are no two different ratings: declare the scale"
            raise given.refuse(name, problem, len(rating) - 1)
        return min(known), max(known)
    if scale[1] - scale[0] < NARROWEST:
        raise ParameterError(f"scale must be at least {NARROWEST:g} wide, got {scale!r}")
    for row, value in enumerate(rating):
        if value is not None and not scale[0] <= value <= scale[1]:
            raise given.refuse(name, f"must be on the scale from {scale[0]:g} to {scale[1]:g}, got {value:g}", row)
    return scale


def _statuses(given: Columns, rating: list[float | None]) -> list[str]:
    told = given.values("status", read.status) or [None] * len(rating)
    for row, (word, value) in enumerate(zip(told, rating, strict=True)):
        if word is not None and word != "void" and (word == "rated") == (value is None):
            raise given.refuse("status", f"is {word!r}, but the rating is {'empty' if value is None else value}", row)
    return [word or ("missing" if value is None else "rated") for word, value in zip(told, rating, strict=True)]


def _numbers(given: Columns, n: int) -> Any:
    """Return the number of each decision: as told, by time, or as they stand."""
    told = given.values("number", read.number)
    times = given.values("time", read.moment) if told is None else None
    order = told or times
    if order is None:
        return np.arange(1, n + 1)
    name = given.called("number" if told else "time") or ""
    if None in order:
        raise given.refuse(name, "must not be empty", order.index(None))
    if told and len(set(told)) < n:
        row = next(row for row, each in enumerate(told) if each in told[:row])
        raise given.refuse(name, f"must differ from row to row, got {told[row]:g} again", row)
    places = np.empty(n, np.int64)
    places[np.argsort(order, kind="stable")] = np.arange(1, n + 1)
    return places


def _evidence(given: Columns, name: str, of_column: Reader, of_evidence: Reader) -> pl.Series:
    """Return what came with each rating under a name: a column of its own, or from the evidence of a study."""
    values = given.values(name, of_column)
    if values is None:
        values = given.evidence(name, of_evidence) or [None] * len(given.data["arm"])
    return pl.Series(values, dtype=pl.Float64)


def _known(given: Columns) -> list[int | None] | None:
    """Return how many decisions had been asked for when each rating was told, where both times are known."""
    asked, told = given.values("time", read.moment), given.values("told_at", read.moment)
    if asked is None or told is None or None in asked:
        return None
    times = np.sort(asked)
    return [None if t is None else int(np.searchsorted(times, t, side="right")) for t in told]


def _probabilities(
    given: Columns, arms: tuple[str, ...], arm: Ints, by_name: list[dict[str, float] | None] | None
) -> tuple[Floats | None, Bools]:
    """Return the probabilities of the arms at each decision, NaN where not known, and which arms could be shown.

    An arm that is not among the probabilities of a decision could not be shown.
    """
    shown = _unless_forced(given, given.values("probability", read.probability))
    rows, p = np.arange(arm.size), np.full((arm.size, len(arms)), np.nan)
    available = np.ones(p.shape, np.bool_)
    if by_name is not None:
        for row, known in enumerate(by_name):
            if known is not None:
                p[row] = [known.get(label, 0.0) for label in arms]
                available[row] = [label in known for label in arms]
        _refuse_impossible(given, p[rows, arm])
        return p, available
    if shown is None:
        return None, available
    p[rows, arm] = [np.nan if each is None else each for each in shown]
    if len(arms) == 2:
        p[rows, 1 - arm] = 1.0 - p[rows, arm]
    return p, available


def _unless_forced(given: Columns, values: list[Any] | None) -> list[Any] | None:
    """Return probabilities without those of decisions that were made elsewhere, as a study's table names them."""
    kinds = given.values("kind", str)
    if values is None or kinds is None:
        return values
    return [None if kind == "forced" else value for kind, value in zip(kinds, values, strict=True)]


def _refuse_impossible(given: Columns, shown: Floats) -> None:
    if (shown == 0.0).any():
        raise given.refuse("probabilities", "must be above 0 for the arm that was shown", int(np.argmax(shown == 0.0)))
