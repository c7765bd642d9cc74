"""Differences between arms, from logged probabilities: adaptively weighted AIPW.

    Gamma_t(a) = m_t(a) + 1{A_t = a, answered} (Y_t - m_t(a)) / (e_t(a) r_t(a))
    D_t = Gamma_t(a) - Gamma_t(b),   h_t = (1 / e_t(a) + 1 / e_t(b))^(-1/2)
    difference = sum h D / sum h,    its variance = sum over participants of (sum h (D - difference))^2 / (sum h)^2

e_t is the logged probability, m_t the arm's mean as known at the ask (of ratings that were void later, too), and r_t
the share of the arm's earlier decisions that were answered. One series D for both arms, with one weight, is right when
both drift together; weights by arm would give each arm a time of its own. Means have h = 1: they are of the period.

Every decision enters at which both arms could be shown and whose rating is not pending. It is valid at an end that was
fixed before, not under daily looks, and it assumes that no rating is bad and that who answers does not depend on the
rating, given the arm: for the rest there are the robust intervals. Without a floor under the probabilities no number is
given. That none was low is no floor: one has to be kept by design, by a `uniform_share` or by probabilities that do not
change, or to be stated by whoever knows the design.

Reference: Hadad, Hirshberg, Zhan, Wager & Athey (2021), Confidence intervals for policy evaluation in adaptive
experiments, equations 5, 12 and 15; the common weight and the clusters are ours.
"""

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.participants import WHOSE
from trueward.analysis.wealth import Level
from trueward.engine.kernel import Bools, Floats, Ints
from trueward.errors import StudyError
from trueward.parameters import above, at_most, checked

Floor = Annotated[float, above(0), at_most(1)]
LOWEST = 0.001  # floor under which no number is given


@dataclass(frozen=True)
class Contrast:
    """A difference of two arms' means, or with no second arm a mean, with its interval at a fixed end."""

    arm: str
    minus: str
    estimate: float
    error: float  # its standard error
    low: float
    high: float
    decisions: int


@dataclass(frozen=True)
class Contrasts:
    """The means of all arms over the period, and the differences of all pairs, each at its level."""

    means: tuple[Contrast, ...]
    differences: tuple[Contrast, ...]
    level: float

    def table(self) -> pl.DataFrame:
        """Return a row per mean and per difference."""
        return pl.DataFrame([vars(each) for each in (*self.means, *self.differences)])

    def plot(self) -> Any:
        """Return a chart of the differences."""
        from trueward.analysis.charts import draw_contrasts

        return draw_contrasts(self.table(), self.level)


