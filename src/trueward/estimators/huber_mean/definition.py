"""Huber's mean: rewards within beta count as in a mean, those beyond pull with the same force however far they are.

    the theta with  sum_i psi(x_i - theta) = 0,    psi(u) = max(-beta, min(beta, u))

A small beta comes close to the median, a large one to the mean; beta = 2 sigma loses 1 % of the mean's efficiency on
normal rewards. Withstands just under half of the rewards being anything at all, and a fraction e of them moves it by
about beta e / (1 - e): less than beta, but more than nothing. If the rewards fall apart into two halves more than
2 beta apart, every theta between them is a root, and the middle is taken.

>>> round(float(huber_mean([0, 6, 7, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10], beta=2)), 6)
8.833333

The left side is piecewise linear and falls. The rewards whose knots x_i - beta and x_i + beta lie left of the root are
found by bisection over the sorted rewards, and between two knots the root has a closed form: it is exact, whatever the
other rewards are. A reward costs O(m log n) with m rewards within beta of the estimate, and O(m log m) on a scale of m
ratings, which are counted. `sequential=True` solves only when the number of rewards is a power of two and takes one
Newton step in between, from running sums: O(log n) on average, but the estimate then depends on the order of the
rewards.

Guarantee: with a fraction epsilon contaminated, an error of order sigma sqrt(ln(1/delta) / n) + beta epsilon with
probability 1 - delta, for rewards of finite variance, around the root of E psi(Y - theta) = 0.

Reference: Huber (1964), Robust estimation of a location parameter; Basu, Maillard & Mathieu (2022), Bandits corrupted
by nature, for the bandit and the sequential form. The middle of several roots and the bisection are ours.
"""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, new
from trueward.estimators.estimator import Estimator, countable
from trueward.estimators.huber_mean.counted import CountedHuber
from trueward.estimators.huber_mean.ordered import OrderedHuber, huber_root
from trueward.estimators.huber_mean.sequential import SequentialHuber
from trueward.estimators.samples.histogram import histogram
from trueward.estimators.samples.sorted_sample import SortedSample
from trueward.parameters import Positive, check_sample


@dataclass(frozen=True)
class HuberMean(Estimator):
    """The root of sum_i psi(x_i - theta) = 0, psi clipped at beta; `sequential` for the cheap form."""

    beta: Positive
    _: KW_ONLY
    sequential: bool = False

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return Huber's mean along an axis; the sequential form takes the rewards in the order given."""
        estimate = self._in_order if self.sequential else self._exact
        return np.asarray(np.apply_along_axis(estimate, -1, check_sample(x, axis)))

    def _exact(self, x: Floats) -> float:
        return huber_root(np.sort(x), x.size, float(self.beta))

    def _in_order(self, x: Floats) -> float:
        memory, rng = self.memory(Setting(1, capacity=x.size)), np.random.default_rng(0)  # not drawn from
        return [insert(memory, 0, float(reward), rng) for reward in x][-1]

    def memory(self, setting: Setting) -> CountedHuber | OrderedHuber | SequentialHuber:
        """Return an empty memory; the sequential form depends on the order of the rewards, which counts forget."""
        beta = float(self.beta)
        if self.sequential:
            return new(SequentialHuber, setting, beta=beta)
        if countable(setting):
            return CountedHuber(histogram(setting), beta)
        return OrderedHuber(new(SortedSample, setting), beta)

    def weights(self, x: ArrayLike) -> Floats:
        """Return weights that fall with the distance beyond beta; the exact root is their weighted mean."""
        weights = self.beta / np.maximum(self._distances(x), self.beta)
        return np.asarray(weights / weights.sum())

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return which rewards were held back."""
        held_back = f"more than beta = {self.beta:g} away: held back"
        return [held_back if distance > self.beta else "" for distance in self._distances(x)]

    def _distances(self, x: ArrayLike) -> Floats:
        rewards = check_sample(x, -1)
        return np.asarray(np.abs(rewards - self(rewards)))


def huber_mean(x: ArrayLike, beta: float, *, axis: int = -1) -> Floats:
    """Return Huber's mean of `x` along an axis."""
    return HuberMean(beta)(x, axis=axis)
