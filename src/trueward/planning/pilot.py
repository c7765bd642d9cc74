"""A pilot: the arms as they were rated, and how many of those who rated them were careless.

**alpha.** A check does not find everybody. Of the participants a share failed one, or gave another's answers again; its
upper Clopper-Pearson bound, *divided by the check's sensitivity* (the share of the careless that it finds), bounds the
share of the careless. Told nothing, a third is assumed, and the bound is also given for a fifth and a half.
Sensitivity may be told as a number, or as counts, found and sought: then its own lower bound is used, and each of the
two bounds holds with half the probability of error. Attentive people who fail by accident make the bound too large.

**sigma.** The standard deviation of honest ratings in the default policy's posterior, a mixture in which each
rating is bad with an unknown chance, beside the plain standard deviation and that of the middle of the ratings.

>>> alpha_bound(7, 200, sensitivity=1 / 3).round(3)
Alpha(bound=0.194, lowest=0.194, highest=0.194, flagged=7, participants=200, level=0.95)

Reference: Clopper & Pearson (1934). That checks find a third is a round number of ours: Goldammer et al. (2024) find
that they miss more than they find.
"""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.stats import beta

from trueward.analysis.decisions import PARTICIPANT_KEY, Decisions
from trueward.analysis.raters import raters
from trueward.engine.kernel import Floats, Ints
from trueward.errors import DataError, ParameterError
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.parameters import check_integer, check_number
from trueward.planning.games import learning, lessons
from trueward.policies.wary.wary import Wary
from trueward.reporting.labels import count

USUAL_SENSITIVITY, LEAST_SENSITIVE, MOST_SENSITIVE = 1 / 3, 1 / 5, 1 / 2
LEVEL = 0.95  # of the bound
FEWEST = 5  # ratings of an arm, to resample from

Sensitivity = float | tuple[int, int] | None
"""The share of the careless whom a check finds; or how many it found, and of how many; or not known."""


@dataclass(frozen=True)
class Alpha:
    """An upper bound of the share of careless participants."""

    bound: float  # at most 1
    lowest: float  # the bound if the check finds more than was assumed, and
    highest: float  # if less; the same where that was told
    flagged: int  # participants who failed a check, or are duplicates
    participants: int
    level: float

    def round(self, digits: int) -> "Alpha":
        """Return it with rounded numbers."""
        return replace(self, **{name: round(getattr(self, name), digits) for name in ("bound", "lowest", "highest")})


@dataclass(frozen=True)
class Spread:
    """Three answers to how far ratings of one arm lie apart."""

    main: float  # of the main law, as the mixture posterior believes
    plain: float
    trimmed: float  # of what is left of each arm without the believed share at either end


@dataclass(frozen=True, eq=False)
class Tuned:
    """The pair that crUCB is told, and the regret of every pair in every replay of the pilot."""

    alpha: float
    sigma: float
    replays: pl.DataFrame  # alpha, sigma, replay, regret, low, high, against_best


