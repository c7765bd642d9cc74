"""Catoni's mean."""

import math

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.errors import ParameterError
from trueward.parameters import check_number, check_sample

MAX_STEPS = 200  # about five are usually enough; more are needed far from the root, among huge rewards
NEWTON_STEPS = 8  # after these, every other step bisects the interval
TOLERANCE = 1e-12  # relative to the width 1 / a
LARGE = 1e100  # beyond, 1 + u + u^2 / 2 equals u^2 / 2, which may overflow
LARGEST = 1e300


@kernel
def influence(u: float) -> tuple[float, float]:
    """Return psi(u) = sign(u) ln(1 + |u| + u^2 / 2) and its derivative."""
    size = min(abs(u), LARGEST)
    if size > LARGE:
        value, slope = 2.0 * math.log(size) - math.log(2.0), 2.0 / size
    else:
        inner = 1.0 + size + 0.5 * size * size
        value, slope = math.log(inner), (1.0 + size) / inner
    return (-value if u < 0.0 else value), slope


@kernel
def catoni_scale(n: int, variance: float, log_confidence: float) -> float:
    """Return a for n > 2 L rewards, with L = ln(1 / delta) = log_confidence."""
    return math.sqrt(
        2.0 * log_confidence / (n * (variance + 2.0 * variance * log_confidence / (n - 2.0 * log_confidence)))
    )


@kernel
def catoni_root(values: Floats, counts: Ints, scale: float, start: float) -> float:
    """Return the root for values with these counts: Newton's method from `start`, safeguarded by bisection."""
    low, high = math.inf, -math.inf
    for i in range(values.size):
        if counts[i] > 0:
            low, high = min(low, float(values[i])), max(high, float(values[i]))
    theta = min(max(start, low), high)
    for step in range(MAX_STEPS):
        total, slope = 0.0, 0.0
        for i in range(values.size):
            if counts[i] > 0:
                value, derivative = influence(scale * (float(values[i]) - theta))
                total += float(counts[i]) * value
                slope += float(counts[i]) * derivative
        if total > 0.0:
            low = theta
        else:
            high = theta
        new = theta + total / slope / scale  # the slope is at least n 2 / LARGEST
        if abs(total) <= TOLERANCE * slope:
            return min(max(new, low), high)
        if not low < new < high or (step >= NEWTON_STEPS and step % 2 == 0):
            new = 0.5 * low + 0.5 * high
        theta = new
    return theta


def catoni_mean(x: ArrayLike, *, variance: float, delta: float) -> float:
    """Return Catoni's mean of a sample: a distant reward counts only by the logarithm of its distance.

        the theta with  sum_i psi(a (x_i - theta)) = 0,    psi(u) = sign(u) ln(1 + |u| + u^2 / 2)
        a = sqrt(2 L / (n (v + 2 v L / (n - 2 L)))),    L = ln(1 / delta),  n > 2 L

    It withstands heavy tails: it needs only a variance of at most v. It reduces the effect of contamination but does
    not bound it: a fraction of huge rewards moves it as far as the logarithm of their size allows, and so without
    limit. It depends on a confidence level that changes in every round, so it is a function and not an `Estimator`;
    `HeavyTailUCB` uses it.

    Parameters
    ----------
    x : array_like
        Rewards.
    variance : float
        Upper bound v on the variance of the rewards, above 0.
    delta : float
        Tail probability, in (exp(-n / 2), 1).

    Notes
    -----
    The left side of the equation decreases in theta. Newton's method finds the root, inside an interval that bisection
    narrows.

    Guarantee: for n >= 4 L the error is at most 2 sqrt(v L / n) with probability 1 - 2 delta.

    Examples
    --------
    >>> x = [4.0, 5.0, 6.0, 5.0, 4.0, 6.0, 5.0, 5.0, 5.0, 105.0]
    >>> round(catoni_mean(x, variance=1.0, delta=0.1), 4), round(sum(x) / 10, 4)
    (6.7343, 15.0)

    References
    ----------
    Catoni (2012), Challenging the empirical mean and empirical variance; Bubeck, Cesa-Bianchi & Lugosi (2013), Bandits
    with heavy tail, Lemma 3. The root finder is ours.
    """
    rewards = check_sample(x, -1)
    check_number("variance", variance, above=0)
    log_confidence = -math.log(check_number("delta", delta, above=0, below=1))
    if rewards.size <= 2.0 * log_confidence:
        lowest = math.exp(-rewards.size / 2.0)
        raise ParameterError(f"delta must be above {lowest:g} for {rewards.size} rewards, got {delta!r}")
    scale = catoni_scale(rewards.size, float(variance), log_confidence)
    return catoni_root(rewards, np.ones(rewards.size, np.int64), scale, float(np.median(rewards)))
