"""Bait for `Guarded`: save up contamination, and spend it in batches that look like a change over time."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.adversaries.values import WorstBounded
from trueward.arms.arms import Arms
from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, not_inlined
from trueward.engine.protocol import UNTOUCHED, View, contaminate, reset
from trueward.engine.states import Setting, given, new, per_arm
from trueward.estimators.samples.sorted_sample import SortedSample, insert_sorted
from trueward.parameters import Positive, Share
from trueward.statistics.rank_change import FIRST_TEST, MIN_SEGMENT, THRESHOLD_FACTOR, next_test, tie_correction


class GuardBaitState(NamedTuple):
    values: Annotated[Floats, per_arm(given)]  # the contaminated value of each arm
    epsilon: float
    by_rounds: bool
    threshold: float  # c ln T
    sample: SortedSample  # the rewards of each arm since the guard last restarted
    batch_size: Annotated[Ints, per_arm(0)]  # how many of them, at the end, belong to a batch


@not_inlined
def batch_statistic(ordered: Floats, value: float, n_added: int, batch: int) -> float:
    """Return the guard's statistic for a change before the last `batch` rewards, which all equal `value`.

    All rewards are the `ordered` ones and `n_added` further copies of `value`. Ranks are doubled and centred, as the
    guard's are, and tied rewards share theirs. The sum of all squared ranks is
    (n^3 - n - sum over ties of (size^3 - size)) / 3.
    """
    n = ordered.size + n_added
    below, equal, tied, largest = 0, n_added, 0.0, 0.0
    first = 0
    while first < ordered.size:
        last = first
        while last + 1 < ordered.size and ordered[last + 1] == ordered[first]:
            last += 1
        size = last - first + 1
        if ordered[first] == value:
            equal += size
        else:
            below += size if ordered[first] < value else 0
            rank = first + last + 1.0 - n + (2.0 * n_added if ordered[first] > value else 0.0)
            tied += size * (size * float(size) - 1.0)
            largest = max(largest, abs(rank))
        first = last + 1
    rank = 2.0 * below + equal - n
    tied += equal * (equal * float(equal) - 1.0)
    largest = max(largest, abs(rank))
    squares = (n * (n * float(n) - 1.0) - tied) / 3.0
    if squares <= 0.0:
        return 0.0
    weight = n / (batch * (n - batch))
    z2 = weight * (n - 1.0) * (batch * rank) * (batch * rank) / squares
    return float(z2 / (1.0 + tie_correction(n, squares, largest) * math.sqrt(z2 * weight)))


@not_inlined
def is_affordable(state: GuardBaitState, view: View, t: int, arm: int, n_added: int) -> bool:
    """Return whether the budget allows `n_added` contaminated rewards of the arm in a row."""
    if not state.by_rounds:
        return within_budget(view, arm, state.epsilon, n_added)
    return bool(view.touched.sum() + n_added <= state.epsilon * t + ROUNDING_TOLERANCE)


@not_inlined
def values_until_detection(state: GuardBaitState, view: View, t: int, arm: int) -> int:
    """Return how many more values make the guard fire at one of its tests; 0 if the budget does not reach that far."""
    n, batch_size = state.sample.sizes[arm], state.batch_size[arm]
    n_needed, test = 0, FIRST_TEST
    while n_needed == 0 and n - batch_size >= MIN_SEGMENT and is_affordable(state, view, t, arm, test - n):
        n_added = test - n
        if n_added > 0 and batch_size + n_added >= MIN_SEGMENT:
            z2 = batch_statistic(state.sample.values[arm, :n], state.values[arm], n_added, batch_size + n_added)
            n_needed = n_added if z2 > state.threshold else 0
        test = next_test(test)
    return int(n_needed)


@contaminate.register(GuardBaitState)
def contaminate_in_batches(
    state: GuardBaitState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Show one more value of a batch that the budget can complete; after its last value the guard restarts."""
    n_needed = values_until_detection(state, view, t, arm)
    shown = state.values[arm] if n_needed > 0 else reward
    insert_sorted(state.sample, arm, shown)
    state.batch_size[arm] = state.batch_size[arm] + 1 if shown == state.values[arm] else 0
    if n_needed == 1:
        reset(state)
    return float(shown) if shown != reward else UNTOUCHED


