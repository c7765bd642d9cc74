"""The selection probabilities: equations (10) and (11) of docs/wary.md."""

import numpy as np

from trueward.engine.kernel import Floats, not_inlined
from trueward.policies.wary.constants import SMALLEST_GAIN
from trueward.policies.wary.posterior import StudyPosterior

PEOPLE, LIFTED, PUSHED = range(3)


@not_inlined
def expected_gains(own: Floats, others: Floats) -> Floats:
    """Return E[(m_a - max of the other m_j)^+] for each arm, in steps of the means: equation (10).

    `own` and `others` are densities of the honest means, (arms, means): of the arm itself, and of arms as its rivals.
    """
    n_arms = own.shape[0]
    below, product = np.empty(others.shape), np.ones(others.shape[1])
    for arm in range(n_arms):
        below[arm] = np.maximum(np.cumsum(others[arm]), 1e-30)
        product = product * below[arm]
    gains = np.empty(n_arms)
    for arm in range(n_arms):
        above = np.maximum(1.0 - np.cumsum(own[arm]), 0.0)
        gains[arm] = (above * product / below[arm]).sum()
    return gains


@not_inlined
def selection_probabilities(posterior: StudyPosterior, power: float) -> Floats:
    """Return probabilities in proportion to a power of the expected gain, over all regimes: equation (11)."""
    people, lifted, pushed = posterior.density[:, PEOPLE], posterior.density[:, LIFTED], posterior.density[:, PUSHED]
    gains = posterior.people * expected_gains(people, people)
    gains += posterior.attack_on * expected_gains(pushed, lifted)
    p = np.maximum(gains / gains.max(), SMALLEST_GAIN) ** power
    return np.asarray(p / p.sum())
