"""The mean over trials and how sure it is."""

import numpy as np

from trueward.engine.kernel import Floats

Z = 1.959963984540054  # the 97.5 % point of the normal distribution: intervals are 95 %


def standard_deviation(values: Floats) -> Floats:
    """Return the standard deviation over trials, the first axis; 0 for a single one."""
    return np.asarray(values.std(axis=0, ddof=1) if values.shape[0] > 1 else np.zeros(values.shape[1:]))


def mean_interval(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean over trials, the first axis, and its 95 % confidence interval."""
    mean = np.asarray(values.mean(axis=0))
    half = Z * standard_deviation(values) / np.sqrt(values.shape[0])
    return mean, mean - half, mean + half
