"""A bandit problem, and policies configured for it."""

import inspect
from dataclasses import dataclass
from typing import Any

from trueward.arms.arms import Arms
from trueward.errors import ParameterError
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.policies.index.ucb import UCB
from trueward.policies.policy import Policy

DEFAULT_RATE = 0.1  # for policies that need a contamination rate where nothing is contaminated
SDS_BEYOND_MEANS = 3.0  # the range declared for unbounded rewards, same as for the adversaries
SCALE_PARAMETERS = ("range", "levels", "low")  # passed even if they have a default
CONTINUOUS_LEVELS = 41  # levels to which rating-scale policies round continuous rewards


@dataclass(frozen=True)
class Problem:
    """A bandit problem: true arms, horizon and contamination rate.

    The arena sets policy parameters to the true values of the problem. This favours policies that need them: in a real
    study they are unknown.

    Parameters
    ----------
    arms : Arms
        The arms with their true rewards.
    horizon : int
        The number of rounds.
    epsilon : float, optional
        The contamination rate; None if nothing is contaminated. Policies that need a rate then use 0.1.

    Examples
    --------
    >>> import trueward as tw
    >>> problem = Problem(tw.BinomialArms(n=10, p=[0.9, 0.8]), horizon=1000, epsilon=0.2)
    >>> problem.range, problem.rate, problem.levels
    ((0.0, 10.0), 0.2, 11)
    """

    arms: Arms
    horizon: int
    epsilon: float | None

    @property
    def rate(self) -> float:
        """The contamination rate; 0.1 if nothing is contaminated."""
        return DEFAULT_RATE if self.epsilon is None else self.epsilon

    @property
    def sd(self) -> float:
        """The largest standard deviation of the arms."""
        return self.arms.sd

    @property
    def range(self) -> tuple[float, float]:
        """The range of the rewards; for unbounded ones, three standard deviations beyond the extreme means."""
        if self.arms.scale is not None:
            return self.arms.bounds
        reach = SDS_BEYOND_MEANS * self.sd
        return float(self.arms.means.min()) - reach, float(self.arms.means.max()) + reach

    @property
    def levels(self) -> int:
        """The number of values on the rating scale; 41 for continuous rewards."""
        return CONTINUOUS_LEVELS if self.arms.scale is None else self.arms.scale.size

    @property
    def width(self) -> float:
        """The width of the range."""
        return self.range[1] - self.range[0]

    @property
    def total_contamination(self) -> float:
        """The contamination rate times the horizon times half the range: the total contamination budget."""
        return self.rate * self.horizon * self.width / 2.0


def configure_policy(policy_class: type[Policy], problem: Problem, **parameters: Any) -> Policy:
    """Return a policy for a problem: its range, and every parameter without a default, are derived from the problem.

    Parameters
    ----------
    policy_class : type
        The class of the policy.
    problem : Problem
        The problem that it will play.
    **parameters
        Values that override the derived ones.

    Examples
    --------
    >>> import trueward as tw
    >>> problem = Problem(tw.BinomialArms(n=10, p=[0.9, 0.8]), horizon=1000, epsilon=None)
    >>> policy = configure_policy(tw.EXP3, problem, gamma=0.2)
    >>> policy.range, policy.gamma
    ((0.0, 10.0), 0.2)
    """
    known = {
        "range": problem.range,
        "levels": problem.levels,
        "low": problem.range[0],
        "sigma": problem.sd,
        "epsilon": problem.rate,
        "alpha": problem.rate,
        "beta": 2.0 * problem.sd,
        "moment": problem.sd * problem.sd,
        "budget": problem.total_contamination,
        "estimator": TrimmedMean(problem.rate),
        "policy": UCB(sigma=problem.sd),
        **parameters,
    }
    signature = inspect.signature(policy_class).parameters
    needed = [n for n, p in signature.items() if p.default is p.empty or n in (*SCALE_PARAMETERS, *parameters)]
    for name in needed:
        if name not in known:
            raise ParameterError(
                f"{policy_class.__name__} has a required parameter {name!r} that cannot be derived from the scenario; "
                "pass it explicitly"
            )
    return policy_class(**{name: known[name] for name in needed})
