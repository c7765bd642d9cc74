"""Numbers with 95 % confidence intervals: means, proportions, ratios of means."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.stats import binomtest

from trueward.engine.kernel import Bools, Floats
from trueward.statistics.mean_interval import Z, mean_interval

RESAMPLES = 1000  # of the bootstrap, for ratios

Estimate = tuple[float, float, float]  # a number, and its 95 % confidence interval


def mean(values: Floats) -> Estimate:
    """Return the mean over trials with its normal interval."""
    centre, low, high = mean_interval(values)
    return float(centre), float(low), float(high)


def proportion(holds: Bools) -> Estimate:
    """Return the proportion of trials in which something holds, with its Wilson interval."""
    interval = binomtest(int(holds.sum()), holds.size).proportion_ci(method="wilson")
    return float(holds.mean()), float(interval.low), float(interval.high)


def exactly(value: float) -> Estimate:
    """Return a number that is known without error."""
    return value, value, value


def bounded_mean(value: float, bound: float, trials: int) -> Estimate:
    """Return a mean of numbers between -bound and bound with an interval for the largest variance they can have.

    That is (bound - mean)(bound + mean), Bhatia and Davis (2000): for a mean whose trials were not kept.
    """
    half = Z * math.sqrt(max(bound * bound - value * value, 0.0) / trials)
    return value, value - half, value + half


def bootstrap(values: Floats, statistic: Callable[[Floats], Floats]) -> Estimate:
    """Return a function of column means, with its percentile interval over resampled trials (rows)."""
    means = _weights(values.shape[0]) @ values  # (resamples, columns)
    low, high = np.quantile(statistic(means), [0.025, 0.975])
    return float(statistic(values.mean(axis=0))), float(low), float(high)


def saving(regret: Floats, baseline: Floats) -> Estimate:
    """Return the share of the baseline's mean regret that is saved, in the same trials."""
    return bootstrap(np.column_stack([regret, baseline]), lambda means: 1 - means[..., 0] / means[..., 1])


@lru_cache(maxsize=1)
def _weights(trials: int) -> Floats:
    counts = np.random.default_rng(0).multinomial(trials, np.full(trials, 1 / trials), size=RESAMPLES)
    return np.asarray(counts / trials)
