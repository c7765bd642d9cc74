"""States of policies after some rewards, for tests that inspect a state."""

import numpy as np

from trueward.engine.protocol import Observation, choose, make_ask, make_observation, update
from trueward.policies.sampling.sampling_policy import distribute


def state_after(policy, rewards, **setting):
    """Return the state of a policy after a list of rewards for each arm; `setting` may be a horizon or a scale."""
    state = policy.start(len(rewards), **{"capacity": 1000, **setting})
    for arm, values in enumerate(rewards):
        for value in values:
            update(state, make_observation(arm, value, n_arms=len(rewards)), np.random.default_rng(0))
    return state


def observe_reward(state, arm, reward, *, n_arms, t=1):
    """Let a sampling policy compute its probabilities, and update it with a reward of `arm`, whether drawn or not."""
    ask = make_ask(t, n_arms)
    distribute(state, ask)
    update(state, Observation(t, arm, reward, ask.p, ask.available), np.random.default_rng(0))


def play_round(state, t, reward, rng, *, n_arms):
    """Let a policy choose an arm, and update it with `reward(arm)`."""
    ask = make_ask(t, n_arms)
    arm = choose(state, ask, rng)
    update(state, Observation(t, arm, reward(arm), ask.p, ask.available), rng)
