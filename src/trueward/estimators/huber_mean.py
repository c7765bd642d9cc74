"""Huber's mean."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.protocol import insert
from trueward.engine.states import REWARDS, Setting, kept, new, per_arm
from trueward.estimators.estimator import Estimator, has_countable_scale
from trueward.estimators.samples.histogram import Histogram, count_rating, new_histogram, scale_index_at_rank
from trueward.estimators.samples.sorted_sample import SortedSample, count_below, insert_sorted
from trueward.parameters import Positive, check_sample

# psi(u) clips u to [-beta, beta]; theta is the estimate. The sum of psi(x_i - theta) decreases in theta and is linear
# between the knots x_i - beta and x_i + beta. Bisection over the sorted rewards finds the knots left of the root;
# between two knots the root has a closed form.


@kernel
def psi_sum(values: Floats, n: int, beta: float, theta: float) -> float:
    """Return the sum of psi(x - theta) over n sorted values; each value further away contributes beta or -beta."""
    first = count_below(values, n, theta - beta)
    total, last = 0.0, first
    while last < n and values[last] <= theta + beta:
        total += values[last] - theta
        last += 1
    return total + beta * (n - last - first)


@kernel
def knots_left_of_root(values: Floats, n: int, beta: float, shift: float) -> int:
    """Return how many of the knots x + shift lie left of the root."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if psi_sum(values, n, beta, values[middle] + shift) > 0.0:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def huber_root(values: Floats, n: int, beta: float) -> float:
    """Return Huber's mean of n sorted values."""
    below, above = values[(n - 1) // 2], values[n // 2]
    n_entered = knots_left_of_root(values, n, beta, -beta)
    n_left = knots_left_of_root(values, n, beta, beta)
    # The median is a root if the two halves are far apart, or if beta is too small to change such large rewards.
    if above - below >= 2.0 * beta or n_entered <= n_left:
        return float(0.5 * below + 0.5 * above)
    anchor = float(values[n_left])  # add differences only: a sum of rewards of 1e300 would overflow
    total = beta * (n - n_entered - n_left)
    for i in range(n_left, n_entered):
        total += values[i] - anchor
    return anchor + total / (n_entered - n_left)


class OrderedHuber(NamedTuple):
    """For any rewards: all of them, sorted."""

    sample: SortedSample
    beta: float


@insert.register(OrderedHuber)
def insert_ordered_huber(memory: OrderedHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    n = insert_sorted(memory.sample, arm, reward)
    return huber_root(memory.sample.values[arm], n, memory.beta)


class CountedHuber(NamedTuple):
    """For ratings on a small scale: the counts. The sum of psi then has one term per value of the scale."""

    histogram: Histogram
    beta: float


@kernel
def counted_psi_sum(histogram: Histogram, arm: int, beta: float, theta: float) -> float:
    total = 0.0
    for j in range(histogram.counts.shape[1]):
        total += histogram.counts[arm, j] * max(-beta, min(beta, histogram.values[j] - theta))
    return total


@kernel
def counted_knots_left_of_root(histogram: Histogram, arm: int, beta: float, shift: float) -> int:
    """Return how many of the knots x + shift, with x on the scale, lie left of the root."""
    low, high = 0, histogram.counts.shape[1]
    while low < high:
        middle = (low + high) // 2
        if counted_psi_sum(histogram, arm, beta, histogram.values[middle] + shift) > 0.0:
            low = middle + 1
        else:
            high = middle
    return low


@insert.register(CountedHuber)
def insert_counted_huber(memory: CountedHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the root, as `huber_root` does for sorted rewards."""
    histogram, beta = memory.histogram, memory.beta
    n = count_rating(histogram, arm, reward)
    values, counts = histogram.values, histogram.counts[arm]
    below = values[scale_index_at_rank(histogram, arm, (n - 1) // 2)]
    above = values[scale_index_at_rank(histogram, arm, n // 2)]
    first = counted_knots_left_of_root(histogram, arm, beta, beta)
    last = counted_knots_left_of_root(histogram, arm, beta, -beta)
    n_left, inside, total = 0, 0, 0.0
    for j in range(first):
        n_left += counts[j]
    for j in range(first, last):
        inside += counts[j]
        total += counts[j] * (values[j] - below)
    if above - below >= 2.0 * beta or inside == 0:
        return float(0.5 * below + 0.5 * above)
    return float(below + (total + beta * (n - inside - 2 * n_left)) / inside)


class SequentialHuber(NamedTuple):
    """For the sequential form: the rewards in order of arrival, and sums around the last exact root."""

    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, per_arm(kept, REWARDS)]
    last_root: Annotated[Floats, per_arm(kept)]  # the root when the number of rewards was last a power of two
    psi_sum: Annotated[Floats, per_arm(kept)]  # sum of psi(x - last_root)
    inside: Annotated[Ints, per_arm(kept)]  # the number of rewards within beta of last_root
    beta: float


@kernel
def add_to_sequential_sums(memory: SequentialHuber, arm: int, reward: float) -> None:
    distance = reward - memory.last_root[arm]
    memory.psi_sum[arm] += max(-memory.beta, min(memory.beta, distance))
    memory.inside[arm] += abs(distance) <= memory.beta


@insert.register(SequentialHuber)
def insert_sequential_huber(memory: SequentialHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Solve exactly if the number of rewards is a power of two, else take one Newton step from the last exact root."""
    n = int(memory.sizes[arm]) + 1
    memory.sizes[arm] = n
    memory.values[arm, n - 1] = reward
    if n & (n - 1) == 0:
        memory.last_root[arm] = huber_root(np.sort(memory.values[arm, :n]), n, memory.beta)
        memory.psi_sum[arm] = 0.0
        memory.inside[arm] = 0
        for i in range(n):
            add_to_sequential_sums(memory, arm, memory.values[arm, i])
        return float(memory.last_root[arm])
    add_to_sequential_sums(memory, arm, reward)
    return float(memory.last_root[arm] + memory.psi_sum[arm] / max(memory.inside[arm], 1))


@dataclass(frozen=True)
class HuberMean(Estimator):
    """Huber's mean: rewards within beta of it count fully, others as if they were at distance beta.

        the theta with  sum_i psi(x_i - theta) = 0,    psi(u) = max(-beta, min(beta, u))

    A small beta gives nearly the median, a large one the mean; beta = 2 sigma loses 1 % of the mean's efficiency on
    normal rewards. If the rewards fall into two halves more than 2 beta apart, every theta between them is a root; the
    estimate is the middle one.

    It withstands any contamination of just under half of the rewards, but is shifted: a fraction epsilon of
    contaminated rewards moves it by about beta epsilon / (1 - epsilon), which is less than beta.

    Parameters
    ----------
    beta : float
        Distance up to which a reward counts fully, above 0.
    sequential : bool, optional
        Solve the equation exactly only when the number of rewards is a power of two, and take one Newton step from
        running sums in between. This costs O(log n) per reward on average, but the estimate then depends on the order
        of the rewards. Default: False.

    Notes
    -----
    The exact form costs O(m log n) per reward, with m rewards within beta of the estimate; on a small scale of m values
    it costs O(m log m).

    Guarantee: with a fraction epsilon contaminated, the error around the root of E psi(Y - theta) = 0 is of order
    sigma sqrt(ln(1 / delta) / n) + beta epsilon with probability 1 - delta, for rewards of finite variance.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.HuberMean(3)([0, 1, 2, 100]))  # (0 + 1 + 2 + 3) / 3
    2.0

    References
    ----------
    Huber (1964), Robust estimation of a location parameter; Basu, Maillard & Mathieu (2022), Bandits corrupted by
    nature, for the bandit and the sequential form. The middle of several roots and the bisection are ours.
    """

    beta: Positive
    _: KW_ONLY
    sequential: bool = False

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return Huber's mean along an axis; the sequential form takes the rewards in the given order."""
        estimate = self._sequential_estimate if self.sequential else self._exact_estimate
        return np.asarray(np.apply_along_axis(estimate, -1, check_sample(x, axis)))

    def _exact_estimate(self, x: Floats) -> float:
        return huber_root(np.sort(x), x.size, float(self.beta))

    def _sequential_estimate(self, x: Floats) -> float:
        memory, rng = self.memory(Setting(1, capacity=x.size)), np.random.default_rng(0)  # not drawn from
        return [insert(memory, 0, float(reward), rng) for reward in x][-1]

    def memory(self, setting: Setting) -> CountedHuber | OrderedHuber | SequentialHuber:
        """Return an empty memory; the sequential form needs the order of the rewards, so it never counts them."""
        beta = float(self.beta)
        if self.sequential:
            return new(SequentialHuber, setting, beta=beta)
        if has_countable_scale(setting):
            return CountedHuber(new_histogram(setting), beta)
        return OrderedHuber(new(SortedSample, setting), beta)

    def weights(self, x: ArrayLike) -> Floats:
        """Return weights that decrease with the distance beyond beta; the exact root is the weighted mean."""
        weights = self.beta / np.maximum(self._distances(x), self.beta)
        return np.asarray(weights / weights.sum())

    def why_down_weighted(self, x: ArrayLike) -> list[str]:
        """Return which rewards are further than beta from the estimate."""
        reason = f"down-weighted: more than beta = {self.beta:g} from the estimate"
        return [reason if distance > self.beta else "" for distance in self._distances(x)]

    def _distances(self, x: ArrayLike) -> Floats:
        rewards = check_sample(x, -1)
        return np.asarray(np.abs(rewards - self(rewards)))


def huber_mean(x: ArrayLike, beta: float, *, axis: int = -1) -> Floats:
    """Return Huber's mean of an array along an axis; see `HuberMean`.

    Parameters
    ----------
    x : array_like
        Rewards.
    beta : float
        Distance up to which a reward counts fully, above 0.
    axis : int, optional
        Axis along which to average. Default: the last one.

    Examples
    --------
    >>> import trueward as tw
    >>> x = [0, 6, 7, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10]
    >>> round(float(tw.huber_mean(x, beta=2)), 6)
    8.833333

    References
    ----------
    Huber (1964), Robust estimation of a location parameter.
    """
    return HuberMean(beta)(x, axis=axis)
