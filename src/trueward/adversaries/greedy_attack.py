"""A greedy attack on an estimator, with full knowledge: at each step the value that moves an arm's estimate the most.

    where (contaminated so far) + 1 <= epsilon n, and the true reward helps the learner:
    show the v that makes  f(rewards shown so far, v)  lowest for the best arm, highest for every other

It tries every v on the learner's own rewards and its own estimator f. The mean, the median and the trimmed mean fall
with every reward that falls, and so get the end of the range; the shorth mean ignores what is far off, and gets values
just near enough to be believed. Where several do the same, the one at the end of the range is shown.

When to spend: each arm has a budget of its own, which can be saved but not moved, so every arm is attacked. f does not
care for the order of rewards: spent sooner is never worse, but for the reward that it replaces. To replace a low reward
of the best arm by a lower one is a waste, so the attack waits for one of at least the arm's mean; of other arms, for
one of at most theirs: about two pulls. A value that f takes for better than the truth is never shown. What is not
greedy, and so not done: to keep quiet for long, or to spare an arm so that a worse one wins.

In the paper's setting (K = 5, T = 1000, gap 1, epsilon = alpha = 0.1, ratings 0 to 10), the mean regret, beside that
under `PrefixBudget` with WorstBounded or Inlier values, whichever hurts more: UCB 891 (851), tUCB 428 (325), median 186
(125), but sUCB 463 (458): against the shorth mean, what hurts most now does no more than a constant lie near the truth.

A step costs 12 passes over the arm's rewards; there are epsilon T of them.

Reference: ours; the budget is that of Niss & Tewari (2020), section 2.1.
"""

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
SAME = 1e-9  # estimates closer than this do the same harm


class GreedyAttackState(NamedTuple):
    """A scratch memory of the estimator, and what may be shown."""

    memory: State  # of one arm
    candidates: Annotated[Floats, per_arm(given)]  # (arms, values) the furthest the wrong way first
    wrong_way: Annotated[Floats, per_arm(given)]  # -1 where the estimate is to fall, 1 where it is to rise
    means: Annotated[Floats, per_arm(given)]  # the true ones
    epsilon: float


@contaminate.register(GreedyAttackState)
def contaminate_greedily(
    state: GreedyAttackState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Show the most harmful value, if the budget allows one more and the reward is worth replacing."""
    wrong_way = state.wrong_way[arm]
    if not within_budget(view, arm, state.epsilon, 1) or wrong_way * (reward - state.means[arm]) > 0.0:
        return UNTOUCHED
    truthful, harm, shown = 0.0, 0.0, UNTOUCHED
    for i in range(-1, state.candidates.shape[1]):  # the truth first
        value = reward if i < 0 else state.candidates[arm, i]
        estimate = 0.0
        reset(state.memory)
        for s in range(t):
            if s == t - 1 or view.arms[s] == arm:
                estimate = insert(state.memory, 0, value if s == t - 1 else view.observed[s], rng)
        if i < 0:
            truthful = wrong_way * estimate
        elif i == 0 or wrong_way * estimate > harm + SAME:
            harm, shown = wrong_way * estimate, value
    return shown if harm >= truthful - SAME and shown != reward else UNTOUCHED


@dataclass(frozen=True)
class GreedyAttack(AdaptiveAdversary):
    """Contaminates at most epsilon of each arm's rewards, with what hurts the estimator most."""

    estimator: Estimator
    epsilon: Share

    @property
    def budget(self) -> float:
        return self.epsilon

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether there is one: then only its values are tried."""
        return arms.scale is not None

    def start(self, arms: Arms, horizon: int) -> GreedyAttackState:
        is_best = arms.gaps <= 0
        rising = candidates(arms)
        return GreedyAttackState(
            memory=self.estimator.memory(Setting(1, capacity=horizon, scale=arms.scale)),
            candidates=np.where(is_best[:, None], rising, rising[::-1]),
            wrong_way=np.where(is_best, -1.0, 1.0),
            means=np.array(arms.means, dtype=np.float64),
            epsilon=float(self.epsilon),
        )


def candidates(arms: Arms) -> Floats:
    """Return the values to try, in increasing order: of the scale, or of a range where rewards are plausible."""
    if arms.scale is None:
        return np.linspace(*WorstBounded().limits(arms), CANDIDATES)
    places = np.linspace(0, arms.scale.size - 1, CANDIDATES).round().astype(np.int64)
    return np.array(arms.scale[np.unique(places)], dtype=np.float64)
