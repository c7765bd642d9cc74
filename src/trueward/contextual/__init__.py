"""Contextual bandits with linear rewards, data poisoning, and learners that withstand it.

learner = tw.contextual.Ridge()
arm = learner.fit(log).choose(context)
attack = tw.contextual.poison(log, learner, context=context, arm=2)
attack.feasible, attack.relative_effort
robust = tw.contextual.ContextualCrUCB(tw.TrimmedMean(0.1), sigma=0.1)
"""

from trueward.contextual.contextual_log import ContextualLog
from trueward.contextual.linear_arms import LinearArms
from trueward.contextual.linear_fit import LinearFit
from trueward.contextual.linear_learners import ContextualCrUCB, LinearLearner, LinUCB, Ridge
from trueward.contextual.poisoning import PoisoningAttack, poison
from trueward.contextual.side_effects import SideEffects, side_effects

__all__ = [
    "ContextualCrUCB",
    "ContextualLog",
    "LinUCB",
    "LinearArms",
    "LinearFit",
    "LinearLearner",
    "PoisoningAttack",
    "Ridge",
    "SideEffects",
    "poison",
    "side_effects",
]
