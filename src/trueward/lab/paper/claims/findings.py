"""Numbers with their 95 % intervals, held against a limit."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from trueward.engine.interval import Z, interval
from trueward.engine.kernel import Floats
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


def share(count: int, trials: int) -> tuple[float, float, float]:
    """Return a share of the trials and its Wilson interval."""
    observed = count / trials
    centre = (observed + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z / (1 + Z * Z / trials) * math.sqrt(observed * (1 - observed) / trials + Z * Z / (4 * trials * trials))
    return observed, max(centre - half, 0.0), min(centre + half, 1.0)


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


@lru_cache(maxsize=1)
def _weights(trials: int) -> Floats:
    counts = np.random.default_rng(0).multinomial(trials, np.full(trials, 1 / trials), size=RESAMPLES)
    return np.asarray(counts / trials)
