"""What an attack does to other contexts: how many get another arm, the target arm, and how near they are to the target.

The attack moves the coefficients of an arm by V^-1 X' D, and D is a multiple of X V^-1 x*: what happens in a context x
depends on x' V^-1 X' X V^-1 x*, and so mainly on the angle between the two. Contexts that point where the target points
follow it, those that point the other way leave it, and those at a right angle hardly notice.

>>> from trueward.contextual.learners import Ridge
>>> from trueward.contextual.linear_arms import LinearArms
>>> from trueward.contextual.poisoning import poison
>>> arms = LinearArms.random(seed=1)
>>> log, target = arms.history(1000, seed=2), arms.contexts(1, seed=3)[0]
>>> attack = poison(log, Ridge(), context=target, arm=0)
>>> effects = side_effects(log, attack, Ridge(), context=target, arm=0, contexts=arms.contexts(1000, seed=4))
>>> round(effects.changed, 2), [round(share, 2) for share in effects.by_angle]
(0.04, [0.07, 0.03, 0.04, 0.11])

Reference: Ma, Jun, Li & Zhu (2018), who report side effects; the shares by angle are ours.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.history import History, checked_context, checked_contexts
from trueward.contextual.learners import Learner
from trueward.contextual.poisoning import Poisoning
from trueward.engine.kernel import Floats

COSINES = (-1.0, -0.5, 0.0, 0.5, 1.0)  # edges of the classes of angles


@dataclass(frozen=True)
class SideEffects:
    """Shares of other contexts: that get another arm than before, and that get the target arm and did not before."""

    changed: float
    to_target: float
    by_angle: tuple[float, ...]  # changed, by the cosine with the target: -1 to -1/2, to 0, to 1/2, to 1; NaN for none


def side_effects(
    history: History, attack: Poisoning, learner: Learner, *, context: ArrayLike, arm: int, contexts: ArrayLike
) -> SideEffects:
    """Return what an attack on one context does to others."""
    x, others = checked_context(context, history.dimension), checked_contexts(contexts)
    before = learner.fit(history).choose(others)
    after = learner.fit(history.with_rewards(attack.rewards)).choose(others)
    changed = before != after
    return SideEffects(
        float(changed.mean()), float((changed & (after == arm)).mean()), _by_class(changed, _cosines(others, x))
    )


def _cosines(contexts: Floats, x: Floats) -> Floats:
    lengths = np.linalg.norm(contexts, axis=1) * np.linalg.norm(x)
    return np.asarray(contexts @ x / np.where(lengths > 0, lengths, 1.0))


def _by_class(changed: Floats, cosines: Floats) -> tuple[float, ...]:
    classes = np.searchsorted(COSINES[1:-1], cosines)
    kinds = [changed[classes == each] for each in range(len(COSINES) - 1)]
    return tuple(float(kind.mean()) if kind.size else float("nan") for kind in kinds)
