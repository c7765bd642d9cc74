"""Uniform exploration in a share of the rounds, around any policy."""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import Ask, Observation, choose, update, update_missing
from trueward.engine.states import Setting
from trueward.parameters import Share
from trueward.policies.signals import Signal
from trueward.policies.wrappers.wrapper import Wrapper


class UniformShareState(NamedTuple):
    """The wrapped policy's state, and the share."""

    policy: State
    share: float
    samples: bool  # whether the wrapped policy draws from probabilities, with which it weights rewards


@choose.register(UniformShareState)
def choose_by_mixture(state: UniformShareState, ask: Ask, rng: np.random.Generator) -> int:
    """Draw an arm uniformly with the probability `share`; otherwise the wrapped policy chooses."""
    uniform = rng.random() < state.share
    arm = choose(state.policy, ask, rng)
    n_arms = ask.p.size
    if state.samples:
        for a in range(n_arms):
            ask.p[a] = state.share / n_arms + (1.0 - state.share) * ask.p[a]
    if uniform:
        arm = int(rng.random() * n_arms)
    return arm


@update.register(UniformShareState)
def update_wrapped_policy(state: UniformShareState, seen: Observation, rng: np.random.Generator) -> None:
    update(state.policy, seen, rng)


@update_missing.register(UniformShareState)
def update_wrapped_policy_missing(state: UniformShareState, seen: Observation, rng: np.random.Generator) -> None:
    update_missing(state.policy, seen, rng)


@dataclass(frozen=True)
class UniformShare(Wrapper):
    """Uniform exploration in a share of the rounds, around any policy.

        p_a = share / K + (1 - share) q_a,    q the wrapped policy's probabilities

    With probability `share` the arm is drawn uniformly, and otherwise the wrapped policy chooses it. No probability is
    below share / K, and all are known, so the arms can be compared validly after the study, whichever arm the policy
    preferred. The wrapped policy learns from every reward. It withstands what the wrapped policy withstands.

    Parameters
    ----------
    policy : Policy
        The policy that chooses in the other rounds.
    share : float
        Probability in [0, 1] of a uniform draw.

    Notes
    -----
    Guarantee: every arm is drawn with probability at least share / K in every round. The price is that share of the
    regret of uniform sampling.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> from trueward.policies.sampling.epsilon_greedy import EpsilonGreedy
    >>> policy = UniformShare(EpsilonGreedy(epsilon=0.0), share=0.2)
    >>> state = policy.start(4)
    >>> state.policy.estimate[:] = 1.0, 2.0, 3.0, 4.0
    >>> policy.probabilities(state, make_ask(5, 4)).round(12).tolist()
    [0.05, 0.05, 0.05, 0.85]

    References
    ----------
    New in trueward as a wrapper; the mixture is that of EXP3, Auer, Cesa-Bianchi, Freund & Schapire (2002).
    """

    _: KW_ONLY
    share: Share = 0.1

    @property
    def signals(self) -> tuple[Signal, ...]:
        return self.policy.signals

    def state(self, setting: Setting) -> UniformShareState:
        return UniformShareState(self.policy.state(setting), float(self.share), self.policy.samples)

    def probabilities(self, state: UniformShareState, ask: Ask) -> Floats:
        """Return the mixture of the uniform and the wrapped policy's probabilities."""
        wrapped = self.policy.probabilities(state.policy, ask)
        return np.asarray(self.share / ask.p.size + (1.0 - self.share) * wrapped)

    def draws_uniformly(self, rng: np.random.Generator) -> bool:
        """Return whether a choice with this generator draws the arm uniformly; uses up one random number."""
        return bool(rng.random() < self.share)
