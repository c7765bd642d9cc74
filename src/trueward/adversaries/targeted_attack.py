"""The family of targeted attacks: make a learner play one arm by lowering the observed rewards of every other."""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, not_inlined
from trueward.engine.protocol import UNTOUCHED, View, contaminate
from trueward.engine.states import Setting, given, new, per_arm, single
from trueward.errors import ParameterError
from trueward.parameters import Share, check_arm_index

JUN_EXPLOITATION, JUN_EVERY_PULL, CONSTANT_ESTIMATION, ORACLE = range(4)  # the formulas for alpha_t


class TargetedAttackState(NamedTuple):
    formula: int
    target: int
    margin: float
    sigma: float
    delta: float
    budget: float  # infinite for no limit
    scale: Annotated[Floats, single(given)]  # (values,) what may be shown, in increasing order; empty for any number
    means: Annotated[Floats, per_arm(given)]  # the arms' true means
    true_average: Annotated[Floats, per_arm(0.0)]  # of each arm's true rewards so far
    observed_average: Annotated[Floats, per_arm(0.0)]  # of each arm's observed rewards so far


@not_inlined
def confidence_radius(n: int, n_arms: int, sigma: float, delta: float) -> float:
    """Return beta(n): with probability 1 - delta, no mean of n rewards is further than this from its arm's true mean.

    This holds for all arms and all n at once: Jun et al. (2018), section 2.
    """
    return sigma * math.sqrt(2.0 / n * math.log(math.pi * math.pi * n_arms * n * n / (3.0 * delta)))


@not_inlined
def has_best_average(state: TargetedAttackState, view: View, arm: int) -> bool:
    """Return whether the arm was pulled before and no other arm has a higher average of observed rewards."""
    best = view.pulls[arm] > 0
    for other in range(view.pulls.size):
        best = best and (view.pulls[other] == 0 or state.observed_average[other] <= state.observed_average[arm])
    return bool(best)


@not_inlined
def attack_size(state: TargetedAttackState, view: View, arm: int, reward: float) -> float:
    """Return alpha_t, in Jun et al.'s notation: by how much to lower the reward; no attack unless it is positive."""
    if state.formula == ORACLE:
        return float(state.means[arm] - state.means[state.target] + state.margin)
    n, n_target = view.pulls[arm] + 1, view.pulls[state.target]
    if n_target == 0 or (state.formula == JUN_EXPLOITATION and not has_best_average(state, view, arm)):
        return 0.0
    target_radius = confidence_radius(n_target, view.pulls.size, state.sigma, state.delta)
    if state.formula == CONSTANT_ESTIMATION:
        average = state.true_average[arm] + (reward - state.true_average[arm]) / n
        radius = confidence_radius(n, view.pulls.size, state.sigma, state.delta)
        return float(average - state.true_average[state.target] + radius + target_radius)
    highest_average = state.observed_average[state.target] - 2.0 * target_radius - state.margin
    return float(state.observed_average[arm] * (n - 1) + reward - highest_average * n)


@not_inlined
def round_down_to_scale(scale: Floats, value: float) -> float:
    """Return the highest value of the scale that is at most `value`, or else the lowest; `value` without a scale."""
    if scale.size == 0:
        return value
    i = scale.size - 1
    while i > 0 and scale[i] > value:
        i -= 1
    return float(scale[i])


@contaminate.register(TargetedAttackState)
def lower_other_arms(
    state: TargetedAttackState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Lower the reward of an arm that is not the target by alpha_t, as far as the budget and the scale allow."""
    n = view.pulls[arm] + 1
    observed = reward
    if arm != state.target and within_budget(view, arm, state.budget, 1):
        alpha = attack_size(state, view, arm, reward)
        if alpha > 0.0:
            observed = round_down_to_scale(state.scale, reward - alpha)
    state.true_average[arm] += (reward - state.true_average[arm]) / n
    state.observed_average[arm] += (observed - state.observed_average[arm]) / n
    return observed if observed < reward else UNTOUCHED


@dataclass(frozen=True, kw_only=True)
class TargetedAttack(AdaptiveAdversary):
    """The base class of targeted reward poisoning: make the learner play the target arm.

        observed reward of any other arm  =  true reward - alpha_t,    alpha_t >= 0

    The target's rewards are never changed. The attacks differ only in the formula for alpha_t, so they share one state
    and one kernel. Each contaminates nearly every pull of the other arms, which no robust mean withstands: the
    contaminated fraction of these arms goes to 1. With a `budget`, an attack contaminates only where

        (contaminated rewards of the arm so far) + 1 <= budget n        at the n-th reward of the arm

    and the game enforces it. A plain mean is then still misled by a few huge changes; robust means are not.

    Parameters
    ----------
    target : int, optional
        Index of the arm to promote. Default: the arm with the lowest mean, the last one if several tie.
    budget : float, optional
        Largest fraction in [0, 1] of each arm's rewards that is contaminated at any moment. Default: no limit.
    on_scale : bool, optional
        Show only ratings of the arms' scale, rounded down. Default: False, any number.

    References
    ----------
    Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits; Liu & Shroff (2019), Data poisoning attacks on
    stochastic bandits. The budget and `on_scale` are ours.
    """

    target: int | None = None
    budget: Share | None = None
    on_scale: bool = False

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - `start` refuses arms without a scale
        return self.on_scale

    def new_state(
        self, arms: Arms, formula: int, *, sigma: float = 0.0, delta: float = 1.0, margin: float = 0.0
    ) -> TargetedAttackState:
        """Return the state before the first round, for one of the formulas for alpha_t."""
        if self.on_scale and arms.scale is None:
            raise ParameterError("on_scale=True needs arms with a scale of ratings, got continuous rewards")
        return new(
            TargetedAttackState,
            Setting(arms.n_arms),
            formula=formula,
            target=worst_arm(arms) if self.target is None else check_arm_index("target", self.target, arms.n_arms),
            margin=float(margin),
            sigma=float(sigma),
            delta=float(delta),
            budget=math.inf if self.budget is None else float(self.budget),
            scale=np.array(arms.scale if self.on_scale else [], dtype=np.float64),
            means=np.array(arms.means, dtype=np.float64),
        )


def worst_arm(arms: Arms) -> int:
    """Return the arm with the lowest mean; the last of several."""
    return arms.n_arms - 1 - int(arms.means[::-1].argmin())
