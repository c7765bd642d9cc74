"""The mean over trials, and its confidence interval."""

import numpy as np

from trueward.engine.kernel import Floats

Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution, for 95 % intervals


def standard_deviation(values: Floats) -> Floats:
    """Return the sample standard deviation over trials, the first axis; 0 for a single trial."""
    return np.asarray(values.std(axis=0, ddof=1) if values.shape[0] > 1 else np.zeros(values.shape[1:]))


def mean_interval(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean over trials, the first axis, and its 95 % confidence interval."""
    mean = np.asarray(values.mean(axis=0))
    half_width = Z * standard_deviation(values) / np.sqrt(values.shape[0])
    return mean, mean - half_width, mean + half_width
