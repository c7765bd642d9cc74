"""A greedy attack on an estimator: at each step, the value that moves an arm's estimate the most."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.adversaries.values import WorstBounded
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import UNTOUCHED, View, contaminate, insert, reset
from trueward.engine.states import Setting, given, per_arm
from trueward.estimators.estimator import Estimator
from trueward.parameters import Share

CANDIDATES = 11  # values tried, at most: all of a scale from 0 to 10
TOLERANCE = 1e-9  # estimates closer than this do the same harm


class GreedyAttackState(NamedTuple):
    memory: State  # the estimator's memory of one arm, used again for every value tried
    candidates: Annotated[Floats, per_arm(given)]  # (arms, values) the most extreme in the harmful direction first
    direction: Annotated[Floats, per_arm(given)]  # -1 where the estimate should fall, 1 where it should rise
    means: Annotated[Floats, per_arm(given)]  # the arms' true means
    epsilon: float


@contaminate.register(GreedyAttackState)
def contaminate_greedily(
    state: GreedyAttackState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Show the most harmful value, if the budget allows one more and the reward is worth replacing."""
    direction = state.direction[arm]
    if not within_budget(view, arm, state.epsilon, 1) or direction * (reward - state.means[arm]) > 0.0:
        return UNTOUCHED
    harm_of_truth, harm, shown = 0.0, 0.0, UNTOUCHED
    for i in range(-1, state.candidates.shape[1]):  # the true reward first
        value = reward if i < 0 else state.candidates[arm, i]
        estimate = 0.0
        reset(state.memory)
        for s in range(t):
            if s == t - 1 or view.arms[s] == arm:
                estimate = insert(state.memory, 0, value if s == t - 1 else view.observed[s], rng)
        if i < 0:
            harm_of_truth = direction * estimate
        elif i == 0 or direction * estimate > harm + TOLERANCE:
            harm, shown = direction * estimate, value
    return shown if harm >= harm_of_truth - TOLERANCE and shown != reward else UNTOUCHED


@dataclass(frozen=True)
class GreedyAttack(AdaptiveAdversary):
    """A greedy attack on an estimator: at each step, the value that moves an arm's estimate the most.

        where (contaminated rewards of the arm so far) + 1 <= epsilon n, and the true reward helps the learner:
        show the v that makes  f(rewards observed so far, v)  lowest for the best arm, highest for every other

    The attacker knows the learner's observed rewards and its estimator f, and tries every v. The mean, the median and
    the trimmed mean fall with every reward that falls, so they get the extremes of the range. The shorth mean ignores
    outliers, so it gets values just close enough to count. Of values that do the same harm, the most extreme is shown.

    When to contaminate: each arm has a budget of its own, which can be saved but not moved to another arm, so every arm
    is attacked. f ignores the order of rewards, so earlier is never worse, except for the reward that is replaced.
    Replacing a low reward of the best arm by a lower one is a waste, so the attack waits for one of at least the arm's
    mean (for other arms, at most their mean): about two pulls. A value that the estimator takes for better than the
    truth is never shown. What is not greedy is not done: staying quiet for long, or sparing an arm so that a worse one
    wins.

    Parameters
    ----------
    estimator : Estimator
        The learner's estimator.
    epsilon : float
        Largest fraction in [0, 1] of each arm's rewards that is contaminated at any moment; the game enforces it.

    Notes
    -----
    Mean regret in the setting of Niss & Tewari (2020) (K = 5, T = 1000, gap 1, epsilon = alpha = 0.1, ratings 0 to 10),
    in parentheses that under `PrefixBudget` with WorstBounded or Inlier values, whichever is larger: UCB 891 (851),
    tUCB 428 (325), median 186 (125), but sUCB 463 (458): against the shorth mean, the greedy attack does no more harm
    than a constant value near the truth.

    A step takes 12 passes over the arm's rewards; there are epsilon T steps.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> policy, attack = tw.CrUCB(tw.Median(), sigma=1.3), tw.GreedyAttack(tw.Median(), 0.2)
    >>> trace = tw.play(policy, arms, attack, horizon=100, compiled=False)
    >>> trace.pulls[0, -1].tolist(), trace.touched[0].tolist()
    ([50, 50], [9, 9])

    References
    ----------
    New in trueward; the budget is that of Niss & Tewari (2020), section 2.1.
    """

    estimator: Estimator
    epsilon: Share

    @property
    def budget(self) -> float:
        return self.epsilon

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether the arms have a scale: then only its values are tried."""
        return arms.scale is not None

    def start(self, arms: Arms, horizon: int) -> GreedyAttackState:
        is_best = arms.gaps <= 0
        increasing = candidates(arms)
        return GreedyAttackState(
            memory=self.estimator.memory(Setting(1, capacity=horizon, scale=arms.scale)),
            candidates=np.where(is_best[:, None], increasing, increasing[::-1]),
            direction=np.where(is_best, -1.0, 1.0),
            means=np.array(arms.means, dtype=np.float64),
            epsilon=float(self.epsilon),
        )


def candidates(arms: Arms) -> Floats:
    """Return the values to try, in increasing order: from the scale, or from the range of plausible rewards."""
    if arms.scale is None:
        return np.linspace(*WorstBounded().reward_range(arms), CANDIDATES)
    indices = np.linspace(0, arms.scale.size - 1, CANDIDATES).round().astype(np.int64)
    return np.array(arms.scale[np.unique(indices)], dtype=np.float64)
