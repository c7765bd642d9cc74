"""How often each value of a scale was seen, per arm."""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.states import Setting, given, new, per_arm, single
from trueward.estimators.samples.sorted_sample import count_below


class Histogram(NamedTuple):
    """Counts per arm and value."""

    counts: Annotated[Ints, per_arm(0, "values")]
    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, single(given)]  # (values,) the scale, increasing
    per_step: float  # values per unit, on a scale of equal steps; else 0


def histogram(setting: Setting) -> Histogram:
    """Return empty counts on the scale of a setting; without one, on no values at all."""
    scale = np.zeros(0) if setting.scale is None else np.asarray(setting.scale, dtype=np.float64)
    steps = np.diff(scale)
    even = steps.size > 0 and np.allclose(steps, steps[0], rtol=1e-12, atol=0.0)
    per_step = 1.0 / float(steps[0]) if even else 0.0
    return new(Histogram, setting, {"values": scale.size}, values=scale, per_step=per_step)


@kernel
def position(values: Floats, per_step: float, reward: float) -> int:
    """Return where a reward stands on the scale; one beyond an end counts as the end."""
    if per_step > 0.0:
        return int(min(max((reward - values[0]) * per_step, 0.0), values.size - 1.0) + 0.5)
    return count_below(values, values.size - 1, reward)


@kernel
def tally(counted: Histogram, arm: int, reward: float) -> int:
    """Count a rating and return the new number of ratings of its arm."""
    counted.counts[arm, position(counted.values, counted.per_step, reward)] += 1
    counted.sizes[arm] += 1
    return int(counted.sizes[arm])


@kernel
def at_rank(counted: Histogram, arm: int, rank: int) -> int:
    """Return the position on the scale of the rating at a rank, counted from 0."""
    j = 0
    below = counted.counts[arm, 0]
    while below <= rank:
        j += 1
        below += counted.counts[arm, j]
    return j
