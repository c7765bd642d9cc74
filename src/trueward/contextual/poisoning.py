"""Data poisoning: the smallest change of logged rewards that makes a learner play a target arm in a target context."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.contextual_log import LARGEST, ContextualLog, check_context
from trueward.contextual.linear_fit import LinearFit
from trueward.contextual.linear_learners import LinearLearner
from trueward.contextual.smallest_change import smallest_change
from trueward.engine.kernel import Bools, Floats
from trueward.errors import ParameterError
from trueward.estimators.mean import Mean
from trueward.parameters import Range, above, at_most, check_arm_index, checked

MAX_MARGINS, MAX_REFITS = 25, 5  # attempts of each kind against a learner that is not linear in the rewards
MARGIN_PRECISION = 0.02  # relative, of the smallest margin that succeeds
ROUNDING = 1e-6  # by which a margin may be missed
UNCHANGED = 1e-9  # a smaller change of a reward, relative to the largest, is rounding


@dataclass(frozen=True, eq=False)
class PoisoningAttack:
    """The result of `poison`: the poisoned rewards, and the effort that they take.

    Parameters
    ----------
    feasible : bool
        Whether there is an attack; for a robust learner, whether one was found.
    succeeded : bool
        Whether the learner plays the target arm after it is fitted to the poisoned rewards.
    lead : float
        Score of the target arm minus the highest other score after the attack; negative if the arm is behind.
    rewards : ndarray, (rounds,)
        The poisoned rewards; the original ones if there is no attack.
    change : ndarray, (rounds,)
        Poisoned minus original rewards.
    relative_effort : float
        ||change|| / ||original rewards||; infinite if there is no attack.

    References
    ----------
    Ma, Jun, Li & Zhu (2018), for the relative effort.
    """

    feasible: bool
    succeeded: bool
    lead: float
    rewards: Floats = field(repr=False)
    change: Floats = field(repr=False)
    relative_effort: float

    @property
    def effort(self) -> float:
        """The Euclidean norm of the change; infinite if there is no attack."""
        return float(np.linalg.norm(self.change)) if self.feasible else math.inf

    @property
    def changed_share(self) -> float:
        """The share of rewards that are changed."""
        sizes = np.abs(self.change)
        return float((sizes > UNCHANGED * max(sizes.max(), np.finfo(np.float64).tiny)).mean())


@checked
def poison(
    log: ContextualLog,
    learner: LinearLearner,
    *,
    context: ArrayLike,
    arm: int,
    margin: Annotated[float, above(0), at_most(LARGEST)] = 0.001,
    range: Range | None = None,
    controlled: ArrayLike | None = None,
) -> PoisoningAttack:
    """Return the smallest change of logged rewards that makes a learner play an arm in a context.

        minimise ||D||^2   subject to   score of the target arm >= score of every other arm + margin,
                                        in the target context, after the learner is fitted to the rewards y + D

    A score is linear in the rewards, x . theta_a = x . (X' X + lambda I)^-1 X' (y_a + D_a), and LinUCB's radii do not
    depend on them. So this is a quadratic program with one inequality per other arm, which Clarabel solves.

    Parameters
    ----------
    log : ContextualLog
        The log to poison.
    learner : LinearLearner
        The learner to attack.
    context : array_like
        Target context.
    arm : int
        Target arm.
    margin : float
        Required lead of the target arm, above 0.
    range : tuple of float, optional
        Lowest and highest poisoned reward. It must contain all rewards of the log. Default: no limits.
    controlled : array_like of bool, optional
        The rewards that the attacker can change, such as those of its own accounts. Default: all.

    Returns
    -------
    PoisoningAttack
        The poisoned rewards; `feasible` is False if there is no attack.

    Notes
    -----
    An arm can be moved if the attacker controls a reward of it whose context is not orthogonal to the target context
    (in the metric of (X' X + lambda I)^-1). Without a range, there is an attack if and only if the target arm can be
    moved, or every arm whose score must fall can be moved. With a range, there may be none.

    A robust learner is not linear in the rewards. Two heuristics attack it, and the smaller change that succeeds is
    returned: the attack on plain regression with increasing margins, and programs with the weights that the learner
    gave to the rewards of the previous attempt. Both can fail where another attack would succeed: the effort is an
    upper bound.

    Examples
    --------
    >>> from trueward.contextual import LinearArms, Ridge
    >>> log = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1).simulate_log(200, seed=1)
    >>> attack = poison(log, Ridge(), context=[1.0, 0.0], arm=1)
    >>> attack.feasible, attack.succeeded, round(attack.relative_effort, 2)
    (True, True, 0.49)

    References
    ----------
    Ma, Jun, Li & Zhu (2018), Data poisoning attacks in contextual bandits, for the program against ridge regression and
    LinUCB. Range, controlled rewards and the attack on robust learners are new in trueward.
    """
    x = check_context(context, log.dimension)
    check_arm_index("arm", arm, log.n_arms)
    mask = _check_controlled(log, controlled)
    _check_range(log, range)
    program = _Program(log, x, arm, margin, range, mask)
    if learner.linear_in_rewards:
        attempts = [program.attack(learner)]
    else:
        attempts = [*_attack_with_margins(program, learner), *_attack_with_refits(program, learner)]
    attacks = [attack for attack in attempts if attack is not None and program.is_met_by(attack)]
    if attacks:
        return min(attacks, key=lambda attack: attack.effort)
    lead = _lead(learner.fit(log), x, arm)
    return PoisoningAttack(False, lead > 0.0, lead, log.rewards, 0.0 * log.rewards, math.inf)


class _Program(NamedTuple):
    """The quadratic program of an attack."""

    log: ContextualLog
    x: Floats
    arm: int
    margin: float
    range: tuple[float, float] | None
    controlled: Bools

    def attack(self, learner: LinearLearner, fit: LinearFit | None = None) -> PoisoningAttack | None:
        """Return the smallest change with the weights of a fit, by default the fit to the original rewards."""
        rewards = self.log.rewards
        low, high = (-math.inf, math.inf) if self.range is None else self.range
        matrix, required = _constraints(fit or learner.fit(self.log), self.log, self.x, self.arm, self.margin)
        change = smallest_change(matrix, required, (low - rewards, high - rewards), self.controlled)
        if change is None:
            return None
        size = float(np.linalg.norm(rewards))
        relative_effort = float(np.linalg.norm(change)) / size if size > 0 else math.inf
        lead = _lead(learner.fit(self.log.with_rewards(rewards + change)), self.x, self.arm)
        return PoisoningAttack(True, lead > 0.0, lead, rewards + change, change, relative_effort)

    def is_met_by(self, attack: PoisoningAttack) -> bool:
        """Return whether the target arm leads by the margin after an attack."""
        return attack.lead >= self.margin * (1.0 - ROUNDING)


def _attack_with_margins(program: _Program, learner: LinearLearner) -> Iterator[PoisoningAttack | None]:
    """Yield attacks on plain regression: the margin doubles until one succeeds, then bisection lowers it."""
    plain = replace(learner, estimator=Mean()).fit(program.log)
    low, high, succeeded = 0.0, program.margin, False
    for _ in range(MAX_MARGINS):
        margin = high if not succeeded else 0.5 * (low + high)
        attack = program._replace(margin=margin).attack(learner, plain)
        if attack is None and not succeeded:
            return  # larger margins are infeasible, too
        yield attack
        if attack is not None and program.is_met_by(attack):
            high, succeeded = margin, True
        else:
            low, high = margin, high if succeeded else 2.0 * high
        if succeeded and high - low < MARGIN_PRECISION * high:
            return


def _attack_with_refits(program: _Program, learner: LinearLearner) -> Iterator[PoisoningAttack | None]:
    """Yield attacks with the weights of the original rewards, then of the rewards after each attack."""
    fit = learner.fit(program.log)
    for _ in range(MAX_REFITS):
        attack = program.attack(learner, fit)
        yield attack
        if attack is None:
            return
        fit = learner.fit(program.log.with_rewards(attack.rewards))


def _constraints(fit: LinearFit, log: ContextualLog, x: Floats, arm: int, margin: float) -> tuple[Floats, Floats]:
    """Return A (other arms, rounds) and b: A D >= b puts the target ahead of each other arm by the margin."""
    leverage = fit.leverage(x)
    predictions = np.bincount(log.arms, leverage * log.rewards, minlength=log.n_arms)  # x . theta, unchanged
    widths = fit.scores(x)[0] - fit.coefficients @ x
    scores = predictions + widths
    others = [other for other in range(log.n_arms) if other != arm]
    matrix = np.array([np.where(log.arms == arm, leverage, -leverage * (log.arms == other)) for other in others])
    return matrix.reshape(len(others), len(log)), np.array([scores[other] - scores[arm] + margin for other in others])


def _lead(fit: LinearFit, x: Floats, arm: int) -> float:
    scores = fit.scores(x)[0]
    return float(scores[arm] - np.delete(scores, arm).max(initial=-np.inf))


def _check_range(log: ContextualLog, range: tuple[float, float] | None) -> None:
    if range is not None:
        outside = (log.rewards < range[0]) | (log.rewards > range[1])
        if outside.any():
            row = int(outside.argmax())
            raise ParameterError(
                f"range must contain every reward, got {range!r} and {log.rewards[row]:g} in round {row}"
            )


def _check_controlled(log: ContextualLog, controlled: ArrayLike | None) -> Bools:
    if controlled is None:
        return np.ones(len(log), np.bool_)
    mask = np.asarray(controlled)
    if mask.dtype != np.bool_ or mask.shape != (len(log),):
        raise ParameterError(f"controlled must be True or False for each of {len(log)} rewards, got {controlled!r}")
    return mask
