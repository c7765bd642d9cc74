"""A share of the rounds for every arm alike, around any policy: each probability has a floor.

    p_a = share / K + (1 - share) q_a,    q the wrapped policy's probabilities

With probability `share` the arm is drawn uniformly, else as the wrapped policy chooses. What is seen of every arm then
allows for a valid comparison afterwards, whatever the policy preferred: no probability is below share / K, and all are
known. It learns from every reward, and withstands what the wrapped policy withstands; a share of the rounds is played
without regard to what was learned, which costs that share of uniform play's regret.

>>> import numpy as np
>>> from trueward.engine.protocol import make_ask
>>> from trueward.policies.sampling.epsilon_greedy import EpsilonGreedy
>>> policy = UniformShare(EpsilonGreedy(epsilon=0.0), share=0.2)
>>> state = policy.start(4)
>>> state.policy.estimate[:] = 1.0, 2.0, 3.0, 4.0
>>> policy.probabilities(state, make_ask(5, 4)).round(12).tolist()
[0.05, 0.05, 0.05, 0.85]

Guarantee: every arm is drawn with probability at least share / K in every round.

Reference: ours; the uniform part is that of EXP3, Auer, Cesa-Bianchi, Freund & Schapire (2002).
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import Ask, Observation, choose, update, update_missing
from trueward.engine.states import Setting
from trueward.parameters import Share
from trueward.policies.policy import Policy
from trueward.policies.signals import Signal
from trueward.policies.wrappers.wrapper import Wrapper


class UniformShareState(NamedTuple):
    """The wrapped policy's state, and the share."""

    policy: State
    share: float
    samples: bool  # whether the wrapped policy draws from probabilities, which it then weighs rewards with


@choose.register(UniformShareState)
def draw_uniformly_at_times(state: UniformShareState, ask: Ask, rng: np.random.Generator) -> int:
    """Draw any arm with the probability of the share, else let the wrapped policy choose."""
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
def hand_on_reward(state: UniformShareState, seen: Observation, rng: np.random.Generator) -> None:
    """Let the wrapped policy learn from every reward."""
    update(state.policy, seen, rng)


@update_missing.register(UniformShareState)
def hand_on_missing(state: UniformShareState, seen: Observation, rng: np.random.Generator) -> None:
    """Let the wrapped policy know."""
    update_missing(state.policy, seen, rng)


@dataclass(frozen=True)
class UniformShare(Wrapper):
    """Plays a policy, but draws the arm uniformly in a share of the rounds."""

    policy: Policy
    _: KW_ONLY
    share: Share = 0.1

    @property
    def inner(self) -> Policy:
        """The policy that chooses in the other rounds."""
        return self.policy

    @property
    def signals(self) -> tuple[Signal, ...]:
        return self.policy.signals

    def state(self, setting: Setting) -> UniformShareState:
        return UniformShareState(self.policy.state(setting), float(self.share), self.policy.samples)

    def probabilities(self, state: UniformShareState, ask: Ask) -> Floats:
        """Return the wrapped policy's probabilities, mixed with uniform ones."""
        return self.probabilities_by(self.outlook(state), state, ask)

    def outlook(self, state: UniformShareState, before: Any = None) -> Any:
        return self.policy.outlook(state.policy, before)

    def probabilities_by(self, outlook: Any, state: UniformShareState, ask: Ask) -> Floats:
        wrapped = self.policy.probabilities_by(outlook, state.policy, ask)
        return np.asarray(self.share / ask.p.size + (1.0 - self.share) * wrapped)

    def drew_uniformly(self, rng: np.random.Generator) -> bool:
        """Return whether a choice with these random numbers, all still to come, is one of the uniform share."""
        return bool(rng.random() < self.share)
