"""Catoni's mean: a reward far away counts only by the logarithm of its distance.

    the theta with  sum_i psi(a (x_i - theta)) = 0,    psi(u) = sign(u) ln(1 + |u| + u^2 / 2)
    a = sqrt(2 L / (n (v + 2 v L / (n - 2 L)))),    L = ln(1 / delta),  n > 2 L

Withstands heavy tails: it needs a variance of at most v and no more. Contamination is only damped: a fraction of huge
rewards moves it by as much as the logarithm of their size allows, and so without bound. It depends on a confidence that
changes in every round, so it is a function here and not an `Estimator`; `HeavyTailUCB` plays with it.

>>> x = [4.0, 5.0, 6.0, 5.0, 4.0, 6.0, 5.0, 5.0, 5.0, 105.0]
>>> round(catoni_mean(x, variance=1.0, delta=0.1), 4), round(sum(x) / 10, 4)
(6.7343, 15.0)

The left side falls in theta. Its root is found by Newton's method, kept inside an interval that bisection narrows.

Guarantee: for n >= 4 L an error of at most 2 sqrt(v L / n) with probability 1 - 2 delta.

Reference: Catoni (2012), Challenging the empirical mean and empirical variance; Bubeck, Cesa-Bianchi & Lugosi (2013),
Bandits with heavy tail, Lemma 3. Newton's steps are ours.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.errors import ParameterError
from trueward.parameters import check_number, check_sample

STEPS = 200  # at most; about five are needed, and more only far from the root, among huge rewards
NEWTON_STEPS = 8  # from then on, every other step halves the interval
EXACT = 1e-12  # of the width 1 / a
LARGE = 1e100  # from here on 1 + u + u^2 / 2 is u^2 / 2, which may overflow
LARGEST = 1e300


@kernel
def influence(u: float) -> tuple[float, float]:
    """Return psi(u) and its derivative."""
    size = min(abs(u), LARGEST)
    if size > LARGE:
        value, slope = 2.0 * math.log(size) - math.log(2.0), 2.0 / size
    else:
        inner = 1.0 + size + 0.5 * size * size
        value, slope = math.log(inner), (1.0 + size) / inner
    return (-value if u < 0.0 else value), slope


@kernel
def catoni_scale(n: int, variance: float, log: float) -> float:
    """Return a, for n > 2 log rewards."""
    return math.sqrt(2.0 * log / (n * (variance + 2.0 * variance * log / (n - 2.0 * log))))


@kernel
def catoni_root(values: Floats, times: Ints, scale: float, start: float) -> float:
    """Return the root for values that occur so many times, sought from `start` on."""
    low, high = math.inf, -math.inf
    for i in range(values.size):
        if times[i] > 0:
            low, high = min(low, float(values[i])), max(high, float(values[i]))
    theta = min(max(start, low), high)
    for step in range(STEPS):
        total, slope = 0.0, 0.0
        for i in range(values.size):
            if times[i] > 0:
                value, derivative = influence(scale * (float(values[i]) - theta))
                total += float(times[i]) * value
                slope += float(times[i]) * derivative
        if total > 0.0:
            low = theta
        else:
            high = theta
        new = theta + total / slope / scale  # the slope is at least n 2 / LARGEST
        if abs(total) <= EXACT * slope:
            return min(max(new, low), high)
        if not low < new < high or (step >= NEWTON_STEPS and step % 2 == 0):
            new = 0.5 * low + 0.5 * high
        theta = new
    return theta


def catoni_mean(x: ArrayLike, *, variance: float, delta: float) -> float:
    """Return Catoni's mean of a sample, for rewards whose variance is at most `variance`, at confidence 1 - delta."""
    rewards = check_sample(x, -1)
    check_number("variance", variance, above=0)
    log = -math.log(check_number("delta", delta, above=0, below=1))
    if rewards.size <= 2.0 * log:
        raise ParameterError(f"delta must be above {math.exp(-rewards.size / 2.0):g} for these rewards, got {delta!r}")
    scale = catoni_scale(rewards.size, float(variance), log)
    return catoni_root(rewards, np.ones(rewards.size, np.int64), scale, float(np.median(rewards)))