@dataclass(frozen=True)
class GuardBait(AdaptiveAdversary):
    """Bait for `Guarded`: save up contamination, and spend it in batches that look like a change over time.

        save contamination until m equal values at the end of an arm's rewards would give  z^2 > c ln T  at the guard's
        next test; then show this batch, one value at each pull of the arm, and begin again

    `Guarded`, the guard, tests whether an arm's rewards are exchangeable in time. Contamination at a constant rate
    keeps them so; the same amount in batches does not. For b untied rewards followed by m lower ones, z^2 is about
    3 b m / (b + m + 1): at c = 2.5 and T = 1000, seven to ten values make the guard fire, for any distribution of
    rewards, and a guard that restarts forgets everything.

    The attack computes the exact statistic, with ties, at the change that it makes. It assumes that every batch makes
    the guard restart; with `Guarded(…, reaction="restart")` every batch does. The values are the worst ones: the lowest
    for the best arm, the highest for the others.

    Parameters
    ----------
    epsilon : float
        Largest fraction in [0, 1] of rewards that is contaminated at any moment.
    c : float, optional
        The guard's constant. Default: 2.5, the default of `Guarded`.
    by : {"arm", "rounds"}, optional
        Whether epsilon is a fraction of each arm's rewards, enforced by the game (the default), or of all rounds so
        far. By rounds, more can be saved for one arm; no guarantee per arm covers this, and the game does not enforce
        it.

    Notes
    -----
    Mean regret in the setting of Niss & Tewari (2020) (K = 5, T = 1000, gap 1). Each cell: crUCB with the median | UCB.
    Columns: without a guard (median only), then inside `Guarded` with each reaction, and how often "restart" restarted.
    Without an attack: 108 | 121.

        epsilon     no guard     restart     majority     latest        restarts
        0.05        108          364 | 490   112 | 279    658 | 720     about 4
        0.1         110          472 | 705   113 | 692    536 | 716     about 6

    So around crUCB with the median, a guard that forgets, or that trusts the latest rewards, is itself a weakness; one
    that trusts the majority, the default, is not: a batch is always the smaller part. UCB loses with every reaction,
    least with the majority: the contamination moves its means, too.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> guarded = tw.Guarded(tw.UCB(sigma=1.3), reaction="restart")
    >>> trace = tw.play(guarded, arms, tw.GuardBait(0.1), horizon=300, compiled=False)
    >>> trace.pulls[0, -1].tolist(), trace.touched[0].tolist()  # at most a tenth of each arm's rewards
    ([161, 139], [13, 7])

    References
    ----------
    New in trueward; the statistic is the guard's, see `trueward.statistics.rank_change`.
    """

    epsilon: Share
    _: KW_ONLY
    c: Positive = THRESHOLD_FACTOR
    by: Literal["arm", "rounds"] = "arm"

    @property
    def constraint(self) -> float:
        return self.epsilon

    @property
    def budget(self) -> float | None:
        """epsilon, if it is a fraction of each arm's rewards; None otherwise."""
        return self.epsilon if self.by == "arm" else None

    def keeps_scale(self, arms: Arms) -> bool:
        return WorstBounded().keeps_scale(arms)

    def start(self, arms: Arms, horizon: int) -> GuardBaitState:
        setting = Setting(arms.n_arms, capacity=horizon)
        return new(
            GuardBaitState,
            setting,
            values=WorstBounded().start(arms).low,  # equals .high: the lowest for the best arm, the highest for others
            epsilon=float(self.epsilon),
            by_rounds=self.by == "rounds",
            threshold=float(self.c * math.log(horizon)),
            sample=new(SortedSample, setting),
        )
