"""What if more ratings were bad than assumed, or another policy had seen the same ratings?"""

import math
from dataclasses import dataclass

from trueward.analysis.decisions import Decisions
from trueward.analysis.leaderboard import leaderboard
from trueward.analysis.sensitivity import EPSILONS, IntervalCurves, against_epsilon
from trueward.errors import TruewardError
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.policies.index.crucb import CrUCB
from trueward.policies.index.ucb import UCB
from trueward.policies.policy import Policy
from trueward.policies.posterior.beta_thompson import BetaThompson
from trueward.serve.dashboard.views.look import Look
from trueward.study.study import Study


@dataclass(frozen=True)
class Winner:
    """Who wins if so many are bad: the leader and whether it is certain."""

    epsilon: float
    leader: str
    decided: bool
    low: float  # of the leader
    high: float  # the highest of the others


@dataclass(frozen=True)
class Shadow:
    """What another policy makes of the same ratings."""

    name: str
    words: str
    estimates: dict[str, float | None]
    probabilities: dict[str, float]
    best: str
    problem: str = ""


def winners(decisions: Decisions) -> tuple[Winner, ...]:
    """Return who is ahead, for each share that might be bad."""
    found = []
    for epsilon in EPSILONS:
        board = leaderboard(decisions, epsilon=epsilon)
        lead = board.arms.index(board.leader)
        others = max(each.high for arm, each in enumerate(board.intervals) if arm != lead)
        found.append(Winner(epsilon, board.leader, board.decided, board.intervals[lead].low, others))
    return tuple(found)


def course_of(decisions: Decisions) -> IntervalCurves:
    """Return every arm's interval against the share assumed bad."""
    return against_epsilon(decisions)


def shadow_policies(scale: tuple[float, float]) -> dict[str, tuple[str, Policy]]:
    """Return the policies that look at the same ratings, with what they are."""
    spread = (scale[1] - scale[0]) / 2
    return {
        "Thompson sampling": ("believes every rating", BetaThompson(scale)),
        "UCB": ("plain means, believes every rating", UCB(sigma=spread)),
        "crUCB": ("means without the tenth at either end", CrUCB(TrimmedMean(alpha=0.1), sigma=spread)),
    }


def shadows(study: Study, look: Look, scale: tuple[float, float]) -> tuple[Shadow, ...]:
    """Return what the study's own policy believes, and what others would with the same ratings."""
    arms = [arm.name for arm in look.arms if not arm.retired]
    own = {arm: _known(look.explanation[arm].estimate) for arm in arms}
    name = type(getattr(look.policy, "policy", look.policy)).__name__
    found = [Shadow(name, "plays in this study", own, look.probabilities, _best(own))]
    return (*found, *(_shadow(study, name, arms, *each) for name, each in shadow_policies(scale).items()))


def _shadow(study: Study, name: str, arms: list[str], words: str, policy: Policy) -> Shadow:
    try:
        bandit = study.replay(policy)
        estimates = {arm: _known(value) for arm, value in bandit.estimates().items() if arm in arms}
        p = {str(arm): value for arm, value in bandit.probabilities(among=arms).items()}
    except TruewardError as error:
        return Shadow(name, words, {}, {}, "", str(error))
    named = {str(arm): value for arm, value in estimates.items()}
    return Shadow(name, words, named, p, _best(named))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _best(estimates: dict[str, float | None]) -> str:
    known = {arm: value for arm, value in estimates.items() if value is not None}
    return max(known, key=known.__getitem__) if known else ""