class Series:
    """What the decisions of a study say about each arm, whichever was shown: Gamma, and how sure it is."""

    def __init__(self, decisions: Decisions, floor: float | None) -> None:
        self.p, self.available = _logged(decisions, floor), decisions.available
        table = decisions.table
        arm, known = table["arm"].to_numpy(), table["known"].fill_null(0).to_numpy()
        rating = table["rating"].fill_null(np.nan).to_numpy()
        self.enters: Bools = (table["status"].is_in(["rated", "missing"])).to_numpy() & ~np.isnan(self.p).all(1)
        self.participant: Ints = table.select(WHOSE.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
        n_arms = len(decisions.arms)
        means = _known_means(arm, rating, known, n_arms, sum(decisions.scale) / 2)
        answered = (table["status"] == "rated").to_numpy()
        rates = _answer_rates(arm, answered, self.enters, n_arms)
        self.gamma = means.copy()
        rows = np.flatnonzero(answered & self.enters)
        shown = arm[rows]
        correction = (rating[rows] - means[rows, shown]) / (self.p[rows, shown] * rates[rows, shown])
        self.gamma[rows, shown] += correction

    def contrast(self, a: int, b: int | None, names: tuple[str, ...], level: float) -> Contrast:
        """Return the difference of two arms, or the mean of one."""
        pair = [a] if b is None else [a, b]
        p = self.p[:, pair]
        rows = self.enters & self.available[:, pair].all(1)
        minus = "" if b is None else names[b]
        if not rows.any():  # nothing is known of it yet
            return Contrast(names[a], minus, math.nan, math.nan, math.nan, math.nan, 0)
        d = self.gamma[rows, a] - (0.0 if b is None else self.gamma[rows, pair[-1]])
        whole = b is not None and not np.isnan(p[rows]).any()
        h = (1.0 / p[rows]).sum(1) ** -0.5 if whole else np.ones(int(rows.sum()))
        estimate = float(h @ d / h.sum())
        by_person = np.bincount(self.participant[rows], h * (d - estimate))
        error = float(np.sqrt((by_person**2).sum()) / h.sum())
        half = NormalDist().inv_cdf(0.5 + level / 2) * error
        return Contrast(names[a], minus, estimate, error, estimate - half, estimate + half, int(rows.sum()))


@checked
def contrasts(decisions: Decisions, *, level: Level = 0.95, floor: Floor | None = None) -> Contrasts:
    """Return means and differences with intervals; refused without logged probabilities that have a floor.

    `floor` is the one that was kept under the probabilities, where the decisions do not say so themselves.
    """
    series, arms = Series(decisions, floor), range(len(decisions.arms))
    return Contrasts(
        tuple(series.contrast(a, None, decisions.arms, level) for a in arms),
        tuple(series.contrast(a, b, decisions.arms, level) for a, b in itertools.combinations(arms, 2)),
        level,
    )


def _logged(decisions: Decisions, stated: float | None) -> Floats:
    """Return the probabilities, or refuse those without a floor."""
    p = decisions.probabilities
    if p is None or np.isnan(p).all():
        raise StudyError("no contrasts: the probabilities with which arms were shown are not known")
    possible = np.where(decisions.available, p, np.nan)
    lowest = float(np.nanmin(possible))
    floor = decisions.floor if stated is None else stated
    if floor is None and decisions.fixed_shares:
        floor = lowest
    if floor is None or floor < LOWEST:
        raise StudyError(
            f"no contrasts: nothing kept the probabilities from becoming 0 (the lowest was {lowest:.2g}); let a share "
            f"of the decisions be uniform, with uniform_share, or state the floor that was kept, {LOWEST:g} or more"
        )
    if lowest < floor * (1 - 1e-9):
        raise StudyError(f"no contrasts: the lowest probability is {lowest:.2g}, below the floor of {floor:g}")
    return p


def _known_means(arm: Ints, rating: Floats, known: Ints, n_arms: int, start: float) -> Floats:
    """Return each arm's mean of the ratings told before each ask, (decisions, arms); the middle before the first."""
    n = arm.size
    sums, counts = np.zeros((n + 1, n_arms)), np.zeros((n + 1, n_arms))
    rated = np.flatnonzero(~np.isnan(rating))
    usable = np.clip(known[rated], rated + 1, n)  # from this row on: never for the ask itself
    np.add.at(sums, (usable, arm[rated]), rating[rated])
    np.add.at(counts, (usable, arm[rated]), 1.0)
    sums, counts = sums.cumsum(0)[:n], counts.cumsum(0)[:n]
    return np.where(counts > 0, sums / np.maximum(counts, 1.0), start)


def _answer_rates(arm: Ints, answered: Bools, closed: Bools, n_arms: int) -> Floats:
    """Return the share of each arm's earlier decisions that were answered, (decisions, arms), with one at the start."""
    shown = np.eye(n_arms)[arm] * closed[:, None]
    asked = np.vstack([np.zeros(n_arms), shown.cumsum(0)[:-1]])
    given = np.vstack([np.zeros(n_arms), (shown * answered[:, None]).cumsum(0)[:-1]])
    return np.asarray((given + 1.0) / (asked + 1.0))
