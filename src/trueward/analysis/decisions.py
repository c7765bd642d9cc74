"""The input of an analysis: every decision of a study in chronological order, with its rating."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import polars as pl

from trueward.analysis.columns import ALIASES, Columns, read_csv_columns
from trueward.analysis.parsing import Scale, parse_columns
from trueward.engine.kernel import Bools, Floats
from trueward.errors import ParameterError, StudyError, did_you_mean
from trueward.parameters import check_interval
from trueward.policies.declared_range import declared_ranges
from trueward.policies.policy import Policy
from trueward.policies.wrappers.uniform_share import UniformShare
from trueward.policies.wrappers.wrapper import Wrapper

_OPTIONAL = "participant probability probabilities status seconds check number time told_at evidence"
OPTIONAL_COLUMNS = tuple(_OPTIONAL.split())  # besides arm and rating
STUDY_COLUMNS = (*ALIASES.values(), "kind")  # aliases and extra columns in study tables

PARTICIPANT_KEY = pl.coalesce(pl.format("named {}", "participant"), pl.format("unnamed {}", "number")).alias("key")
"""The participant as a key: a decision without a named participant belongs to a separate participant."""


class DecisionSource(Protocol):
    """Anything with a table of decisions, such as a `Bandit` or a `Study`.

    Two attributes are used where they exist: `policy`, for the rating scale that it declares and the share of uniform
    decisions, and `rules`, for the exclusion rules of a study.
    """

    def decisions(self) -> pl.DataFrame:
        """Return a row per decision, with the columns that `Study.decisions` describes."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """Decisions in chronological order; those with the status "void" are excluded from the analysis.

    Make them with `from_source` (a bandit, a study, a CSV file), `from_columns` (lists) or `read_csv`. The unit of the
    analysis is a participant's mean rating of an arm, because several ratings by one person are not independent. A
    decision without a named participant counts as a separate participant.

    Parameters
    ----------
    arms : tuple of str
        Names of the arms.
    scale : tuple of float
        Lowest and highest possible rating.
    scale_declared : bool
        Whether the scale was declared. Otherwise it is the range of the ratings, and intervals may be too short.
    table : polars.DataFrame
        A row per decision: number, arm (its index), rating, status (rated, pending, missing or void), participant,
        seconds, check (1 passed, 0 failed) and told_after (how many decisions had been made when the rating arrived).
    probabilities : array or None
        Probability of every arm at every decision, NaN where it is unknown; shape (decisions, arms).
    available : array
        Which arms could be shown at every decision; shape (decisions, arms).
    floor : float, optional
        Minimum assignment probability that the design guarantees, as with `UniformShare`.
    first_only : bool, optional
        Whether only the first decision of each participant is included.

    Examples
    --------
    >>> decisions = Decisions.from_columns(arm=["video", "text", "video"], rating=[7, 4, None], scale=(0, 10))
    >>> decisions
    Decisions: 3 decisions, 2 arms, 0 named participants, scale 0 to 10
    >>> decisions.table["status"].to_list()
    ['rated', 'rated', 'missing']
    """

    arms: tuple[str, ...]
    scale: Scale
    scale_declared: bool
    table: pl.DataFrame
    probabilities: Floats | None
    available: Bools
    floor: float | None = None
    first_only: bool = False

    @classmethod
    def from_columns(
        cls, *, arm: Sequence[Any], rating: Sequence[Any], scale: Scale | None = None, **others: Sequence[Any]
    ) -> Self:
        """Return decisions from lists of equal length; NaN or None is a missing rating.

        Parameters
        ----------
        arm, rating : sequence
            Arm that was shown, and its rating.
        scale : tuple of float, optional
            Lowest and highest possible rating. Default: the range of the ratings.
        **others : sequence
            Any of the columns participant, probability (of the arm shown), probabilities (a dictionary by arm, without
            the arms that could not be shown), status, seconds, check, number, time, told_at and evidence.
        """
        columns = {"arm": arm, "rating": rating, **others}
        if unknown := [name for name in others if name not in (*OPTIONAL_COLUMNS, *STUDY_COLUMNS)]:
            near = did_you_mean(unknown[0], OPTIONAL_COLUMNS) or f"; available: {', '.join(OPTIONAL_COLUMNS)}"
            raise ParameterError(f"there is no column {unknown[0]!r}{near}")
        if single := [name for name, values in columns.items() if not hasattr(values, "__len__")]:
            raise ParameterError(
                f"{single[0]} must be a list with an entry for each decision, got {columns[single[0]]!r}"
            )
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) != 1:
            raise ParameterError(f"columns must have the same length, got {lengths}")
        return cls._parse(Columns(columns, first=0), scale)

    @classmethod
    def read_csv(cls, file: str | os.PathLike[str], *, scale: Scale | None = None) -> Self:
        """Return decisions from a file with the columns arm and rating, and any others of `from_columns`."""
        return cls._parse(read_csv_columns(Path(file)), scale)

    @classmethod
    def from_source(
        cls, source: "Decisions | DecisionSource | str | os.PathLike[str]", *, scale: Scale | None = None
    ) -> "Decisions":
        """Return the decisions of any object with `.decisions()`, such as a bandit or a study, or of a CSV file.

        The scale is the one that the source's policy declares, unless another is passed.
        """
        if isinstance(source, Decisions):
            return source if scale is None else source.with_scale(*scale)
        if isinstance(source, str | os.PathLike):
            return cls.read_csv(source, scale=scale)
        if not hasattr(source, "decisions"):
            raise ParameterError(
                "source must be Decisions, the path of a CSV file, or an object with .decisions() such as a Bandit or "
                f"a Study, got {source!r}"
            )
        table, policy = source.decisions().to_dict(as_series=False), getattr(source, "policy", None)
        if not table["arm"]:
            raise StudyError("there are no ratings to analyse yet")
        if isinstance(policy, UniformShare) and policy.share > 0.0:
            table["probabilities"] = [_without_zeros(p) for p in table["probabilities"]]
        decisions = cls._parse(Columns(table), scale or (policy and declared_scale(policy)))
        share = uniform_share_of(policy) if policy else 0.0
        return replace(decisions, floor=share / len(decisions.arms) if share > 0.0 else None)

    @classmethod
    def _parse(cls, columns: Columns, scale: Scale | None) -> Self:
        return cls(*parse_columns(columns, None if scale is None else check_interval("scale", scale)))

    def with_scale(self, low: float, high: float) -> "Decisions":
        """Return the same decisions on a declared scale, which must contain every rating."""
        scale = check_interval("scale", (low, high))
        ratings = self.included["rating"].drop_nulls()
        if off := [value for value in ratings if not scale[0] <= value <= scale[1]]:
            raise ParameterError(f"scale {low:g} to {high:g} does not contain the rating {off[0]:g}")
        return replace(self, scale=scale, scale_declared=True)

    def with_participants(self, participants: Sequence[Any]) -> "Decisions":
        """Return the same decisions with participant names in chronological order (a bandit has no such names)."""
        if len(participants) != self.table.height:
            raise ParameterError(
                f"participants must have length {self.table.height}, one per decision, got {len(participants)}"
            )
        names = Columns({"participant": participants}, first=0).required("participant", str)
        return replace(self, table=self.table.with_columns(pl.Series("participant", names, dtype=pl.String)))

    def first_decisions(self) -> "Decisions":
        """Return the decisions with only the first of each participant included.

        Participants made no ratings before their first decision, so their own ratings cannot have influenced it.
        """
        later = pl.col("participant").is_not_null() & ~pl.col("participant").is_first_distinct()
        return replace(self.exclude_where(later), first_only=True)

    def without_participant(self, participant: str) -> "Decisions":
        """Return the decisions with those of a participant excluded."""
        return self.exclude_where(pl.col("participant") == participant)

    def exclude_where(self, condition: pl.Expr) -> "Decisions":
        """Return the decisions with some rows of the table excluded."""
        status = pl.when(condition).then(pl.lit("void")).otherwise("status").alias("status")
        return replace(self, table=self.table.with_columns(status))

    @property
    def included(self) -> pl.DataFrame:
        """The rows of the table that are not excluded."""
        return self.table.filter(pl.col("status") != "void")

    @property
    def n(self) -> int:
        """The number of decisions that are included."""
        return self.included.height

    @property
    def fixed_probabilities(self) -> bool:
        """Whether every decision was made with the same known probabilities, as in a trial that does not adapt."""
        if self.probabilities is None or np.isnan(self.probabilities).all():
            return False
        known = ~np.isnan(self.probabilities).all(1)  # the others were not made by the policy
        p, possible = self.probabilities[known], self.available[known]
        lowest, highest = (pick(np.where(np.isnan(p), edge, p), 0) for pick, edge in ((np.min, 2.0), (np.max, -1.0)))
        constant = np.allclose(lowest, highest) and np.isclose(lowest.sum(), 1.0)  # those of the shown arms suffice
        return bool(constant or np.allclose(p, possible / possible.sum(1, keepdims=True)))

    @property
    def has_repeated_participants(self) -> bool:
        """Whether some participants have several included decisions."""
        named = self.included["participant"].drop_nulls()
        return named.n_unique() < named.len()

    @property
    def after_own_ratings(self) -> int:
        """The number of decisions that the same participant's earlier ratings may have influenced.

        They were made after such a rating arrived (immediately, if the time is unknown). 0 if probabilities are fixed
        or nobody was shown a second arm.
        """
        row = pl.col("row").cast(pl.Int64)
        usable_from = pl.when(pl.col("rating").is_not_null()).then(pl.max_horizontal("told_after", row + 1))
        after = row >= usable_from.min().over("participant")
        several = pl.col("arm").n_unique().over("participant") > 1
        counts = (pl.col("status") != "void") & pl.col("participant").is_not_null()
        rows = self.table.with_row_index("row").select(after=after & counts, several=several & counts)
        return 0 if self.fixed_probabilities or not rows["several"].any() else int(rows["after"].sum())

    def __repr__(self) -> str:
        low, high = self.scale
        people = self.included["participant"].drop_nulls().n_unique()
        return (
            f"Decisions: {self.n:,} decisions, {len(self.arms)} arms, {people:,} named participants, "
            f"scale {low:g} to {high:g}"
        )


class ArmSample(NamedTuple):
    """The participants of an arm in the order of their first decision, on a scale from 0 to 1.

    Pending and missing ratings count as the lowest rating for a lower bound and as the highest for an upper bound. This
    is valid even if dropout depends on the rating.
    """

    observed: Floats  # (participants with a rating) the mean of their ratings
    low: Floats  # (all participants) the mean with 0 for every pending or missing rating
    high: Floats  # (all participants) the same with 1
    ratings: int


def arm_samples(decisions: Decisions) -> list[ArmSample]:
    """Return the participants of every arm, each counted once per arm with the mean of the ratings."""
    low, high = decisions.scale
    share = (pl.col("rating") - low) / (high - low)
    rows = decisions.included.with_columns(
        pl.when(pl.col("status") == "rated").then(share).alias("share"), PARTICIPANT_KEY
    )
    means = {"observed": pl.col("share").mean(), "low": pl.col("share").fill_null(0.0).mean()}
    means |= {"high": pl.col("share").fill_null(1.0).mean(), "ratings": pl.col("share").count()}
    participants = rows.group_by("arm", "key", maintain_order=True).agg(**means)
    return [_arm_sample(participants.filter(pl.col("arm") == arm)) for arm in range(len(decisions.arms))]


def _arm_sample(participants: pl.DataFrame) -> ArmSample:
    observed = participants["observed"].drop_nulls().to_numpy()
    low, high = participants["low"].to_numpy(), participants["high"].to_numpy()
    return ArmSample(observed, low, high, int(participants["ratings"].sum()))


def declared_scale(policy: Policy) -> Scale | None:
    """Return the range of ratings that a policy declares, or None."""
    declared = next(declared_ranges(policy.start(2, horizon=1000)), None)
    return None if declared is None else (declared.low, declared.high)


def uniform_share_of(policy: Policy) -> float:
    """Return the share of decisions that a policy, or a wrapper around it, draws uniformly."""
    share = policy.share if isinstance(policy, UniformShare) else 0.0
    return max(share, uniform_share_of(policy.policy)) if isinstance(policy, Wrapper) else share


def _without_zeros(probabilities: str) -> dict[str, float]:
    """Return the arms that could be shown: with a uniform share, each of them has a positive probability."""
    return {arm: p for arm, p in json.loads(probabilities).items() if p > 0.0}
