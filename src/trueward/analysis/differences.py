"""Differences between arms, estimated from logged probabilities: adaptively weighted AIPW."""

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np
import polars as pl

from trueward.analysis.betting import Level
from trueward.analysis.decisions import PARTICIPANT_KEY, Decisions
from trueward.engine.kernel import Bools, Floats, Ints
from trueward.errors import StudyError
from trueward.parameters import above, at_most, checked

Floor = Annotated[float, above(0), at_most(1)]
LOWEST_FLOOR = 0.001  # below which nothing is estimated


@dataclass(frozen=True)
class Difference:
    """The difference between two arms' means, or the mean of one arm, with a confidence interval.

    The interval is valid at an end of the study that was fixed in advance, not if you stop when you like the result.

    Parameters
    ----------
    arm, minus : str
        The difference is the mean of `arm` minus that of `minus`; without a second arm (""), it is the mean of `arm`.
    estimate, standard_error : float
        Estimate and its standard error.
    low, high : float
        Bounds of the confidence interval.
    decisions : int
        Number of decisions used: those at which both arms could be shown and whose rating is not pending.
    """

    arm: str
    minus: str
    estimate: float
    standard_error: float
    low: float
    high: float
    decisions: int


@dataclass(frozen=True)
class Differences:
    """The means of all arms over the whole study, and the differences of all pairs of arms.

    Parameters
    ----------
    means, pairs : tuple of Difference
        An entry per arm, and one per pair of arms.
    level : float
        Confidence level of each interval by itself.
    """

    means: tuple[Difference, ...]
    pairs: tuple[Difference, ...]
    level: float

    def table(self) -> pl.DataFrame:
        """Return a row per mean and per difference."""
        return pl.DataFrame([vars(each) for each in (*self.means, *self.pairs)])

    def plot(self) -> Any:
        """Return a chart of the differences."""
        from trueward.analysis.analysis_charts import draw_differences

        return draw_differences(self.table(), self.level)