@dataclass(frozen=True, eq=False)
class Pilot:
    """What was learned from a pilot."""

    arms: tuple[str, ...]
    counts: Floats  # (arms, values) of participants who are not flagged
    alpha: Alpha | None  # None where there were no checks
    believed: float  # the share of bad ratings that the mixture posterior believes in
    sigma: Spread
    ratings: int
    scale_declared: bool
    tuned: Tuned | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the pilot says, in words."""
        bad, spread = f"{100 * self.believed:.2g} %", self.sigma
        share = f"a mixture posterior believes {bad} of its ratings bad"
        notes = [f"{_of_checks(self.alpha)}; {share}."]
        notes.append(
            f"Ratings of one arm lie {spread.main:.2g} points apart (standard deviation of the main law), all of them "
            f"{spread.plain:.2g}, their middle {spread.trimmed:.2g}."
        )
        if self.tuned is not None:
            pair = f"alpha {self.tuned.alpha:.2g} and sigma {self.tuned.sigma:.2g}"
            notes.append(
                f"tUCB is told {pair}: over careless and malicious replays of the pilot, its worst loss is least."
            )
        low_high = "The scale was taken from the ratings: declare it if it is another."
        return (*notes, *([] if self.scale_declared else [low_high]))

    @property
    def careless(self) -> float:
        """The share to plan with: the bound, or without checks what is believed."""
        return self.believed if self.alpha is None else self.alpha.bound


def read_pilot(
    decisions: Decisions, values: Floats, sensitivity: Sensitivity = None, *, compiled: bool | None = None
) -> Pilot:
    """Return what a pilot says about the arms, the careless and the spread."""
    rows = decisions.included.with_columns(PARTICIPANT_KEY)
    flagged = set(rows.filter(pl.col("check") == 0.0)["key"])
    flagged |= {f"named {each.participant}" for each in raters(decisions).raters if each.duplicate_of}
    checked = rows["check"].count() > 0
    counts = _counts(rows.filter(~pl.col("key").is_in(list(flagged))), values, len(decisions.arms))
    for name, n in zip(decisions.arms, counts.sum(axis=1).tolist(), strict=True):
        if n < FEWEST:
            raise DataError(
                f"the pilot must have at least {FEWEST} ratings of each arm that count, got {n:.0f} of {name!r}"
            )
    everybody = rows["key"].n_unique()
    given = rows.drop_nulls("rating")
    policy = Wary(decisions.scale, levels=values.size)
    told = given["arm"].to_numpy(), given["rating"].to_numpy(), values, len(decisions.arms)
    believed, spread = main_law(policy, *told, compiled=compiled)
    return Pilot(
        arms=decisions.arms,
        counts=counts,
        alpha=alpha_bound(len(flagged), everybody, sensitivity=sensitivity) if checked else None,
        believed=believed,
        sigma=spread,
        ratings=int(rows["rating"].count()),
        scale_declared=decisions.scale_declared,
    )


def _of_checks(alpha: Alpha | None) -> str:
    if alpha is None:
        return "The pilot has no checks, so that nothing bounds the share of the careless"
    found = f"{alpha.flagged} of {count(alpha.participants, 'participant')} failed a check or are duplicates"
    spread = f" ({100 * alpha.lowest:.2g} % to {100 * alpha.highest:.2g} %, if checks find a half or a fifth of them)"
    unsure = spread if alpha.lowest < alpha.highest else ""
    return f"{found}: at level {100 * alpha.level:.3g} %, at most {100 * alpha.bound:.2g} % are careless{unsure}"


def alpha_bound(flagged: int, participants: int, *, sensitivity: Sensitivity = None, level: float = LEVEL) -> Alpha:
    """Return the upper bound of the share of careless participants, of whom a check finds a part."""
    if isinstance(sensitivity, tuple | list):
        found, sought = (check_integer("sensitivity", each) for each in sensitivity)
        if not 0 < found <= sought:
            raise ParameterError(f"sensitivity must be how many were found, and of how many, got {sensitivity!r}")
        half = 1.0 - (1.0 - level) / 2
        at_least = float(beta.ppf(1.0 - half, found, sought - found + 1))
        bound, lowest, highest = [_upper(flagged, participants, half) / at_least] * 3
    else:
        told = (USUAL_SENSITIVITY, MOST_SENSITIVE, LEAST_SENSITIVE) if sensitivity is None else (sensitivity,) * 3
        upper = _upper(flagged, participants, level)
        bound, lowest, highest = (upper / check_number("sensitivity", each, above=0, at_most=1) for each in told)
    return Alpha(min(1.0, bound), min(1.0, lowest), min(1.0, highest), flagged, participants, level)


def _upper(k: int, n: int, level: float) -> float:
    """Return Clopper and Pearson's upper bound of a share."""
    return 1.0 if k >= n else float(beta.ppf(level, k + 1, n - k))


def main_law(
    policy: Wary, arms: Ints, ratings: Floats, values: Floats, n_arms: int, *, compiled: bool | None = None
) -> tuple[float, Spread]:
    """Return the share of bad ratings that the mixture posterior believes in, and the spread: over all arms."""
    state = policy.start(n_arms, horizon=arms.size, capacity=arms.size)
    told = lessons(np.flatnonzero(~np.isnan(ratings)), arms, ratings, n_arms)
    learning(policy, n_arms, compiled=compiled)(state, *told, np.random.default_rng(0))
    samples = [np.sort(ratings[arms == arm]) for arm in range(n_arms)]
    n = np.array([each.size for each in samples], np.float64)
    believed = float(n @ policy.contamination(state) / n.sum())
    middle = [_middle(sample, believed) for sample in samples]
    return believed, Spread(
        main=_root_mean(policy.honest_variances(state), n),
        plain=_root_mean(np.array([each.var(ddof=1) for each in samples]), n),
        trimmed=_root_mean(np.array([each.var() for each in middle]), n),
    )


def _counts(rows: pl.DataFrame, values: Floats, n_arms: int) -> Floats:
    """Return how often each arm was given each value; what lies between two goes to the nearest."""
    given = rows.drop_nulls("rating")
    step = (values[-1] - values[0]) / (values.size - 1)
    place = np.rint((given["rating"].to_numpy() - values[0]) / step).astype(np.int64)
    counts = np.zeros((n_arms, values.size))
    np.add.at(counts, (given["arm"].to_numpy(), place), 1.0)
    return counts


def _middle(ordered: Floats, share: float) -> Floats:
    return ordered[TrimmedMean(min(share, 0.45)).weights(ordered) > 0.0]


def _root_mean(variances: Floats, weights: Floats) -> float:
    return float(np.sqrt(weights @ variances / weights.sum()))
