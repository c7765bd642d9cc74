"""Search for the arm with the highest median while some of the pulls are contaminated."""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, get_args

import numpy as np

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.game.play import Progress
from trueward.identification.best_arm_result import BestArmResult
from trueward.identification.median_uncertainty import (
    AdversaryModel,
    hoeffding_error,
    level_shift,
    unavoidable_uncertainty,
)
from trueward.identification.quantile_bounds import QuantileBound
from trueward.parameters import BelowHalf, NotNegative, above, at_least, below, check_integer, check_reward, checked

Method = Literal["elimination", "uniform"]
METHODS: tuple[Method, ...] = get_args(Method)
Pull = Callable[[int], float]
Radii = Callable[[float], Floats]  # radius of each arm for a sampling error
IsSufficient = Callable[[float], bool]  # whether a sampling error is small enough for any medians

FINAL_SHARES = (0.5, 0.9, 0.99, 1.0)  # of delta, for the final comparison: the first that max_pulls allows
SPACING = 1.25  # ratio of the pulls at successive comparisons


class Samples:
    """The pulls so far, their medians, and confidence bounds on the true medians."""

    def __init__(self, pull: Pull, n_arms: int, max_pulls: int, progress: Progress | None) -> None:
        self._pull = pull
        self._progress = progress
        self._sorted: list[list[float]] = [[] for _ in range(n_arms)]  # fastest sorted container without compilation
        self.max_pulls = max_pulls
        self.pulls = np.zeros(n_arms, np.int64)
        self.medians = np.full(n_arms, np.nan)
        self.low, self.high = np.full(n_arms, -np.inf), np.full(n_arms, np.inf)

    def pull_each(self, arms: Sequence[int]) -> None:
        """Pull each of these arms once."""
        for arm in arms:
            self.pulls[arm] += 1
            reward = check_reward(self._pull(arm), f"arm {arm} at its pull {self.pulls[arm]}")
            rewards = self._sorted[arm]
            bisect.insort(rewards, reward)
            self.medians[arm] = 0.5 * rewards[(len(rewards) - 1) // 2] + 0.5 * rewards[len(rewards) // 2]
        if self._progress is not None:
            self._progress(int(self.pulls.sum()), self.max_pulls)

    def eliminate(self, arms: Sequence[int], radii: Floats, tolerance: float) -> list[int]:
        """Intersect the intervals of these arms with median ± radius, and return the arms that remain candidates."""
        for arm in arms:
            self.low[arm] = max(self.low[arm], self.medians[arm] - radii[arm])
            self.high[arm] = min(self.high[arm], self.medians[arm] + radii[arm])
        leader = self.leader(arms)
        threshold = self.low[leader] + tolerance
        # an interval no longer than the tolerance ends below the threshold; the last condition says so despite rounding
        return [arm for arm in arms if arm == leader or (self.high[arm] > threshold and 2 * radii[arm] > tolerance)]

    def leader(self, arms: Sequence[int]) -> int:
        """Return the arm with the highest lower bound; before the first comparison, with the highest median."""
        return max(arms, key=lambda arm: (self.low[arm], self.medians[arm]))


def _schedule(method: Method, n_arms: int, max_pulls: int, delta: float, sufficient: IsSufficient) -> dict[int, float]:
    """Return the numbers of pulls per arm after which medians are compared, each with its sampling error.

    A share of delta goes to the final comparison: the one that ends the search whatever the medians are, or, if
    max_pulls does not allow it, the last affordable one. The other comparisons divide the rest equally. The
    share is larger than 1/2 only if max_pulls allows the final comparison only then.
    """
    affordable = max_pulls // n_arms
    shares = FINAL_SHARES if method == "elimination" else FINAL_SHARES[-1:]

    def ends(n: int, share: float) -> bool:
        return sufficient(hoeffding_error(n, n_arms, share * delta))

    share = next((share for share in shares if ends(affordable, share)), shares[0])
    final = min(affordable, 1 + bisect.bisect_left(range(1, affordable + 1), True, key=lambda n: ends(n, share)))
    earlier: set[int] = set()
    if share < 1:
        earlier = _geometric_steps(final if ends(final, share) else max_pulls // 2) - {final}
    schedule = {n: hoeffding_error(n, n_arms, (1 - share) * delta / len(earlier)) for n in earlier}
    return schedule | {final: hoeffding_error(final, n_arms, share * delta)}


def _geometric_steps(end: int) -> set[int]:
    """Return integers from 1 to `end` whose ratios are at most SPACING, up to rounding."""
    steps = math.ceil(math.log(end) / math.log(SPACING))
    return {round(n) for n in np.geomspace(1, end, 1 + steps).tolist()}


def _search(samples: Samples, schedule: dict[int, float], radii: Radii, tolerance: float) -> Sequence[int]:
    """Pull the remaining candidates until one is left or the pulls run out, and return those that are left."""
    arms: Sequence[int] = range(samples.pulls.size)
    for n in range(1, max(schedule) + 1):
        if len(arms) == 1 or samples.pulls.sum() + len(arms) > samples.max_pulls:
            break
        samples.pull_each(arms)
        if n in schedule:
            arms = samples.eliminate(arms, radii(schedule[n]), tolerance)
    return arms


def _one_per_arm(quantile_bound: QuantileBound | Sequence[QuantileBound], n_arms: int) -> list[QuantileBound]:
    bounds = list(quantile_bound) if isinstance(quantile_bound, Sequence) else [quantile_bound] * n_arms
    if len(bounds) != n_arms:
        raise ParameterError(f"quantile_bound must be one, or one for each of {n_arms} arms, got {len(bounds)}")
    return bounds


@checked
def identify_best_arm(
    pull: Pull,
    n_arms: Annotated[int, at_least(2)],
    *,
    epsilon: BelowHalf,
    quantile_bound: QuantileBound | Sequence[QuantileBound],
    model: AdversaryModel = "prescient",
    accuracy: NotNegative,
    delta: Annotated[float, above(0), below(1)] = 0.05,
    method: Method = "elimination",
    max_pulls: int = 100_000,
    progress: Progress | None = None,
) -> BestArmResult:
    """Return the arm with the highest median, up to 2U + accuracy, with probability 1 - delta.

    Every arm has a confidence interval: its sample median ± R(u). These intervals contain the true medians of all arms
    at all times with probability 1 - delta. R is the quantile bound, n the number of pulls of the arm, U the largest
    unavoidable uncertainty, and

        u = (epsilon/2 + s) / (1 - epsilon), or epsilon + s if malicious,    s = sqrt(ln(2 K / delta) / (2 n))

        uniform        pull every arm equally often, until R(u) <= U + accuracy/2
        elimination    pull every candidate. Eliminate an arm when its upper bound is at most 2U + accuracy above the
                       highest lower bound. Stop when one arm is left

    Parameters
    ----------
    pull : callable
        Function of an arm, 0 to `n_arms` - 1, that returns a reward: from a live study, or `ContaminatedArms`.
    n_arms : int
        Number of arms K, at least 2.
    epsilon : float
        Probability that a pull is contaminated, at least 0 and below 1/2.
    quantile_bound : QuantileBound or sequence of QuantileBound
        What is known about the true rewards: one bound for all arms, or one for each.
    model : {"oblivious", "prescient", "malicious"}
        What the adversary knows; see `unavoidable_uncertainty`.
    accuracy : float
        How far below the highest median the selected arm's may be, in addition to 2U.
    delta : float
        Failure probability, above 0 and below 1.
    method : {"elimination", "uniform"}
        How the pulls are divided among the arms.
    max_pulls : int
        Total number of pulls after which the search gives up. The result then states what was proved.
    progress : callable, optional
        Called with the number of pulls so far and `max_pulls`.

    Returns
    -------
    BestArmResult
        The selected arm, the confidence intervals, and what is guaranteed.

    Notes
    -----
    Elimination compares the medians at geometrically spaced numbers of pulls, which divide delta among them. The final
    comparison is that of `uniform`, with half of delta. So elimination needs at most 1 + ln 2 / ln(2K/delta) times the
    pulls of `uniform`, and far fewer if there is a gap: about 1/(gap - 2U + accuracy)^2 pulls of an arm, up to
    logarithms. Intervals only shrink, so the reason for an elimination remains valid.

    Means cannot be identified in this way: without a bound on the rewards, one contaminated reward moves a mean
    arbitrarily far.

    Examples
    --------
    >>> from trueward.arms import GaussianArms
    >>> from trueward.identification import ContaminatedArms, GaussianQuantileBound
    >>> pull = ContaminatedArms(GaussianArms(means=[0, 3, 0, 1]), epsilon=0.1, model="malicious")
    >>> unit = GaussianQuantileBound(sigma=1)
    >>> print(identify_best_arm(pull, 4, epsilon=0.1, model="malicious", quantile_bound=unit, accuracy=0.5))
    arm 1: with probability 0.95, its median is within 0.6053 of the highest (2U + accuracy = 1.007)
     arm  pulls    median  interval              U
       0     39     0.142  [-1.402, 1.686]   0.253
       1     48     3.043  [1.731, 4.355]    0.253
       2     39     0.480  [-1.064, 2.023]   0.253
       3     48     1.024  [-0.288, 2.336]   0.253

    References
    ----------
    Altschuler, Brunel & Malek (2019), Best arm identification for contaminated bandits, JMLR 20. The constants and the
    elimination rule are new in trueward.
    """
    if not callable(pull):
        raise ParameterError(f"pull must be a function that returns an arm's reward, got {pull!r}")
    check_integer("max_pulls", max_pulls, at_least=n_arms)
    bounds = _one_per_arm(quantile_bound, n_arms)
    uncertainty = np.array([unavoidable_uncertainty(bound, epsilon=epsilon, model=model) for bound in bounds])
    tolerance = 2 * float(uncertainty.max()) + accuracy

    def radii(sampling_error: float) -> Floats:
        return np.array([bound(level_shift(epsilon, sampling_error, model)) for bound in bounds])

    def sufficient(sampling_error: float) -> bool:
        return bool(2 * radii(sampling_error).max() <= tolerance)

    samples = Samples(pull, n_arms, max_pulls, progress)
    candidates = _search(samples, _schedule(method, n_arms, max_pulls, delta, sufficient), radii, tolerance)
    return BestArmResult(
        arm=samples.leader(candidates),
        reached=len(candidates) == 1,
        pulls=samples.pulls,
        medians=samples.medians,
        low=samples.low,
        high=samples.high,
        uncertainty=uncertainty,
        accuracy=accuracy,
        delta=delta,
    )