class AIPWScores:
    """The score Gamma of every arm at every decision, whichever arm was shown."""

    def __init__(self, decisions: Decisions, floor: float | None) -> None:
        self.p, self.available = _logged_probabilities(decisions, floor), decisions.available
        table = decisions.table
        arm, told_after = table["arm"].to_numpy(), table["told_after"].fill_null(0).to_numpy()
        rating = table["rating"].fill_null(np.nan).to_numpy()
        self.enters: Bools = (table["status"].is_in(["rated", "missing"])).to_numpy() & ~np.isnan(self.p).all(1)
        self.participant: Ints = table.select(PARTICIPANT_KEY.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
        n_arms = len(decisions.arms)
        means = _means_at_decision(arm, rating, told_after, n_arms, sum(decisions.scale) / 2)
        answered = (table["status"] == "rated").to_numpy()
        rates = _answer_rates(arm, answered, self.enters, n_arms)
        self.gamma = means.copy()
        rows = np.flatnonzero(answered & self.enters)
        shown = arm[rows]
        correction = (rating[rows] - means[rows, shown]) / (self.p[rows, shown] * rates[rows, shown])
        self.gamma[rows, shown] += correction

    def difference(self, a: int, b: int | None, names: tuple[str, ...], level: float) -> Difference:
        """Return the difference between two arms, or the mean of one."""
        pair = [a] if b is None else [a, b]
        p = self.p[:, pair]
        rows = self.enters & self.available[:, pair].all(1)
        minus = "" if b is None else names[b]
        if not rows.any():  # the two arms were never available together
            return Difference(names[a], minus, math.nan, math.nan, math.nan, math.nan, 0)
        d = self.gamma[rows, a] - (0.0 if b is None else self.gamma[rows, pair[-1]])
        weighted = b is not None and not np.isnan(p[rows]).any()
        h = (1.0 / p[rows]).sum(1) ** -0.5 if weighted else np.ones(int(rows.sum()))
        estimate = float(h @ d / h.sum())
        by_person = np.bincount(self.participant[rows], h * (d - estimate))
        error = float(np.sqrt((by_person**2).sum()) / h.sum())
        half = NormalDist().inv_cdf(0.5 + level / 2) * error
        return Difference(names[a], minus, estimate, error, estimate - half, estimate + half, int(rows.sum()))


@checked
def differences(decisions: Decisions, *, level: Level = 0.95, floor: Floor | None = None) -> Differences:
    """Return the means of all arms and the differences of all pairs, with confidence intervals.

        Gamma_t(a) = m_t(a) + 1{A_t = a, answered} (Y_t - m_t(a)) / (e_t(a) r_t(a))
        D_t = Gamma_t(a) - Gamma_t(b),   h_t = (1 / e_t(a) + 1 / e_t(b))^(-1/2)
        difference = sum h D / sum h,    its variance = sum over participants of (sum h (D - difference))^2 / (sum h)^2

    e_t is the logged probability, m_t the mean of the arm's ratings that had arrived by then (including ratings that
    were excluded later), and r_t the share of the arm's earlier decisions that were answered. One series D with one
    weight for both arms is right when both drift together; separate weights would give each arm a period of its own.
    Means have h = 1: they are averages over the whole study.

    The method assumes that no rating is bad, and that whether somebody answers does not depend on the rating, given the
    arm: the robust intervals of `leaderboard` do not. It needs probabilities with a floor that the design guarantees,
    by a `UniformShare` or by fixed probabilities. That no probability happened to be low is not enough.

    Parameters
    ----------
    decisions : Decisions
        What was shown and rated.
    level : float, optional
        Confidence level of each interval by itself.
    floor : float, optional
        Floor of the probabilities, if you know one that the decisions do not contain.

    Raises
    ------
    StudyError
        If the probabilities are unknown or have no floor.

    References
    ----------
    Hadad, Hirshberg, Zhan, Wager & Athey (2021), Confidence intervals for policy evaluation in adaptive experiments,
    equations 5, 12 and 15; the common weight and the clusters are ours.
    """
    scores, arms = AIPWScores(decisions, floor), range(len(decisions.arms))
    return Differences(
        tuple(scores.difference(a, None, decisions.arms, level) for a in arms),
        tuple(scores.difference(a, b, decisions.arms, level) for a, b in itertools.combinations(arms, 2)),
        level,
    )


def _logged_probabilities(decisions: Decisions, stated: float | None) -> Floats:
    """Return the probabilities, or refuse those without a floor."""
    p = decisions.probabilities
    if p is None or np.isnan(p).all():
        raise StudyError("differences are not estimated: the probabilities with which arms were shown are not known")
    possible = np.where(decisions.available, p, np.nan)
    lowest = float(np.nanmin(possible))
    floor = decisions.floor if stated is None else stated
    if floor is None and decisions.fixed_probabilities:
        floor = lowest
    if floor is None or floor < LOWEST_FLOOR:
        raise StudyError(
            f"differences are not estimated: nothing kept the probabilities from becoming 0 (the lowest was "
            f"{lowest:.2g}); draw a share of the decisions uniformly, with uniform_share, or state the floor that was "
            f"kept, {LOWEST_FLOOR:g} or more"
        )
    if lowest < floor * (1 - 1e-9):
        raise StudyError(
            f"differences are not estimated: the lowest probability is {lowest:.2g}, below the floor of {floor:g}"
        )
    return p


def _means_at_decision(arm: Ints, rating: Floats, told_after: Ints, n_arms: int, start: float) -> Floats:
    """Return the mean of each arm's ratings that had arrived before each decision, (decisions, arms); else `start`."""
    n = arm.size
    sums, counts = np.zeros((n + 1, n_arms)), np.zeros((n + 1, n_arms))
    rated = np.flatnonzero(~np.isnan(rating))
    usable_from = np.clip(told_after[rated], rated + 1, n)  # never for the decision itself
    np.add.at(sums, (usable_from, arm[rated]), rating[rated])
    np.add.at(counts, (usable_from, arm[rated]), 1.0)
    sums, counts = sums.cumsum(0)[:n], counts.cumsum(0)[:n]
    return np.where(counts > 0, sums / np.maximum(counts, 1.0), start)


def _answer_rates(arm: Ints, answered: Bools, closed: Bools, n_arms: int) -> Floats:
    """Return the share of each arm's earlier decisions that were answered, (decisions, arms), starting from 1 of 1."""
    shown = np.eye(n_arms)[arm] * closed[:, None]
    asked = np.vstack([np.zeros(n_arms), shown.cumsum(0)[:-1]])
    given = np.vstack([np.zeros(n_arms), (shown * answered[:, None]).cumsum(0)[:-1]])
    return np.asarray((given + 1.0) / (asked + 1.0))
