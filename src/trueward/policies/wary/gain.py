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
    n_arms, n_means = own.shape
    after = np.ones((n_arms, n_means))  # P(all later arms <= m)
    for arm in range(n_arms - 1, 0, -1):
        after[arm - 1] = after[arm] * np.cumsum(others[arm])
    before, gains = np.ones(n_means), np.empty(n_arms)  # P(all earlier arms <= m)
    for arm in range(n_arms):
        at_least = np.cumsum(own[arm][::-1])[::-1]  # P(m_a >= m); a difference from 1 would lose small probabilities
        gains[arm] = (at_least[1:] * before[:-1] * after[arm, :-1]).sum()
        before = before * np.cumsum(others[arm])
    return gains


@not_inlined
def selection_probabilities(posterior: StudyPosterior, power: float) -> Floats:
    """Return probabilities in proportion to a power of the expected gain, over all regimes: equation (11)."""
    people, lifted, pushed = posterior.density[:, PEOPLE], posterior.density[:, LIFTED], posterior.density[:, PUSHED]
    gains = posterior.people * expected_gains(people, people) + posterior.attack_on * expected_gains(pushed, lifted)
    if not gains.max() > 0.0:  # no arm can gain anything that floating-point numbers can represent
        return np.full(gains.size, 1.0 / gains.size)
    p = np.maximum(gains / gains.max(), SMALLEST_GAIN) ** power
    return np.asarray(p / p.sum())
