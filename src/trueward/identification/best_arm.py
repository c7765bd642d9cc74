"""Find the arm with the highest median, with confidence, while some of the pulls are contaminated.

Every arm i has a sample median and a radius R_i(u), which hold its true median with probability 1 - delta, all arms and
all times together (`uncertainty`). With U the largest unavoidable uncertainty, the answer's median is within 2U + alpha
of the best one's.

    uniform        pull every arm equally often, until R(u) <= U + alpha/2
    elimination    pull every arm that is still in; an arm is out when its upper end is at most 2U + alpha above the
                   highest lower end of all. Stop when one arm is left

Ends only ever move inwards, so an arm that is out stays out for a reason that remains true. The rule stops no later
than a radius of U + alpha/2 and, with a gap, earlier: about 1/(gap - 2U + alpha)^2 pulls of an arm, up to logarithms.

Means cannot be found in this way: without a bound on the rewards one fake moves a mean anywhere.

>>> from trueward.arms import GaussianArms
>>> from trueward.identification import ContaminatedArms, GaussianSpread
>>> pull = ContaminatedArms(GaussianArms(means=[0, 3, 0, 1]), epsilon=0.1, model="malicious")
>>> print(identify_best_arm(pull, 4, epsilon=0.1, model="malicious", spread=GaussianSpread(sigma=1), alpha=0.5))
arm 1: with probability 0.95, its median is within 0.9914 of the highest (2U + alpha = 1.007)
 arm  pulls    median  interval              U
   0     48     0.211  [-1.707, 2.128]   0.253
   1     65     3.021  [1.566, 4.427]    0.253
   2     50     0.365  [-1.460, 2.191]   0.253
   3     65     1.102  [-0.354, 2.557]   0.253

Reference: Altschuler, Brunel & Malek (2019), Best arm identification for contaminated bandits, JMLR 20. The constants,
and the rule of elimination, are ours.
"""

import bisect
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.game.play import Progress
from trueward.identification.answer import BestArm
from trueward.identification.spread import Spread
from trueward.identification.uncertainty import (
    Model,
    level_shift,
    noise_of_any_look,
    noise_of_one_look,
    unavoidable_uncertainty,
)

Method = Literal["elimination", "uniform"]
METHODS: tuple[Method, ...] = ("elimination", "uniform")
Pull = Callable[[int], float]
Radii = Callable[[float], Floats]  # of each arm, at a level of noise


