"""Data poisoning: change logged rewards as little as possible, so that a target context gets a target arm.

    minimise ||D||^2   such that   score of the target arm >= score of every other arm + margin,  in the target context,
                                   when the learner is fitted to the rewards y + D

A score is linear in the rewards, x . theta_a = x . (X' X + lam I)^-1 X' (y_a + D_a), and LinUCB's widths do not depend
on them: a quadratic program with an inequality per other arm, solved by Clarabel. `range` keeps the changed rewards in
a range; `controls` says which rewards the attacker can change at all, such as those of its own accounts.

An arm can be moved if a context of its own, whose reward the attacker controls, is not orthogonal to the target context
(in the metric of (X' X + lam I)^-1). Without a range there is an attack if and only if the target arm can be moved, or
else every arm that stands too high can. With a range there need not be one.

A robust learner is not linear in the rewards. It is attacked in two ways, and the lesser change that hits is returned:
by the attack on plain regression with an ever greater margin, and by programs with the weights that the learner gave to
the rewards after the last one. Both can fail where another attack would not: the effort is an upper bound.

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
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.fit import Fit
from trueward.contextual.history import LARGEST, History, checked_context
from trueward.contextual.learners import Learner
from trueward.contextual.least_change import least_change
from trueward.engine.kernel import Bools, Floats
from trueward.errors import ParameterError
from trueward.estimators.mean import Mean
from trueward.parameters import Range, above, at_most, check_arm_index, checked

ATTEMPTS, REPEATS = 25, 5  # programs of each kind against a learner that is not linear in the rewards
PRECISION = 0.02  # of the margin that is enough
ROUNDING = 1e-6  # by which a margin may be missed
UNCHANGED = 1e-9  # a smaller change of a reward, relative to the largest, is rounding


@dataclass(frozen=True, eq=False)
class Poisoning:
    """An attack: whether there is one, the rewards it leaves, and what it changes."""

    feasible: bool  # for a robust learner: whether one was found
    hit: bool  # whether the learner, fitted to these rewards, plays the target arm
    lead: float  # by how much that arm is then ahead of every other; below 0 where it is behind
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
    margin: Annotated[float, above(0), at_most(LARGEST)] = 0.001,
    range: Range | None = None,
    controls: ArrayLike | None = None,
) -> Poisoning:
    """Return the least change of logged rewards that makes a learner play an arm in a context, if there is one."""
    x = checked_context(context, history.dimension)
    check_arm_index("arm", arm, history.n_arms)
    movable = _controlled(history, controls)
    _check_within(history, range)
    program = _Program(history, x, arm, margin, range, movable)
    attacks = [program.attack(learner)] if learner.linear else [*_wider(program, learner), *_repeated(program, learner)]
    found = [attack for attack in attacks if attack is not None and program.met_by(attack)]
    if found:
        return min(found, key=lambda attack: attack.effort)
    lead = _lead(learner.fit(history), x, arm)
    return Poisoning(False, lead > 0.0, lead, history.rewards, 0.0 * history.rewards, math.inf)


class _Program(NamedTuple):
    """What is asked of an attack."""

    history: History
    x: Floats
    arm: int
    margin: float
    range: tuple[float, float] | None
    movable: Bools

    def attack(self, learner: Learner, fit: Fit | None = None) -> Poisoning | None:
        """Return the least change with the weights of a fit, by default that to the rewards as they were, if any."""
        rewards = self.history.rewards
        low, high = (-math.inf, math.inf) if self.range is None else self.range
        rows, demands = _demands(fit or learner.fit(self.history), self.history, self.x, self.arm, self.margin)
        change = least_change(rows, demands, (low - rewards, high - rewards), self.movable)
        if change is None:
            return None
        size = float(np.linalg.norm(rewards))
        ratio = float(np.linalg.norm(change)) / size if size > 0 else math.inf
        lead = _lead(learner.fit(self.history.with_rewards(rewards + change)), self.x, self.arm)
        return Poisoning(True, lead > 0.0, lead, rewards + change, change, ratio)

    def met_by(self, attack: Poisoning) -> bool:
        """Return whether an attack leaves the target ahead by the margin."""
        return attack.lead >= self.margin * (1.0 - ROUNDING)


def _wider(program: _Program, learner: Learner) -> Iterator[Poisoning | None]:
    """Give attacks on plain regression: the margin doubles until one hits, and is then halved in between."""
    plain = replace(learner, estimator=Mean()).fit(program.history)
    low, high, hit = 0.0, program.margin, False
    for _ in np.arange(ATTEMPTS):
        middle = high if not hit else 0.5 * (low + high)
        attack = program._replace(margin=middle).attack(learner, plain)
        if attack is None and not hit:
            return  # wider ones are harder still
        yield attack
        if attack is not None and program.met_by(attack):
            high, hit = middle, True
        else:
            low, high = middle, high if hit else 2.0 * high
        if hit and high - low < PRECISION * high:
            return


def _repeated(program: _Program, learner: Learner) -> Iterator[Poisoning | None]:
    """Give attacks with the weights of the rewards as they were, then as they are after the last, and so on."""
    fit = learner.fit(program.history)
    for _ in np.arange(REPEATS):
        attack = program.attack(learner, fit)
        yield attack
        if attack is None:
            return
        fit = learner.fit(program.history.with_rewards(attack.rewards))


def _demands(fit: Fit, history: History, x: Floats, arm: int, margin: float) -> tuple[Floats, Floats]:
    """Return a row per other arm, and a number: a change must move the target by so much more than that arm."""
    leverage = fit.leverage(x)
    linear = np.bincount(history.arms, leverage * history.rewards, minlength=history.n_arms)  # x . theta, unchanged
    widths = fit.scores(x)[0] - fit.coefficients @ x
    scores = linear + widths
    others = [other for other in np.arange(history.n_arms) if other != arm]
    rows = np.array([np.where(history.arms == arm, leverage, -leverage * (history.arms == other)) for other in others])
    return rows.reshape(len(others), len(history)), np.array([scores[other] - scores[arm] + margin for other in others])


def _lead(fit: Fit, x: Floats, arm: int) -> float:
    scores = fit.scores(x)[0]
    return float(scores[arm] - np.delete(scores, arm).max(initial=-np.inf))


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
