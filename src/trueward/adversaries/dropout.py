"""Dropout: ratings are missing, low ones more often."""

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

QUANTILES = 1000  # that represent the distribution of rewards without a finite scale
LARGEST_LOG_ODDS = 40.0  # beyond those of the extreme rewards: never missing, or always
BISECTIONS = 80


class DropoutState(NamedTuple):
    attack: State  # of the adversary that contaminates the ratings that are given
    intercept: Floats  # (arms,) log-odds that a rating of 0 is missing
    slope: float  # by how much they fall with each point


@kernel
def draw_missing(state: DropoutState, arm: int, reward: float, rng: np.random.Generator) -> bool:
    return rng.random() * (1.0 + exp(state.slope * reward - state.intercept[arm])) < 1.0


@plan_attack.register(DropoutState)
def plan_attack_and_dropout(state: DropoutState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Plan the other adversary's attack first, then the missing ratings."""
    plan_attack(state.attack, truth, table, rng)
    for t in range(truth.shape[0]):
        for arm in range(truth.shape[1]):
            if draw_missing(state, arm, truth[t, arm], rng):
                table[t, arm] = MISSING


@draw_evidence.register(DropoutState)
def draw_evidence_of_attack(state: DropoutState, evidence: Floats, rng: np.random.Generator) -> None:
    """Draw the other adversary's evidence; the game ignores the evidence of missing ratings."""
    draw_evidence(state.attack, evidence, rng)


@contaminate.register(DropoutState)
def contaminate_or_drop(
    state: DropoutState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Let an adaptive adversary act first, then decide whether the rating is missing."""
    value = contaminate(state.attack, view, t, arm, reward, rng)
    return MISSING if draw_missing(state, arm, reward, rng) else value


@dataclass(frozen=True)
class Dropout(Adversary):
    """Dropout: ratings are missing, low ones more often, and the learner sees nothing in their place.

        P(missing | true rating x of arm a)  =  1 / (1 + exp(-(c_a - slope x)))

    The observed mean of an arm is then too high, by more where more ratings are missing: the arm that drives the most
    participants away can look best. Robust means do not help, because every observed rating is honest; see `MissingAs`.
    Regret is still measured against the true means.

    It is oblivious: it looks at the true ratings, not at the arms played. Another adversary may contaminate the ratings
    that are given.

    Parameters
    ----------
    share : float or sequence of float
        Average share in [0, 1] of ratings that are missing. One number: the same c_a = c for all arms, so that bad arms
        lose more ratings than good ones. One number per arm: each arm loses that share of its ratings.
    slope : float, optional
        By how much the log-odds of a missing rating fall with each point of the rating. 0: missing at random.
        Default: 1.
    adversary : Adversary, optional
        Contaminates the ratings that are given. It draws its random numbers first. Default: `NoAdversary()`.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BernoulliArms([0.6, 0.4])
    >>> missing = tw.Dropout((0.1, 0.4), slope=3.0).missing_probabilities(arms)  # of the ratings 0 and 1
    >>> missing.round(3).tolist()
    [[0.228, 0.015], [0.617, 0.074]]
    >>> seen = arms.probabilities * (1 - missing)
    >>> (seen @ arms.scale / seen.sum(axis=1)).round(3).tolist()  # observed means of arms with means 0.6 and 0.4
    [0.657, 0.617]

    References
    ----------
    Rubin (1976), Inference and missing data, for missing at random and not at random; the model is ours.
    """

    share: Annotated[float | Sequence[float], at_least(0), at_most(1)]
    _: KW_ONLY
    slope: NotNegative = 1.0
    adversary: Adversary = field(default_factory=NoAdversary)

    @property
    def budget(self) -> float | None:
        """The other adversary's budget."""
        return self.adversary.budget

    @property
    def constraint(self) -> float | None:
        """The other adversary's constraint: a missing rating does not count as contaminated."""
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

    def start(self, arms: Arms, horizon: int) -> DropoutState:
        return DropoutState(self.adversary.start(arms, horizon), self._intercepts(arms), float(self.slope))

    def missing_probabilities(self, arms: Arms) -> Floats:
        """Return the probability that each rating of the scale is missing, (arms, values)."""
        if arms.scale is None:
            raise ParameterError(f"missing_probabilities needs arms with a scale, got {type(arms).__name__}")
        return _logistic(self._intercepts(arms)[:, None] - self.slope * arms.scale)

    def _intercepts(self, arms: Arms) -> Floats:
        """Return c_a, the log-odds at a rating of 0 that give the declared shares, by bisection."""
        values, weights = _rewards_and_weights(arms)
        shares = np.atleast_1d(np.asarray(self.share, dtype=np.float64))
        if shares.size not in (1, arms.n_arms):
            raise ParameterError(f"share must be one number, or one for each of {arms.n_arms} arms, got {self.share!r}")
        low = np.full(shares.size, self.slope * values.min() - LARGEST_LOG_ODDS)
        high = np.full(shares.size, self.slope * values.max() + LARGEST_LOG_ODDS)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2.0
            missing = (weights * _logistic(middle[:, None] - self.slope * values)).sum(axis=1)
            missing = missing.mean() if shares.size == 1 else missing
            low, high = np.where(missing < shares, middle, low), np.where(missing < shares, high, middle)
        intercepts = np.where(shares > 0, np.where(shares < 1, low, np.inf), -np.inf)  # never, or always, exactly
        return np.broadcast_to(intercepts, arms.n_arms).copy()


def _rewards_and_weights(arms: Arms) -> tuple[Floats, Floats]:
    """Return rewards of each arm, (arms or 1, rewards), and their probabilities."""
    if isinstance(arms, FiniteArms):
        return arms.scale[None, :], arms.probabilities
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    return np.array([arms.quantiles(float(q)) for q in levels]).T, np.full((arms.n_arms, 1), 1.0 / QUANTILES)


def _logistic(x: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-x, 700.0))))
