"""The effect of a poisoning attack on contexts other than its target."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.contextual_log import ContextualLog, check_context, check_contexts
from trueward.contextual.linear_learners import LinearLearner
from trueward.contextual.poisoning import PoisoningAttack
from trueward.engine.kernel import Bools, Floats

COSINES = (-1.0, -0.5, 0.0, 0.5, 1.0)  # edges of the classes of angles


@dataclass(frozen=True)
class SideEffects:
    """The share of other contexts in which an attack changes the arm.

    Parameters
    ----------
    changed : float
        Share of contexts that get another arm than before.
    to_target : float
        Share of contexts that get the target arm and did not before.
    by_angle : tuple of float
        Share of contexts that get another arm, by their cosine with the target context, in four classes: [-1, -1/2],
        (-1/2, 0], (0, 1/2], (1/2, 1]. NaN for a class without contexts.

    References
    ----------
    Ma, Jun, Li & Zhu (2018), who report side effects; the shares by angle are new in trueward.
    """

    changed: float
    to_target: float
    by_angle: tuple[float, ...]


def side_effects(
    log: ContextualLog,
    attack: PoisoningAttack,
    learner: LinearLearner,
    *,
    context: ArrayLike,
    arm: int,
    contexts: ArrayLike,
) -> SideEffects:
    """Return the effect of an attack on contexts other than its target.

    X are the contexts of the arm, V = X' X + lambda I, D the change of its rewards. The attack moves the coefficients
    of an arm by V^-1 X' D, and D is a multiple of X V^-1 x*. The effect in a context x depends on
    x' V^-1 X' X V^-1 x*, and so mainly on the angle between x and the target context x*. Contexts that point in the
    direction of the target follow it, those that point in the opposite direction leave it, and those at a right angle
    hardly change.

    Parameters
    ----------
    log : ContextualLog
        The log before the attack.
    attack : PoisoningAttack
        The attack.
    learner : LinearLearner
        The learner that is fitted before and after the attack.
    context : array_like
        Target context.
    arm : int
        Target arm.
    contexts : array_like, (contexts, dimension)
        Other contexts.

    Returns
    -------
    SideEffects
        Shares of the other contexts.

    Examples
    --------
    >>> from trueward.contextual import LinearArms, Ridge, poison
    >>> arms = LinearArms.random(seed=1)
    >>> log, target = arms.simulate_log(1000, seed=2), arms.draw_contexts(1, seed=3)[0]
    >>> attack = poison(log, Ridge(), context=target, arm=0)
    >>> others = arms.draw_contexts(1000, seed=4)
    >>> effects = side_effects(log, attack, Ridge(), context=target, arm=0, contexts=others)
    >>> round(effects.changed, 2), [round(share, 2) for share in effects.by_angle]
    (0.04, [0.07, 0.03, 0.04, 0.11])

    References
    ----------
    Ma, Jun, Li & Zhu (2018), who report side effects; the shares by angle are new in trueward.
    """
    x, others = check_context(context, log.dimension), check_contexts(contexts)
    before = learner.fit(log).choose(others)
    after = learner.fit(log.with_rewards(attack.rewards)).choose(others)
    changed = before != after
    return SideEffects(
        float(changed.mean()), float((changed & (after == arm)).mean()), _share_by_angle(changed, _cosines(others, x))
    )


def _cosines(contexts: Floats, x: Floats) -> Floats:
    lengths = np.linalg.norm(contexts, axis=1) * np.linalg.norm(x)
    return np.asarray(contexts @ x / np.where(lengths > 0, lengths, 1.0))


def _share_by_angle(changed: Bools, cosines: Floats) -> tuple[float, ...]:
    classes = np.searchsorted(COSINES[1:-1], cosines)
    members = [changed[classes == each] for each in range(len(COSINES) - 1)]
    return tuple(float(member.mean()) if member.size else float("nan") for member in members)
