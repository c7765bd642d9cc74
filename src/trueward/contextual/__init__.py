"""Contextual bandits with linear payoffs, data poisoning, and learners that withstand it.

learner = tw.contextual.Ridge();    arm = learner.fit(history).choose(context)
attack = tw.contextual.poison(history, learner, context=context, arm=2);    attack.feasible, attack.ratio
robust = tw.contextual.ContextualCrUCB(tw.TrimmedMean(0.1), sigma=0.1)
"""

from trueward.contextual.fit import Fit
from trueward.contextual.history import History
from trueward.contextual.learners import ContextualCrUCB, Learner, LinUCB, Ridge
from trueward.contextual.linear_arms import LinearArms
from trueward.contextual.poisoning import Poisoning, poison
from trueward.contextual.side_effects import SideEffects, side_effects

__all__ = [
    "ContextualCrUCB",
    "Fit",
    "History",
    "Learner",
    "LinUCB",
    "LinearArms",
    "Poisoning",
    "Ridge",
    "SideEffects",
    "poison",
    "side_effects",
]
