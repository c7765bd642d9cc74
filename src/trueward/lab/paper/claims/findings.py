"""Numbers with their 95 % intervals, held against a limit."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import binomtest

from trueward.engine.interval import Z, interval
from trueward.engine.kernel import Bools, Floats
from trueward.lab.paper.ledger import OUTCOMES, Outcome

RESAMPLES = 1000  # of the bootstrap, for ratios


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


def below(estimate: tuple[float, float, float], limit: float, compared: str) -> Finding:
    """Ask that the interval lies below the limit."""
    return Finding(*estimate, limit - estimate[2], limit, compared)


def above(estimate: tuple[float, float, float], limit: float, compared: str) -> Finding:
    """Ask that the interval lies above the limit."""
    return Finding(*estimate, estimate[1] - limit, limit, compared)


def weakest(findings: Iterable[Finding]) -> Finding:
    """Return the finding that decides a claim about several comparisons: all hold if it does.

    One that does not hold decides before any that is undecided, however wide the interval of that one is.
    """
    return min(findings, key=lambda finding: (OUTCOMES.index(finding.outcome), finding.margin))


def mean(values: Floats) -> tuple[float, float, float]:
    """Return the mean over trials and its normal interval."""
    centre, low, high = interval(values)
    return float(centre), float(low), float(high)


def share(holds: Bools) -> tuple[float, float, float]:
    """Return the share of the trials in which something holds, and its Wilson interval."""
    interval = binomtest(int(holds.sum()), holds.size).proportion_ci(method="wilson")
    return float(holds.mean()), float(interval.low), float(interval.high)


def bounded_mean(value: float, bound: float, trials: int) -> tuple[float, float, float]:
    """Return a mean of numbers between -bound and bound with an interval for the largest variance they can have.

    That is (bound - mean)(bound + mean), Bhatia and Davis (2000): for a mean whose trials were not kept.
    """
    half = Z * math.sqrt(max(bound * bound - value * value, 0.0) / trials)
    return value, value - half, value + half


def bootstrap(values: Floats, statistic: Callable[[Floats], Floats]) -> tuple[float, float, float]:
    """Return a function of column means, and its percentile interval over resampled trials (rows)."""
    means = _weights(values.shape[0]) @ values  # (resamples, columns)
    low, high = np.quantile(statistic(means), [0.025, 0.975])
    return float(statistic(values.mean(axis=0))), float(low), float(high)


def saved(regret: Floats, instead_of: Floats) -> tuple[float, float, float]:
    """Return what share of one mean regret another saves, of the same trials."""
    return bootstrap(np.column_stack([regret, instead_of]), lambda means: 1 - means[..., 0] / means[..., 1])


@lru_cache(maxsize=1)
def _weights(trials: int) -> Floats:
    counts = np.random.default_rng(0).multinomial(trials, np.full(trials, 1 / trials), size=RESAMPLES)
    return np.asarray(counts / trials)
