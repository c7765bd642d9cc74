"""Drop-out: who would rate low does not answer, and the learner sees nothing (contamination by absence).

    P(no answer | true rating x of arm a)  =  1 / (1 + exp(-(c_a - slope x)))

`slope` is by how much the log-odds fall with each point of the rating; with 0, ratings are missing at random. `share`
is how many are missing on average: one number is one law for all arms, c_a = c, under which bad arms lose more ratings
than good ones; with a number for each arm, each has its own c_a, and loses that share of its ratings. What is
observed of an arm is then too high, by more where more is lost. Regret stays against the true means.

Oblivious: it looks at the true ratings, not at the arms played. `adversary` may contaminate those that are given; it
draws its random numbers first, or in each round first.

>>> from trueward.arms.bernoulli import BernoulliArms
>>> arms = BernoulliArms([0.6, 0.4])
>>> lost = DropOut((0.1, 0.4), slope=3.0).losses(arms)   # (arms, values): of the ratings 0 and 1
>>> lost.round(3).tolist()
[[0.228, 0.015], [0.617, 0.074]]
>>> seen = arms.probabilities * (1 - lost)
>>> (seen @ arms.scale / seen.sum(axis=1)).round(3).tolist()   # what is seen of arms that earn 0.6 and 0.4
[0.657, 0.617]

Reference: Rubin (1976), Inference and missing data, for what is missing at random and what is not; the model is ours.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.none import NoAdversary
from trueward.arms.arms import Arms
from trueward.arms.finite import FiniteArms
from trueward.engine.kernel import Floats, State, exp, kernel
from trueward.engine.protocol import MISSING, View, contaminate, draw_evidence, plan_attack
from trueward.errors import ParameterError
from trueward.parameters import NotNegative, at_least, at_most

QUANTILES = 1000  # that stand for rewards without a finite scale
FURTHEST = 40.0  # log-odds past those of the extreme rewards: never, or always
HALVINGS = 80


class DropOutAttack(NamedTuple):
    """How likely a rating is missing, and what is done to the others."""

    attack: State
    at_zero: Floats  # (arms,) log-odds of a rating of 0
    slope: float  # by which they fall with each point


@kernel
def is_lost(state: DropOutAttack, arm: int, reward: float, rng: np.random.Generator) -> bool:
    """Return whether a rating is missing, drawn with the probability of its value."""
    return rng.random() * (1.0 + exp(state.slope * reward - state.at_zero[arm])) < 1.0


@plan_attack.register(DropOutAttack)
def mark_lost(state: DropOutAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Let others contaminate ratings first, and then lose some."""
    plan_attack(state.attack, truth, table, rng)
    for t in range(truth.shape[0]):
        for arm in range(truth.shape[1]):
            if is_lost(state, arm, truth[t, arm], rng):
                table[t, arm] = MISSING


@draw_evidence.register(DropOutAttack)
def sign_others(state: DropOutAttack, evidence: Floats, rng: np.random.Generator) -> None:
    """Let evidence come with ratings as it did; with those that are missing it does not come either."""
    draw_evidence(state.attack, evidence, rng)


@contaminate.register(DropOutAttack)
def contaminate_or_lose(
    state: DropOutAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Let an adaptive attack act, and lose the rating or not."""
    value = contaminate(state.attack, view, t, arm, reward, rng)
    return MISSING if is_lost(state, arm, reward, rng) else value


@dataclass(frozen=True)
class DropOut(Adversary):
    """Loses a share of the ratings, the lower the more likely; `share` is one number, or one per arm."""

    share: Annotated[float | Sequence[float], at_least(0), at_most(1)]
    _: KW_ONLY
    slope: NotNegative = 1.0
    adversary: Adversary = field(default_factory=NoAdversary)

    @property
    def budget(self) -> float | None:
        """The other adversary's."""
        return self.adversary.budget

    @property
    def constraint(self) -> float | None:
        """The other adversary's: what is missing is not contaminated."""
        return self.adversary.constraint

    @property
    def adaptive(self) -> bool:
        return self.adversary.adaptive

    @property
    def observes_learner(self) -> bool:
        return self.adversary.observes_learner

    @property
    def interpreted_only(self) -> bool:
        return self.adversary.interpreted_only

    @property
    def signals(self) -> tuple[str, ...]:
        return self.adversary.signals

    def keeps_scale(self, arms: Arms) -> bool:
        return self.adversary.keeps_scale(arms)

    def start(self, arms: Arms, horizon: int) -> DropOutAttack:
        return DropOutAttack(self.adversary.start(arms, horizon), self._at_zero(arms), float(self.slope))

    def losses(self, arms: Arms) -> Floats:
        """Return how likely each value of the scale is missing, (arms, values)."""
        if arms.scale is None:
            raise ParameterError("losses needs arms with a scale")
        return _missing(self._at_zero(arms)[:, None] - self.slope * arms.scale)

    def _at_zero(self, arms: Arms) -> Floats:
        """Return the log-odds of a rating of 0 for which the shares are as declared, by halving."""
        values, weights = _law(arms)
        shares = np.atleast_1d(np.asarray(self.share, dtype=np.float64))
        if shares.size not in (1, arms.n_arms):
            raise ParameterError(f"share must be one number, or one for each of {arms.n_arms} arms, got {self.share!r}")
        low = np.full(shares.size, self.slope * values.min() - FURTHEST)
        high = np.full(shares.size, self.slope * values.max() + FURTHEST)
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            lost = (weights * _missing(middle[:, None] - self.slope * values)).sum(axis=1)
            lost = lost.mean() if shares.size == 1 else lost
            low, high = np.where(lost < shares, middle, low), np.where(lost < shares, high, middle)
        sure = np.where(shares > 0, np.where(shares < 1, low, np.inf), -np.inf)  # nothing is lost, or everything
        return np.broadcast_to(sure, arms.n_arms).copy()


def _law(arms: Arms) -> tuple[Floats, Floats]:
    """Return rewards of each arm, (arms or 1, rewards), and how likely each is."""
    if isinstance(arms, FiniteArms):
        return arms.scale[None, :], arms.probabilities
    middles = (np.arange(QUANTILES) + 0.5) / QUANTILES
    return np.array([arms.quantiles(float(q)) for q in middles]).T, np.full((arms.n_arms, 1), 1.0 / QUANTILES)


def _missing(log_odds: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-log_odds, 700.0))))
