"""Epsilon-greedy: explore uniformly with a small probability, otherwise play the arm with the highest estimate."""

import math
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, State, kernel
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting, new, per_arm
from trueward.errors import ParameterError
from trueward.estimators.estimator import Estimator
from trueward.estimators.mean import Mean
from trueward.parameters import NotNegative, Share
from trueward.policies.sampling.sampling_policy import SamplingPolicy, distribute
from trueward.policies.selection import TIE_TOLERANCE, forced_exploration_score


class EpsilonGreedyState(NamedTuple):
    """The estimate of each arm, and the exploration schedule."""

    memory: State
    estimate: Annotated[Floats, per_arm(math.inf)]
    c: float  # negative: explore with the fixed probability
    epsilon: float


@kernel
def greedy_score(state: EpsilonGreedyState, ask: Ask, arm: int) -> float:
    estimate = float(state.estimate[arm])
    return estimate if estimate < math.inf else forced_exploration_score(ask, arm)


@distribute.register(EpsilonGreedyState)
def epsilon_greedy_probabilities(state: EpsilonGreedyState, ask: Ask) -> None:
    """Split 1 - epsilon_t evenly among the arms with the highest score, and epsilon_t among all arms."""
    n_arms = ask.p.size
    exploration = min(1.0, state.c * n_arms / ask.t) if state.c >= 0.0 else state.epsilon
    top, ties = -math.inf, 0
    for arm in range(n_arms):
        top = max(top, greedy_score(state, ask, arm))
    for arm in range(n_arms):
        ties += greedy_score(state, ask, arm) >= top - TIE_TOLERANCE
    for arm in range(n_arms):
        ask.p[arm] = exploration / n_arms
        if greedy_score(state, ask, arm) >= top - TIE_TOLERANCE:
            ask.p[arm] += (1.0 - exploration) / ties


@update.register(EpsilonGreedyState)
def update_estimate(state: EpsilonGreedyState, seen: Observation, rng: np.random.Generator) -> None:
    state.estimate[seen.arm] = insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedy(SamplingPolicy):
    """Epsilon-greedy: explore uniformly with a small probability, otherwise play the arm with the highest estimate.

        p_a = epsilon_t / K + (1 - epsilon_t) 1{a has the highest estimate},    epsilon_t = min(1, c K / t) or fixed

    It withstands the contamination that its estimator withstands; the sample mean withstands none. An arm without a
    reward is played first. While its first rewards are still pending, the other arms are played, too.

    Parameters
    ----------
    c : float, optional
        Factor of the decreasing exploration probability min(1, c K / t), at least 0.
    epsilon : float, optional
        Fixed exploration probability in [0, 1]. Exactly one of `c` and `epsilon` is required.
    estimator : Estimator, optional
        Estimator of an arm's mean reward. Default: the sample mean.

    Notes
    -----
    Guarantee: for rewards in [0, 1], c >= 5 / gap^2 and no contamination, the regret is of order c K ln T.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = EpsilonGreedy(epsilon=0.3)
    >>> state = policy.start(3)
    >>> state.estimate[:] = 1.0, 2.0, 3.0
    >>> policy.probabilities(state, make_ask(4, 3)).round(12).tolist()
    [0.1, 0.1, 0.8]

    References
    ----------
    Auer, Cesa-Bianchi & Fischer (2002), section 2; Jun et al. (2018) for the schedule c K / t.
    """

    c: NotNegative | None = None
    epsilon: Share | None = None
    estimator: Estimator = field(default_factory=Mean)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.c is None) == (self.epsilon is None):
            raise ParameterError(
                f"exactly one of c and epsilon must be given, got c={self.c!r}, epsilon={self.epsilon!r}"
            )

    def state(self, setting: Setting) -> EpsilonGreedyState:
        c = -1.0 if self.c is None else float(self.c)
        memory = self.estimator.memory(setting)
        return new(EpsilonGreedyState, setting, memory=memory, c=c, epsilon=float(self.epsilon or 0))

    def estimates(self, state: EpsilonGreedyState) -> Floats:
        return np.where(np.isfinite(state.estimate), state.estimate, np.nan)
