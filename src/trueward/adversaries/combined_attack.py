"""One state for all built-in adaptive attacks, so that a policy's game is compiled once for all of them."""

from typing import NamedTuple

import numpy as np

from trueward.adversaries.front_cluster import FrontCluster, FrontPullsState
from trueward.adversaries.oracle_attack import OracleAttack
from trueward.adversaries.prefix_budget import PrefixBudget, PrefixBudgetState
from trueward.adversaries.targeted_attack import TargetedAttackState
from trueward.adversaries.values import WorstBounded
from trueward.arms.arms import Arms
from trueward.engine.kernel import State
from trueward.engine.protocol import View, contaminate

KINDS = (FrontPullsState, PrefixBudgetState, TargetedAttackState)
FRONT_PULLS, PREFIX_BUDGET, TARGETED = range(len(KINDS))


class CombinedAttack(NamedTuple):
    """A state of each kind, of which one acts.

    A compiled game is specialised on the class of the attack's state. With this class in place of theirs, all kinds
    share one compiled game.
    """

    kind: int
    front_pulls: FrontPullsState
    prefix_budget: PrefixBudgetState
    targeted: TargetedAttackState


@contaminate.register(CombinedAttack)
def contaminate_by_kind(
    state: CombinedAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    if state.kind == FRONT_PULLS:
        return contaminate(state.front_pulls, view, t, arm, reward, rng)
    if state.kind == PREFIX_BUDGET:
        return contaminate(state.prefix_budget, view, t, arm, reward, rng)
    return contaminate(state.targeted, view, t, arm, reward, rng)


def as_combined_attack(attack: State, arms: Arms) -> State:
    """Return an attack of one of the `KINDS` inside an `CombinedAttack`, and any other unchanged."""
    if type(attack) not in KINDS:
        return attack
    values = WorstBounded()
    idle = (FrontCluster(0.0, values, by="pulls"), PrefixBudget(0.0, values), OracleAttack())
    states: list[State] = [adversary.start(arms, 1) for adversary in idle]
    kind = KINDS.index(type(attack))
    states[kind] = attack
    return CombinedAttack(kind, *states)
