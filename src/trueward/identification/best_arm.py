"""Find the arm with the highest median, with confidence, while some of the pulls are contaminated.

Every arm i has a sample median and a radius R_i(u), which hold its true median with probability 1 - delta, all arms and
all times together (`uncertainty`). With U the largest unavoidable uncertainty, the answer's median is within 2U + alpha
of the best one's.

    uniform        pull every arm equally often, until R(u) <= U + alpha/2
    elimination    pull every arm that is still in; an arm is out when its upper end is at most 2U + alpha above the
                   highest lower end of all. Stop when one arm is left

Elimination looks at the medians now and then, ever more seldom; the last look is the one of `uniform`, with half of
delta. So it ends at a radius of U + alpha/2, after at most 1 + ln 2 / ln(2K/delta) times the pulls of `uniform`, and
with a gap far earlier: about 1/(gap - 2U + alpha)^2 pulls of an arm, up to logarithms. Ends only ever move inwards, so
an arm that is out stays out for a reason that remains true.

Means cannot be found in this way: without a bound on the rewards one fake moves a mean anywhere.

>>> from trueward.arms import GaussianArms
>>> from trueward.identification import ContaminatedArms, GaussianSpread
>>> pull = ContaminatedArms(GaussianArms(means=[0, 3, 0, 1]), epsilon=0.1, model="malicious")
>>> print(identify_best_arm(pull, 4, epsilon=0.1, model="malicious", spread=GaussianSpread(sigma=1), alpha=0.5))
arm 1: with probability 0.95, its median is within 0.6053 of the highest (2U + alpha = 1.007)
 arm  pulls    median  interval              U
   0     39     0.142  [-1.402, 1.686]   0.253
   1     48     3.043  [1.731, 4.355]    0.253
   2     39     0.480  [-1.064, 2.023]   0.253
   3     48     1.024  [-0.288, 2.336]   0.253

Reference: Altschuler, Brunel & Malek (2019), Best arm identification for contaminated bandits, JMLR 20. The constants,
and the rule of elimination, are ours.
"""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, get_args

import numpy as np

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.game.play import Progress
from trueward.identification.answer import BestArm
from trueward.identification.spread import Spread
from trueward.identification.uncertainty import Model, level_shift, noise_of_a_look, unavoidable_uncertainty
from trueward.parameters import BelowHalf, NotNegative, above, at_least, below, check_integer, check_reward, checked

Method = Literal["elimination", "uniform"]
METHODS: tuple[Method, ...] = get_args(Method)
Pull = Callable[[int], float]
Radii = Callable[[float], Floats]  # of each arm, at a level of noise
Enough = Callable[[float], bool]  # whether a level of noise proves the answer, whatever the medians are

