"""The two steps of a live study, to choose and to learn, interpreted or compiled.

Both give the same numbers in every bit. A study is served at once by interpreted ones, and by compiled ones where these
are on disk: after `trueward warm-up live`, or `warm_up()` of a bandit or a study. Nothing is compiled while somebody
waits for an arm.
"""

import numpy as np

from trueward.engine.compiling import Compilable
from trueward.engine.kernel import Bools, Floats, Ints, State
from trueward.engine.native import borrow
from trueward.engine.protocol import Ask, Observation, choose, update, update_missing


@Compilable
def choose_arm(state: State, t: int, available: Bools, pending: Ints, p: Floats, rng: np.random.Generator) -> int:
    """Return the arm to show, and fill in the probabilities if the policy draws from some."""
    state, available, pending, p, rng = borrow(state), borrow(available), borrow(pending), borrow(p), borrow(rng)
    return choose(state, Ask(t, available, pending, p), rng)


@Compilable
def learn_rewards(
    state: State,
    asks: Ints,  # (rewards,) the number of each ask
    arms: Ints,
    rewards: Floats,
    p: Floats,  # (rewards, arms)
    available: Bools,  # (rewards, arms)
    evidence: Floats,  # (rewards, signals)
    rng: np.random.Generator,
) -> None:
    """Learn rewards, in order, NaN for one that is missing."""
    state, asks, arms, rewards, rng = borrow(state), borrow(asks), borrow(arms), borrow(rewards), borrow(rng)
    p, available, evidence = borrow(p), borrow(available), borrow(evidence)
    for i in range(asks.size):
        seen = Observation(asks[i], arms[i], rewards[i], p[i], available[i], evidence[i])
        if rewards[i] == rewards[i]:
            update(state, seen, rng)
        else:
            update_missing(state, seen, rng)
