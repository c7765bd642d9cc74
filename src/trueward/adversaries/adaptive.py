"""One state for all attacks that act in each round, so that a policy's game is compiled once for all of them.

A compiled game is specialised on the class of the attack's state. An attack whose class has a field here is put into
it, beside others that are never asked to act; any other, a user's own for example, stays what it is.
"""

from typing import NamedTuple

import numpy as np

from trueward.adversaries.guard_bait import BaitState, GuardBait
from trueward.adversaries.hijack import HijackState
from trueward.adversaries.oracle_attack import OracleAttack
from trueward.adversaries.prefix_budget import PrefixBudget
from trueward.adversaries.pulls import PullsAttack
from trueward.adversaries.values import WorstBounded
from trueward.arms.arms import Arms
from trueward.engine.kernel import State
from trueward.engine.protocol import View, contaminate

KINDS = (PullsAttack, HijackState, BaitState)
PULLS, HIJACK, BAIT = range(len(KINDS))


class AdaptiveAttack(NamedTuple):
    """An attack of each kind, and which of them acts."""

    kind: int
    pulls: PullsAttack
    hijack: HijackState
    bait: BaitState


@contaminate.register(AdaptiveAttack)
def contaminate_by_kind(
    state: AdaptiveAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Let the attack act that is meant."""
    if state.kind == PULLS:
        return contaminate(state.pulls, view, t, arm, reward, rng)
    if state.kind == HIJACK:
        return contaminate(state.hijack, view, t, arm, reward, rng)
    return contaminate(state.bait, view, t, arm, reward, rng)


def as_adaptive(attack: State, arms: Arms) -> State:
    """Return an attack in the state that all kinds share, if it is of one of these kinds; else as it is."""
    if type(attack) not in KINDS:
        return attack
    idle = (PrefixBudget(0.0, WorstBounded()), OracleAttack(), GuardBait(0.0))
    states: list[State] = [adversary.start(arms, 1) for adversary in idle]
    kind = KINDS.index(type(attack))
    states[kind] = attack
    return AdaptiveAttack(kind, *states)
