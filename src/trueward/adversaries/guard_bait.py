"""Bait for a guard against bursts: save up contamination, and spend it in bunches that look like a change in time.

    save, until a bunch of m equal values at the end of an arm's rewards makes  z^2 > c ln T  at the guard's next test;
    then show the bunch, one value at each pull of the arm, and begin again

`Guarded` tests whether an arm's rewards are exchangeable in time. Contamination at a constant rate keeps them so; the
same amount in bunches does not. Of b untied rewards and then m lower ones, z^2 is about 3 b m / (b + m + 1): at c = 2.5
and T = 1000, seven to ten values make the guard fire, whatever the law of rewards, and the policy forgets all it knew.
The bait computes the exact statistic, ties and all, at the one place where it puts the change. It keeps track of what
the guard remembers as if every bunch made it restart: with `reaction="restart"` every bunch does.

Mean regret in the paper's setting (K = 5, T = 1000, gap 1), around the median and around UCB, whose means it moves too:

    epsilon     no guard     restart     majority     latest          median UCB | UCB; unattacked 108 | 121
    0.05        108          364 | 490   112 | 279    658 | 720       about 4 restarts
    0.1         110          472 | 705   113 | 692    536 | 716       about 6

So a guard that forgets, or that believes the latest, is itself a weakness; one that believes the majority, the default,
is not: a bunch is always the smaller part.

The values are the worst: the lowest for the best arm, the highest for the others. Of each arm's rewards at most epsilon
are contaminated at every moment, and the game enforces it. With `by="rounds"` it is at most epsilon of all rounds so
far: more can be saved for one arm, which no guarantee per arm covers and the game does not enforce.

Reference: ours; the statistic is that of the guard, see trueward.statistics.rank_change.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.adversaries.values import WorstBounded
from trueward.arms.arms import Arms
from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, outlined
from trueward.engine.protocol import UNTOUCHED, View, contaminate, reset
from trueward.engine.states import Setting, given, new, per_arm
from trueward.estimators.samples.sorted_sample import SortedSample, insert_sorted
from trueward.parameters import Positive, Share
from trueward.statistics.rank_change import BAR, FIRST_TEST, MARGIN, next_test


class BaitState(NamedTuple):
    """With what, how much, and what the guard remembers."""

    values: Annotated[Floats, per_arm(given)]
    epsilon: float
    of_rounds: bool
    bar: float  # c ln T
    remembered: SortedSample
    begun: Annotated[Ints, per_arm(0)]  # of these, how many at the end are of a bunch


@outlined
def bunch_statistic(ordered: Floats, value: float, more: int, m: int) -> float:
    """Return the guard's statistic for rewards, and `more` of a value, the last m rewards of all being that value.

    Ranks are doubled and centred, as the guard's are, and tied rewards share theirs. The squares of all of them are
    (n^3 - n - sum over ties of (size^3 - size)) / 3.
    """
    n = ordered.size + more
    below, equal, tied, outermost = 0, more, 0.0, 0.0
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
            rank = first + last + 1.0 - n + (2.0 * more if ordered[first] > value else 0.0)
            tied += size * (size * float(size) - 1.0)
            outermost = max(outermost, abs(rank))
        first = last + 1
    rank = 2.0 * below + equal - n
    tied += equal * (equal * float(equal) - 1.0)
    outermost = max(outermost, abs(rank))
    squares = (n * (n * float(n) - 1.0) - tied) / 3.0
    if squares <= 0.0:
        return 0.0
    weight = n / (m * (n - m))
    z2 = weight * (n - 1.0) * (m * rank) * (m * rank) / squares
    lopsided = max(0.0, outermost / math.sqrt(squares / (n - 1.0)) - math.sqrt(3.0)) / 3.0
    return float(z2 / (1.0 + lopsided * math.sqrt(z2 * weight)))


@outlined
def affordable(state: BaitState, view: View, t: int, arm: int, more: int) -> bool:
    """Return whether the budget allows so many more in a row."""
    if not state.of_rounds:
        return within_budget(view, arm, state.epsilon, more)
    return bool(view.touched.sum() + more <= state.epsilon * t + ROUNDING_TOLERANCE)


@outlined
def bunch_left(state: BaitState, view: View, t: int, arm: int) -> int:
    """Return how many more values make the guard fire at one of its tests; 0 if the budget does not reach that far."""
    n, begun = state.remembered.sizes[arm], state.begun[arm]
    left, test = 0, FIRST_TEST
    while left == 0 and n - begun >= MARGIN and affordable(state, view, t, arm, test - n):
        more = test - n
        if more > 0 and begun + more >= MARGIN:
            z2 = bunch_statistic(state.remembered.values[arm, :n], state.values[arm], more, begun + more)
            left = more if z2 > state.bar else 0
        test = next_test(test)
    return int(left)


@contaminate.register(BaitState)
def contaminate_as_bait(
    state: BaitState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Show one more value of a bunch, if it can be completed; after the last one, the guard remembers nothing."""
    left = bunch_left(state, view, t, arm)
    shown = state.values[arm] if left > 0 else reward
    insert_sorted(state.remembered, arm, shown)
    state.begun[arm] = state.begun[arm] + 1 if shown == state.values[arm] else 0
    if left == 1:
        reset(state)
    return float(shown) if shown != reward else UNTOUCHED


@dataclass(frozen=True)
class GuardBait(AdaptiveAdversary):
    """Contaminates at most epsilon of each arm's rewards, in bunches that make a guard with the constant c fire."""

    epsilon: Share
    _: KW_ONLY
    c: Positive = BAR
    by: Literal["arm", "rounds"] = "arm"

    @property
    def constraint(self) -> float:
        """The fraction, by arms or by rounds."""
        return self.epsilon

    @property
    def budget(self) -> float | None:
        """The game enforces epsilon of each arm's rewards."""
        return self.epsilon if self.by == "arm" else None

    def keeps_scale(self, arms: Arms) -> bool:
        return WorstBounded().keep_scale(arms)

    def start(self, arms: Arms, horizon: int) -> BaitState:
        setting = Setting(arms.n_arms, capacity=horizon)
        return new(
            BaitState,
            setting,
            values=WorstBounded().start(arms).low,
            epsilon=float(self.epsilon),
            of_rounds=self.by == "rounds",
            bar=float(self.c * math.log(horizon)),
            remembered=new(SortedSample, setting),
        )
