"""Hijacks: make a learner play one arm, the target, by lowering what it sees of every other.

    show r - alpha_t in place of the reward r of an arm i that is not the target;    alpha_t >= 0: see each attack

The target is never touched. By default it is the worst arm, the last of several. The attacks differ in alpha_t alone,
so they share one state and one kernel. Each spends on nearly every pull that is not the target's, which no robust mean
withstands: the contaminated fraction of the other arms goes to 1. With a `budget` an attack spends only where

    (contaminated so far) + 1 <= budget n        at the n-th reward of an arm

and the game enforces it: then the plain mean is still hijacked, by a few huge lies, and robust means are not.
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, outlined
from trueward.engine.protocol import UNTOUCHED, View, contaminate
from trueward.engine.states import Setting, given, new, per_arm, single
from trueward.errors import ParameterError
from trueward.parameters import NotNegative, Share, above, below, check_arm_index

EXPLOITATION, EVERY_PULL, CONSTANT, ORACLE = range(4)  # the kinds of attack


class HijackState(NamedTuple):
    """What the attacker wants, knows and has seen."""

    kind: int
    target: int
    margin: float
    sigma: float
    delta: float
    budget: float  # infinite for none
    scale: Annotated[Floats, single(given)]  # (values,) all that may be shown, in increasing order; empty for anything
    means: Annotated[Floats, per_arm(given)]  # the true ones
    earned: Annotated[Floats, per_arm(0.0)]  # mean of the true rewards so far
    shown: Annotated[Floats, per_arm(0.0)]  # mean of the rewards shown so far


@outlined
def beta(n: int, n_arms: int, sigma: float, delta: float) -> float:
    """Return how far the mean of n rewards may be from the truth, for all arms and n at once: Jun et al., section 2."""
    return sigma * math.sqrt(2.0 / n * math.log(math.pi * math.pi * n_arms * n * n / (3.0 * delta)))


@outlined
def looks_best(state: HijackState, view: View, arm: int) -> bool:
    """Return whether no arm has a higher mean of the rewards shown."""
    best = view.pulls[arm] > 0
    for other in range(view.pulls.size):
        best = best and (view.pulls[other] == 0 or state.shown[other] <= state.shown[arm])
    return bool(best)


@outlined
def strength(state: HijackState, view: View, arm: int, reward: float) -> float:
    """Return alpha_t, or something below 0 for no attack."""
    if state.kind == ORACLE:
        return float(state.means[arm] - state.means[state.target] + state.margin)
    n, n_target = view.pulls[arm] + 1, view.pulls[state.target]
    if n_target == 0 or (state.kind == EXPLOITATION and not looks_best(state, view, arm)):
        return 0.0
    unsure = beta(n_target, view.pulls.size, state.sigma, state.delta)
    if state.kind == CONSTANT:
        mean = state.earned[arm] + (reward - state.earned[arm]) / n
        return float(mean - state.earned[state.target] + beta(n, view.pulls.size, state.sigma, state.delta) + unsure)
    at_most = state.shown[state.target] - 2.0 * unsure - state.margin
    return float(state.shown[arm] * (n - 1) + reward - at_most * n)


@outlined
def deliverable(scale: Floats, wanted: float) -> float:
    """Return the highest value of the scale that is not above the wanted one, or the lowest of all."""
    if scale.size == 0:
        return wanted
    i = scale.size - 1
    while i > 0 and scale[i] > wanted:
        i -= 1
    return float(scale[i])


@contaminate.register(HijackState)
def contaminate_hijack(
    state: HijackState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Lower the reward of an arm that is not the target, as far as the budget and the scale allow."""
    n = view.pulls[arm] + 1
    shown = reward
    if arm != state.target and within_budget(view, arm, state.budget, 1):
        alpha = strength(state, view, arm, reward)
        if alpha > 0.0:
            shown = deliverable(state.scale, reward - alpha)
    state.earned[arm] += (reward - state.earned[arm]) / n
    state.shown[arm] += (shown - state.shown[arm]) / n
    return shown if shown < reward else UNTOUCHED


@dataclass(frozen=True, kw_only=True)
class Hijack(AdaptiveAdversary):
    """An attack for the sake of one arm; with `on_scale`, it shows only values that the arms can give."""

    target: int | None = None
    budget: Share | None = None
    on_scale: bool = False

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - start refuses arms without one
        return self.on_scale


@dataclass(frozen=True, kw_only=True)
class UnknowingHijack(Hijack):
    """A hijack that must estimate the means: rewards are sigma-sub-Gaussian, its bounds hold but with delta."""

    sigma: NotNegative | None = None
    delta: Annotated[float, above(0), below(1)] = 0.05

    def sigma_of(self, arms: Arms) -> float:
        """Return sigma; where none was given, the largest sub-Gaussian parameter of the arms."""
        return arms.proxy if self.sigma is None else float(self.sigma)


def worst_arm(arms: Arms) -> int:
    """Return the arm with the lowest mean; the last of several."""
    return arms.n_arms - 1 - int(arms.means[::-1].argmin())


def begin(
    attack: Hijack, arms: Arms, kind: int, *, sigma: float = 0.0, delta: float = 1.0, margin: float = 0.0
) -> HijackState:
    """Return the state of a hijack before the first round."""
    if attack.on_scale and arms.scale is None:
        raise ParameterError("on_scale=True needs arms with a scale of ratings, got continuous rewards")
    return new(
        HijackState,
        Setting(arms.n_arms),
        kind=kind,
        target=worst_arm(arms) if attack.target is None else check_arm_index("target", attack.target, arms.n_arms),
        margin=float(margin),
        sigma=float(sigma),
        delta=float(delta),
        budget=math.inf if attack.budget is None else float(attack.budget),
        scale=np.array(arms.scale if attack.on_scale else [], dtype=np.float64),
        means=np.array(arms.means, dtype=np.float64),
    )
