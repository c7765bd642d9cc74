"""Numbers with their 95 % intervals, held against a limit."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.stats import binomtest

from trueward.engine.kernel import Bools, Floats
from trueward.lab.paper.ledger import OUTCOMES, Outcome
from trueward.statistics.mean_interval import Z, mean_interval

RESAMPLES = 1000  # of the bootstrap, for ratios

Estimate = tuple[float, float, float]  # a number, and the ends of its interval
Compared = tuple[Estimate, str]  # and what was compared


@dataclass(frozen=True)
class Finding:
    """A number, its interval, and how far the interval lies on the right side of a limit."""

    value: float
    low: float
    high: float
    margin: float  # positive if the whole interval is on the right side
    limit: float
    compared: str

    @property
    def outcome(self) -> Outcome:
        """Whether the whole interval lies on the right side of the limit, on the wrong one, or contains it."""
        if self.margin > 0:
            return "holds"
        return "undecided" if self.low <= self.limit <= self.high else "does not hold"

    @property
    def about(self) -> str:
        """What was compared, and whether these trials leave it open."""
        contains = f" (undecided: the interval contains {self.limit:g})"
        return self.compared + (contains if self.outcome == "undecided" else "")


@dataclass(frozen=True)
class Limit:
    """On which side of what the interval of every comparison must lie."""

    side: Literal["below", "above"]
    limit: float
    words: str

    def finding(self, estimate: Estimate, compared: str) -> Finding:
        """Hold one comparison against the limit."""
        margin = self.limit - estimate[2] if self.side == "below" else estimate[1] - self.limit
        return Finding(*estimate, margin, self.limit, compared)

    def weakest(self, comparisons: Iterable[Compared]) -> Finding:
        """Return the finding that decides a claim about several comparisons: all hold if it does.

        One that does not hold decides before any that is undecided, however wide the interval of that one is.
        """
        findings = (self.finding(*comparison) for comparison in comparisons)
        return min(findings, key=lambda finding: (OUTCOMES.index(finding.outcome), finding.margin))


def below(limit: float, words: str = "") -> Limit:
    """Ask that intervals lie below a limit."""
    return Limit("below", limit, words or f"interval below {limit:g}")


def above(limit: float, words: str = "") -> Limit:
    """Ask that intervals lie above a limit."""
    return Limit("above", limit, words or f"interval above {limit:g}")


def mean(values: Floats) -> Estimate:
    """Return the mean over trials and its normal interval."""
    centre, low, high = mean_interval(values)
    return float(centre), float(low), float(high)


def share(holds: Bools) -> Estimate:
    """Return the share of the trials in which something holds, and its Wilson interval."""
    mean_interval = binomtest(int(holds.sum()), holds.size).proportion_ci(method="wilson")
    return float(holds.mean()), float(mean_interval.low), float(mean_interval.high)


def bounded_mean(value: float, bound: float, trials: int) -> Estimate:
    """Return a mean of numbers between -bound and bound with an interval for the largest variance they can have.

    That is (bound - mean)(bound + mean), Bhatia and Davis (2000): for a mean whose trials were not kept.
    """
    half = Z * math.sqrt(max(bound * bound - value * value, 0.0) / trials)
    return value, value - half, value + half


def bootstrap(values: Floats, statistic: Callable[[Floats], Floats]) -> Estimate:
    """Return a function of column means, and its percentile interval over resampled trials (rows)."""
    means = _weights(values.shape[0]) @ values  # (resamples, columns)
    low, high = np.quantile(statistic(means), [0.025, 0.975])
    return float(statistic(values.mean(axis=0))), float(low), float(high)


def saved(regret: Floats, instead_of: Floats) -> Estimate:
    """Return what share of one mean regret another saves, of the same trials."""
    return bootstrap(np.column_stack([regret, instead_of]), lambda means: 1 - means[..., 0] / means[..., 1])


@lru_cache(maxsize=1)
def _weights(trials: int) -> Floats:
    counts = np.random.default_rng(0).multinomial(trials, np.full(trials, 1 / trials), size=RESAMPLES)
    return np.asarray(counts / trials)
