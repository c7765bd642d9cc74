"""A policy that has been told rewards, for tests that look into its state."""

import numpy as np

from trueward.engine.protocol import Observation, choose, make_ask, make_observation, update
from trueward.policies.sampling.sampling_policy import distribute


def told(policy, rewards, **known):
    """Return the state of a policy after a list of rewards for each arm; `known` are a horizon, or a scale."""
    state = policy.start(len(rewards), **{"capacity": 1000, **known})
    for arm, values in enumerate(rewards):
        for value in values:
            update(state, make_observation(arm, value, n_arms=len(rewards)), np.random.default_rng(0))
    return state


def answer(state, arm, reward, *, n_arms, t=1):
    """Ask a policy that draws its arm, and tell it a reward of some arm, drawn or not."""
    ask = make_ask(t, n_arms)
    distribute(state, ask)
    update(state, Observation(t, arm, reward, ask.p, ask.available), np.random.default_rng(0))


def play_round(state, t, reward, rng, *, n_arms):
    """Let a policy choose an arm, and tell it the reward of it, a function of the arm."""
    ask = make_ask(t, n_arms)
    arm = choose(state, ask, rng)
    update(state, Observation(t, arm, reward(arm), ask.p, ask.available), rng)
