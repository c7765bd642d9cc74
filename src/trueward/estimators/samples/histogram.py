"""Counts of how often each value of a scale was observed, per arm."""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.states import Setting, given, new, per_arm, single
from trueward.estimators.samples.sorted_sample import count_below


class Histogram(NamedTuple):
    """Counts per arm and value of the scale."""

    counts: Annotated[Ints, per_arm(0, "values")]
    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, single(given)]  # (values,) the scale, increasing
    steps_per_unit: float  # 1 / step on a scale with equal steps, else 0


def new_histogram(setting: Setting) -> Histogram:
    """Return zero counts on the scale of a setting; without a scale, an empty histogram."""
    scale = np.zeros(0) if setting.scale is None else np.asarray(setting.scale, dtype=np.float64)
    steps = np.diff(scale)
    even = steps.size > 0 and np.allclose(steps, steps[0], rtol=1e-12, atol=0.0)
    steps_per_unit = 1.0 / float(steps[0]) if even else 0.0
    return new(Histogram, setting, {"values": scale.size}, values=scale, steps_per_unit=steps_per_unit)


@kernel
def scale_index(values: Floats, steps_per_unit: float, reward: float) -> int:
    """Return the index of a reward on the scale; a reward outside it counts as the nearer end."""
    if steps_per_unit > 0.0:
        return int(min(max((reward - values[0]) * steps_per_unit, 0.0), values.size - 1.0) + 0.5)
    return count_below(values, values.size - 1, reward)


@kernel
def count_rating(histogram: Histogram, arm: int, reward: float) -> int:
    """Count a rating, and return the new number of ratings of its arm."""
    histogram.counts[arm, scale_index(histogram.values, histogram.steps_per_unit, reward)] += 1
    histogram.sizes[arm] += 1
    return int(histogram.sizes[arm])


@kernel
def scale_index_at_rank(histogram: Histogram, arm: int, rank: int) -> int:
    """Return the index on the scale of the rating at a rank, counted from 0."""
    j = 0
    below = histogram.counts[arm, 0]
    while below <= rank:
        j += 1
        below += histogram.counts[arm, j]
    return j
