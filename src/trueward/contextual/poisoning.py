"""Data poisoning: change logged rewards as little as possible, so that a target context gets a target arm.

    minimise ||D||^2   such that   score of the target arm >= score of every other arm + margin,  in the target context,
                                   when the learner is fitted to the rewards y + D

A score is linear in the rewards, x . theta_a = x . (X' X + lam I)^-1 X' (y_a + D_a), and LinUCB's widths do not depend
on them: a quadratic program with an inequality per other arm, solved by Clarabel. `range` keeps the changed rewards in
a range; `controls` says which rewards the attacker can change at all, such as those of its own accounts.

An arm can be moved if a context of its own, whose reward the attacker controls, is not orthogonal to the target context
(in the metric of (X' X + lam I)^-1). Without a range there is an attack if and only if the target arm can be moved, or
else every arm that stands too high can. With a range there need not be one.

A robust learner is not linear in the rewards. It is attacked by a sequence of such programs, each with the weights that
the learner gave to the rewards before: that attack can fail where another would not, and its effort is an upper bound.

>>> from trueward.contextual.learners import Ridge
>>> from trueward.contextual.linear_arms import LinearArms
>>> arms = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1)
>>> log = arms.history(200, seed=1)
>>> attack = poison(log, Ridge(), context=[1.0, 0.0], arm=1)
>>> attack.feasible, attack.hit, round(attack.ratio, 2)
(True, True, 0.49)

Reference: Ma, Jun, Li & Zhu (2018), Data poisoning attacks in contextual bandits, for the program against ridge
regression and LinUCB. Range, controlled rewards and the attack on robust learners are ours.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.fit import Fit
from trueward.contextual.history import History, checked_context
from trueward.contextual.learners import Learner
from trueward.contextual.least_change import least_change
from trueward.engine import checks
from trueward.engine.kernel import Bools, Floats
from trueward.engine.parameters import Positive, Range, checked
from trueward.errors import ParameterError

ATTEMPTS = 25  # programs against a learner that is not linear in the rewards
UNCHANGED = 1e-9  # a smaller change of a reward, relative to the largest, is rounding


@dataclass(frozen=True, eq=False)
class Poisoning:
    """An attack: whether there is one, the rewards it leaves, and what it changes."""

    feasible: bool  # for a robust learner: whether one was found
    hit: bool  # whether the learner, fitted to these rewards, plays the target arm
    rewards: Floats = field(repr=False)  # (rounds,) as they were, where there is no attack
    change: Floats = field(repr=False)  # (rounds,)
    ratio: float  # ||change|| / ||rewards as they were||; infinite where there is no attack

    @property
    def effort(self) -> float:
        """The length of the change."""
        return float(np.linalg.norm(self.change)) if self.feasible else math.inf

    @property
    def touched(self) -> float:
        """The share of rewards that are changed."""
        sizes = np.abs(self.change)
        return float((sizes > UNCHANGED * max(sizes.max(), np.finfo(np.float64).tiny)).mean())


@checked
def poison(
    history: History,
    learner: Learner,
    *,
    context: ArrayLike,
    arm: int,
    margin: Positive = 0.001,
    range: Range | None = None,
    controls: ArrayLike | None = None,
) -> Poisoning:
    """Return the least change of logged rewards that makes a learner play an arm in a context, if there is one."""
    x = checked_context(context, history.dimension)
    checks.arm_index("arm", arm, history.n_arms)
    movable = _controlled(history, controls)
    _check_within(history, range)
    found = None
    for change in _changes(history, learner, x, arm, margin, range, movable):
        attack = _judged(history, learner, x, arm, change)
        if found is None or (attack.hit, -attack.ratio) > (found.hit, -found.ratio):
            found = attack
        if learner.linear:
            break
    if found is None or not (found.hit or learner.linear):
        return Poisoning(False, _plays(learner.fit(history), x, arm), history.rewards, 0.0 * history.rewards, math.inf)
    return found


def _changes(
    history: History,
    learner: Learner,
    x: Floats,
    arm: int,
    margin: float,
    range: tuple[float, float] | None,
    movable: Bools,
) -> Iterator[Floats]:
    """Give the least change with the weights of the rewards as they were, then as they are after it, and so on."""
    rewards = history.rewards
    low, high = (-math.inf, math.inf) if range is None else range
    bounds = low - rewards, high - rewards
    for _ in np.arange(ATTEMPTS):
        fit = learner.fit(history.with_rewards(rewards))
        change = least_change(*_demands(fit, history, x, arm, margin), bounds, movable)
        if change is None:
            return
        yield change
        rewards = history.rewards + change


def _demands(fit: Fit, history: History, x: Floats, arm: int, margin: float) -> tuple[Floats, Floats]:
    """Return a row per other arm, and a number: a change must move the target by so much more than that arm."""
    leverage = fit.leverage(x)
    linear = np.bincount(history.arms, leverage * history.rewards, minlength=history.n_arms)  # x . theta, unchanged
    widths = fit.scores(x)[0] - fit.coefficients @ x
    scores = linear + widths
    others = [other for other in np.arange(history.n_arms) if other != arm]
    rows = np.array([np.where(history.arms == arm, leverage, -leverage * (history.arms == other)) for other in others])
    return rows.reshape(len(others), len(history)), np.array([scores[other] - scores[arm] + margin for other in others])


def _judged(history: History, learner: Learner, x: Floats, arm: int, change: Floats) -> Poisoning:
    rewards = history.rewards + change
    size = float(np.linalg.norm(history.rewards))
    ratio = float(np.linalg.norm(change)) / size if size > 0 else math.inf
    return Poisoning(True, _plays(learner.fit(history.with_rewards(rewards)), x, arm), rewards, change, ratio)


def _plays(fit: Fit, x: Floats, arm: int) -> bool:
    return bool(fit.choose(x)[0] == arm)


def _check_within(history: History, range: tuple[float, float] | None) -> None:
    if range is not None:
        outside = (history.rewards < range[0]) | (history.rewards > range[1])
        if outside.any():
            row = int(outside.argmax())
            raise ParameterError(
                f"range must hold every reward, got {range!r} and {history.rewards[row]:g} in row {row}"
            )


def _controlled(history: History, controls: ArrayLike | None) -> Bools:
    if controls is None:
        return np.ones(len(history), np.bool_)
    movable = np.asarray(controls)
    if movable.dtype != np.bool_ or movable.shape != (len(history),):
        raise ParameterError(f"controls must be True or False for each of {len(history)} rewards, got {controls!r}")
    return movable