class Samples:
    """The pulls so far, their medians, and between which ends the true medians lie."""

    def __init__(self, pull: Pull, n_arms: int, max_pulls: int, progress: Progress | None) -> None:
        self._pull = pull
        self._progress = progress
        self._ordered: list[list[float]] = [[] for _ in range(n_arms)]  # interpreted, a list is the fastest order
        self.max_pulls = max_pulls
        self.pulls = np.zeros(n_arms, np.int64)
        self.medians = np.full(n_arms, np.nan)
        self.low, self.high = np.full(n_arms, -np.inf), np.full(n_arms, np.inf)

    def take(self, arms: Sequence[int]) -> None:
        """Pull each of these arms once."""
        for arm in arms:
            self.pulls[arm] += 1
            reward = checks.reward(self._pull(arm), f"arm {arm} at its pull {self.pulls[arm]}")
            ordered = self._ordered[arm]
            bisect.insort(ordered, reward)
            self.medians[arm] = 0.5 * ordered[(len(ordered) - 1) // 2] + 0.5 * ordered[len(ordered) // 2]
        if self._progress is not None:
            self._progress(int(self.pulls.sum()), self.max_pulls)

    def narrow(self, arms: Sequence[int], radii: Floats) -> None:
        """Move the ends of these arms inwards to their medians ± their radii."""
        for arm in arms:
            self.low[arm] = max(self.low[arm], self.medians[arm] - radii[arm])
            self.high[arm] = min(self.high[arm], self.medians[arm] + radii[arm])

    def leader(self, arms: Sequence[int]) -> int:
        """Return the arm with the highest lower end; before there are ends, with the highest median."""
        return max(arms, key=lambda arm: (self.low[arm], self.medians[arm]))


def _sample_uniformly(samples: Samples, radii: Radii, tolerance: float, delta: float) -> bool:
    """Pull every arm as often as the tolerance asks for, or as can be afforded; return whether it was enough."""
    arms = range(samples.pulls.size)
    affordable = samples.max_pulls // len(arms)

    def radii_after(n: int) -> Floats:
        return radii(noise_of_one_look(n, len(arms), delta))

    def enough(n: int) -> bool:
        return bool(2 * radii_after(n).max() <= tolerance)

    needed = 1 + bisect.bisect_left(range(1, affordable + 1), True, key=enough)
    n = min(needed, affordable)
    for _ in range(n):
        samples.take(arms)
    samples.narrow(arms, radii_after(n))
    return needed == n


def _eliminate(samples: Samples, radii: Radii, tolerance: float, delta: float) -> bool:
    """Pull the arms that may be better than the leader by more than the tolerance; return whether one arm is left."""
    n_arms = samples.pulls.size
    arms: Sequence[int] = range(n_arms)
    n = 0
    while len(arms) > 1 and samples.pulls.sum() + len(arms) <= samples.max_pulls:
        n += 1
        samples.take(arms)
        samples.narrow(arms, radii(noise_of_any_look(n, n_arms, delta)))
        leader = samples.leader(arms)
        reach = samples.low[leader] + tolerance
        arms = [arm for arm in arms if arm == leader or samples.high[arm] > reach]
    return len(arms) == 1


def _one_per_arm(spread: Spread | Sequence[Spread], n_arms: int) -> list[Spread]:
    spreads = list(spread) if isinstance(spread, Sequence) else [spread] * n_arms
    if len(spreads) != n_arms:
        raise ParameterError(f"spread must be one, or one for each of {n_arms} arms, got {len(spreads)}")
    return spreads


def identify_best_arm(
    pull: Pull,
    n_arms: int,
    *,
    epsilon: float,
    spread: Spread | Sequence[Spread],
    model: Model = "prescient",
    alpha: float,
    delta: float = 0.05,
    method: Method = "elimination",
    max_pulls: int = 100_000,
    progress: Progress | None = None,
) -> BestArm:
    """Return the arm with the highest median, up to 2U + alpha, with probability 1 - delta.

    `pull` is a function of an arm, 0 to `n_arms` - 1, that returns a reward: a live study's, or `ContaminatedArms`. A
    fraction `epsilon` of the pulls is contaminated, by an adversary of the `model`; `spread` is what is known about the
    true rewards, one for all arms or one for each. After at most `max_pulls` in all the search gives up, and the answer
    says what was proved. `progress` is called with the number of pulls so far and `max_pulls`.
    """
    if not callable(pull):
        raise ParameterError(f"pull must be a function that returns an arm's reward, got {pull!r}")
    checks.whole("n_arms", n_arms, at_least=2)
    checks.number("alpha", alpha, at_least=0)
    checks.number("delta", delta, above=0, below=1)
    checks.one_of("method", method, METHODS)
    checks.whole("max_pulls", max_pulls, at_least=n_arms)
    spreads = _one_per_arm(spread, n_arms)
    uncertainty = np.array([unavoidable_uncertainty(one, epsilon=epsilon, model=model) for one in spreads])

    def radii(noise: float) -> Floats:
        return np.array([one(level_shift(epsilon, noise, model)) for one in spreads])

    samples = Samples(pull, n_arms, max_pulls, progress)
    search = _eliminate if method == "elimination" else _sample_uniformly
    reached = search(samples, radii, 2 * float(uncertainty.max()) + alpha, delta)
    return BestArm(
        arm=samples.leader(range(n_arms)),
        reached=reached,
        pulls=samples.pulls,
        medians=samples.medians,
        low=samples.low,
        high=samples.high,
        uncertainty=uncertainty,
        alpha=float(alpha),
        delta=float(delta),
    )