SHARES = (0.5, 0.9, 0.99, 1.0)  # of delta, for the look that ends the search: the first that can be afforded
SPACING = 1.25  # from one look to the next


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
            reward = check_reward(self._pull(arm), f"arm {arm} at its pull {self.pulls[arm]}")
            ordered = self._ordered[arm]
            bisect.insort(ordered, reward)
            self.medians[arm] = 0.5 * ordered[(len(ordered) - 1) // 2] + 0.5 * ordered[len(ordered) // 2]
        if self._progress is not None:
            self._progress(int(self.pulls.sum()), self.max_pulls)

    def still_in(self, arms: Sequence[int], radii: Floats, tolerance: float) -> list[int]:
        """Move the ends of these arms inwards to their medians ± their radii, and return which of them remain."""
        for arm in arms:
            self.low[arm] = max(self.low[arm], self.medians[arm] - radii[arm])
            self.high[arm] = min(self.high[arm], self.medians[arm] + radii[arm])
        leader = self.leader(arms)
        reach = self.low[leader] + tolerance
        return [  # an interval no longer than the tolerance ends within reach: without it, rounding might say otherwise
            arm for arm in arms if arm == leader or (self.high[arm] > reach and 2 * radii[arm] > tolerance)
        ]

    def leader(self, arms: Sequence[int]) -> int:
        """Return the arm with the highest lower end; before there are ends, with the highest median."""
        return max(arms, key=lambda arm: (self.low[arm], self.medians[arm]))


def _looks(method: Method, n_arms: int, max_pulls: int, delta: float, enough: Enough) -> dict[int, float]:
    """Return after how many pulls of an arm to look at the medians, and how large the noise is then.

    Of delta, a share goes to the look that is sure to end the search, or to the last that all arms can afford; the
    other looks divide the rest. The share is larger where only so can that look be afforded.
    """
    affordable = max_pulls // n_arms
    shares = SHARES if method == "elimination" else SHARES[-1:]

    def ends(n: int, share: float) -> bool:
        return enough(noise_of_a_look(n, n_arms, share * delta))

    share = next((share for share in shares if ends(affordable, share)), shares[0])
    main = min(affordable, 1 + bisect.bisect_left(range(1, affordable + 1), True, key=lambda n: ends(n, share)))
    others: set[int] = set()
    if share < 1:
        others = _spaced_out(main if ends(main, share) else max_pulls // 2) - {main}
    looks = {n: noise_of_a_look(n, n_arms, (1 - share) * delta / len(others)) for n in others}
    return looks | {main: noise_of_a_look(main, n_arms, share * delta)}


def _spaced_out(end: int) -> set[int]:
    """Return whole numbers from 1 to the end, each at most a quarter above the one before, or the next."""
    steps = math.ceil(math.log(end) / math.log(SPACING))
    return {round(n) for n in np.geomspace(1, end, 1 + steps).tolist()}


def _search(samples: Samples, looks: dict[int, float], radii: Radii, tolerance: float) -> Sequence[int]:
    """Pull the arms that may be better than the leader by more than the tolerance, and return those that are left."""
    arms: Sequence[int] = range(samples.pulls.size)
    for n in range(1, max(looks) + 1):
        if len(arms) == 1 or samples.pulls.sum() + len(arms) > samples.max_pulls:
            break
        samples.take(arms)
        if n in looks:
            arms = samples.still_in(arms, radii(looks[n]), tolerance)
    return arms


def _one_per_arm(spread: Spread | Sequence[Spread], n_arms: int) -> list[Spread]:
    spreads = list(spread) if isinstance(spread, Sequence) else [spread] * n_arms
    if len(spreads) != n_arms:
        raise ParameterError(f"spread must be one, or one for each of {n_arms} arms, got {len(spreads)}")
    return spreads


@checked
def identify_best_arm(
    pull: Pull,
    n_arms: Annotated[int, at_least(2)],
    *,
    epsilon: BelowHalf,
    spread: Spread | Sequence[Spread],
    model: Model = "prescient",
    alpha: NotNegative,
    delta: Annotated[float, above(0), below(1)] = 0.05,
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
    check_integer("max_pulls", max_pulls, at_least=n_arms)
    spreads = _one_per_arm(spread, n_arms)
    uncertainty = np.array([unavoidable_uncertainty(one, epsilon=epsilon, model=model) for one in spreads])

    tolerance = 2 * float(uncertainty.max()) + alpha

    def radii(noise: float) -> Floats:
        return np.array([one(level_shift(epsilon, noise, model)) for one in spreads])

    def enough(noise: float) -> bool:
        return bool(2 * radii(noise).max() <= tolerance)

    samples = Samples(pull, n_arms, max_pulls, progress)
    left = _search(samples, _looks(method, n_arms, max_pulls, delta, enough), radii, tolerance)
    return BestArm(
        arm=samples.leader(left),
        reached=len(left) == 1,
        pulls=samples.pulls,
        medians=samples.medians,
        low=samples.low,
        high=samples.high,
        uncertainty=uncertainty,
        alpha=alpha,
        delta=delta,
    )
