"""Stage 5: what was lost, in three meanings that must not be mixed up.

    uncontaminated   sum of gaps of the arms played             the paper's: true means, no noise
    realised         sum of r_best(t) - r_played(t)             the true rewards that were drawn
    observed         sum of r_best(t) - x_played(t)             Kapoor's: contamination counts as if it were earned

The first two have the same mean; the third can be negative, and an adversary can make it anything.

Reference: Niss & Tewari (2020), equations (1) and (2); Kapoor, Patel & Kar (2019).
"""

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats


def uncontaminated_regret(pulls: NDArray[np.integer], gaps: Floats) -> Floats:
    """Return the sum of gaps over all pulls; `pulls` has the arms along its last axis."""
    return np.asarray(pulls @ gaps)


def realised_regret(best_reward: Floats, true_reward: Floats) -> Floats:
    """Return what the best arm would have paid, less what the arms played truly paid."""
    return np.asarray(best_reward - true_reward)


def observed_regret(best_reward: Floats, observed_reward: Floats) -> Floats:
    """Return what the best arm would truly have paid, less what was shown for the arms played."""
    return np.asarray(best_reward - observed_reward)
