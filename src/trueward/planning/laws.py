"""Laws of ratings for a study that nobody has rated yet: on a scale, with a mean and a standard deviation.

    p(v) proportional to exp(a v + b v^2),    a and b such that mean and standard deviation are as asked

Of all laws with these two, this one has the largest entropy: it assumes nothing else. On a fine scale it is a normal
law cut off at the ends; with a large standard deviation it heaps there.

>>> law = rating_law(np.arange(1.0, 6.0), mean=3.4, sd=1.2)
>>> law.round(3).tolist()
[0.073, 0.166, 0.262, 0.285, 0.214]
"""

import numpy as np
from scipy.optimize import brentq

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError

STEPS = 200  # of Newton's method: a few suffice, but for laws at the edge of what is possible
STEEPEST = 600.0  # tilt, of a scale from 0 to 1: e^600 is still a number
EXACT = 1e-10  # of mean and mean square, on a scale from 0 to 1
ROOM = 1e-3  # between a variance and the largest or smallest that is possible, as a part of their distance


def rating_law(values: Floats, *, mean: float, sd: float | None = None) -> Floats:
    """Return the probabilities of equally spaced ratings; on a scale of two values, the mean says all."""
    low, width = values[0], values[-1] - values[0]
    place = (mean - low) / width
    if not 0.0 < place < 1.0:
        raise ParameterError(f"mean must be between {low:g} and {values[-1]:g}, the ends of the scale, got {mean:g}")
    if values.size == 2:
        return np.array([1.0 - place, place])
    fewest, most = sd_range(values, mean)
    if sd is None or not fewest < sd < most:
        raise ParameterError(
            f"sd must be above {fewest:.3g} and below {most:.3g} for ratings with a mean of {mean:g}, got {sd!r}"
        )
    return _fitted((values - low) / width, place, (sd / width) ** 2 + place * place)


def sd_range(values: Floats, mean: float) -> tuple[float, float]:
    """Return between which standard deviations ratings with this mean have to lie, with a little room."""
    low, width = values[0], values[-1] - values[0]
    place, step = (mean - low) / width, 1.0 / (values.size - 1)
    beside = place / step % 1.0
    least, largest = beside * (1.0 - beside) * step * step, place * (1.0 - place)
    room = ROOM * (largest - least)
    return float(width * np.sqrt(least + room)), float(width * np.sqrt(largest - room))


def tilted_law(values: Floats, p: Floats, *, mean: float) -> Floats:
    """Return the law nearest to another one (in relative entropy) that has this mean: p(v) e^(a v), normalised."""
    inside = p > 0.0
    low, high = values[inside][[0, -1]].tolist()
    if not low < mean < high:
        raise ParameterError(f"mean must be between {low:g} and {high:g}, the ratings that were given, got {mean:g}")
    x = (values - values[0]) / (values[-1] - values[0])
    place = (mean - values[0]) / (values[-1] - values[0])

    def distribution(a: float) -> Floats:
        weights = p * np.exp(a * (x - (1.0 if a > 0.0 else 0.0)))
        return np.asarray(weights / weights.sum())

    return distribution(float(brentq(lambda a: float(distribution(a) @ x) - place, -STEEPEST, STEEPEST, xtol=EXACT)))


def _fitted(x: Floats, first: float, second: float) -> Floats:
    """Return the law whose first two moments are as given, by Newton's method on a convex function."""
    powers, wanted = np.stack([x, x * x]), np.array([first, second])
    at = np.zeros(2)
    for _ in range(STEPS):
        p = _law(at, powers)
        off = powers @ p - wanted
        if np.abs(off).max() < EXACT:
            return p
        curved = (powers * p) @ powers.T - np.outer(powers @ p, powers @ p)
        step = np.linalg.solve(curved + 1e-14 * np.eye(2), off)
        while _height(at - step, powers, wanted) > _height(at, powers, wanted) and np.abs(step).max() > 1e-12:
            step = step / 2.0
        at = at - step
    return _law(at, powers)


def _law(at: Floats, powers: Floats) -> Floats:
    logs = at @ powers
    p = np.exp(logs - logs.max())
    return np.asarray(p / p.sum())


def _height(at: Floats, powers: Floats, wanted: Floats) -> float:
    logs = at @ powers
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()) - at @ wanted)
