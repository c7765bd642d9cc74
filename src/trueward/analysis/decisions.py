"""What is analysed: every decision of a study, in the order of asking, with what came of it.

    Decisions.of(arm=["video", "text", …], rating=[7, 4, …], scale=(0, 10), participant=[…], probabilities=[…])
    Decisions.of_bandit(bandit);    Decisions.of_study(study);    Decisions.read_csv("ratings.csv", scale=(1, 5))

The unit of everything that follows is a participant's ratings of an arm: several ratings of one person are no several
people. A decision without a named participant is a participant of its own.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import polars as pl

from trueward.analysis.columns import ALIASES, Columns
from trueward.analysis.csv_file import read_columns
from trueward.analysis.reading import Scale, decisions_from
from trueward.engine.kernel import Bools, Floats
from trueward.errors import ParameterError, StudyError, did_you_mean
from trueward.live.asks import Asked
from trueward.live.bandit import Bandit
from trueward.live.log import Log
from trueward.parameters import check_interval
from trueward.policies.declared_range import declared_ranges
from trueward.policies.policy import Policy
from trueward.policies.wrappers.uniform_share import UniformShare
from trueward.policies.wrappers.wrapper import Wrapper

_COLUMNS = "participant probability probabilities status seconds check number time told_at evidence"
COLUMNS = tuple(_COLUMNS.split())  # besides arm and rating
OF_A_STUDY = (*ALIASES.values(), "kind")  # what a study's table calls some of them, and has besides


class StudyLike(Protocol):
    """A `Study`: what is needed of it."""

    @property
    def policy(self) -> Policy:
        """The policy that plays."""
        ...

    def decisions(self) -> pl.DataFrame:
        """Return every decision with its reward."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """Decisions in the order of asking; those that are void do not count."""

    arms: tuple[str, ...]
    scale: Scale  # the lowest and the highest rating that can be given
    scale_declared: bool  # or else taken from the ratings, which a bound may not be
    table: pl.DataFrame  # number, arm (its place), rating, status, participant, seconds, check, known
    probabilities: Floats | None  # (decisions, arms) NaN where not known
    available: Bools  # (decisions, arms) which arms could be shown
    floor: float | None = None  # below which no probability could fall, by design; None where that is not known
    first_only: bool = False  # whether only the first decision of each participant counts

    @classmethod
    def of(
        cls, *, arm: Sequence[Any], rating: Sequence[Any], scale: Scale | None = None, **more: Sequence[Any]
    ) -> Self:
        """Return decisions from lists of equal length; NaN or None is a rating that is missing.

        `more` are the other columns: participant, probability, probabilities, status, seconds, check, number, time.
        """
        given = {"arm": arm, "rating": rating, **more}
        if unknown := [name for name in more if name not in (*COLUMNS, *OF_A_STUDY)]:
            near = did_you_mean(unknown[0], COLUMNS) or f"; there are {', '.join(COLUMNS)}"
            raise ParameterError(f"there is no column {unknown[0]!r}{near}")
        if single := [name for name, values in given.items() if not hasattr(values, "__len__")]:
            raise ParameterError(
                f"{single[0]} must be a list with an entry for each decision, got {given[single[0]]!r}"
            )
        lengths = {name: len(values) for name, values in given.items()}
        if len(set(lengths.values())) != 1:
            raise ParameterError(f"columns must have the same length, got {lengths}")
        return cls._from(Columns(given, first=0), scale)

    @classmethod
    def read_csv(cls, file: str | os.PathLike[str], *, scale: Scale | None = None) -> Self:
        """Return decisions from a file with the columns arm and rating, and perhaps others: see `of`."""
        return cls._from(read_columns(Path(file)), scale)

    @classmethod
    def of_study(cls, study: StudyLike, *, scale: Scale | None = None) -> Self:
        """Return the decisions of a study, on the scale that its policy declares unless one is given."""
        table, policy = study.decisions().to_dict(as_series=False), study.policy
        if not table["arm"]:
            raise StudyError("there are no ratings to analyse yet")
        table["probabilities"] = [_possible_of(policy, json.loads(p)) for p in table["probabilities"]]
        return cls._from(Columns(table), scale or declared_scale(policy))._kept_by(policy)

    @classmethod
    def of_bandit(cls, bandit: Bandit, *, scale: Scale | None = None, participant: Sequence[Any] | None = None) -> Self:
        """Return the decisions of a bandit; `participant` says whose each ask was, in their order."""
        log = bandit.log
        labels = [str(label) for label in log.arms]
        numbers = range(1, len(log.asks) + 1)
        more: dict[str, Sequence[Any]] = {} if participant is None else {"participant": participant}
        decisions = cls.of(
            arm=[labels[asked.arm] for asked in log.asks],
            rating=[log.told.get(number) for number in numbers],
            status=[_status(log, number) for number in numbers],
            probabilities=[_possible(labels, asked) for asked in log.asks],
            evidence=[log.evidence.get(number) for number in numbers],
            scale=scale or declared_scale(bandit.policy),
            **more,
        )
        known = _known(log.events)
        table = decisions.table.with_columns(pl.Series("known", [known.get(number) for number in numbers], pl.Int64))
        return replace(decisions, table=table)._kept_by(bandit.policy)

    @classmethod
    def _from(cls, given: Columns, scale: Scale | None) -> Self:
        return cls(*decisions_from(given, None if scale is None else check_interval("scale", scale)))

    def _kept_by(self, policy: Policy) -> Self:
        """Return the same with the floor that a policy keeps, if it does."""
        share = uniform_share_of(policy)
        return replace(self, floor=share / len(self.arms) if share > 0.0 else None)

    @property
    def fixed_shares(self) -> bool:
        """Whether every decision was made with the same known probabilities, as in a trial that does not adapt."""
        if self.probabilities is None or np.isnan(self.probabilities).all():
            return False
        known = ~np.isnan(self.probabilities).all(1)  # the others were made elsewhere
        p, possible = self.probabilities[known], self.available[known]
        lowest, highest = (pick(np.where(np.isnan(p), edge, p), 0) for pick, edge in ((np.min, 2.0), (np.max, -1.0)))
        always = np.allclose(lowest, highest) and np.isclose(lowest.sum(), 1.0)  # of the shown arm alone will do
        return bool(always or np.allclose(p, possible / possible.sum(1, keepdims=True)))

    @property
    def n(self) -> int:
        """How many decisions count."""
        return self.counting.height

    @property
    def counting(self) -> pl.DataFrame:
        """The decisions that are not void."""
        return self.table.filter(pl.col("status") != "void")

    def on_scale(self, low: float, high: float) -> "Decisions":
        """Return the same decisions on a declared scale, which must hold every rating."""
        ends = check_interval("scale", (low, high))
        ratings = self.counting["rating"].drop_nulls()
        if off := [value for value in ratings if not ends[0] <= value <= ends[1]]:
            raise ParameterError(f"scale must hold every rating, got {low:g} to {high:g}, and a rating of {off[0]:g}")
        return replace(self, scale=ends, scale_declared=True)

    @property
    def repeated(self) -> bool:
        """Whether some participants have several decisions that count."""
        named = self.counting["participant"].drop_nulls()
        return named.n_unique() < named.len()

    @property
    def led(self) -> int:
        """How many decisions may have been led by the same participant's own ratings.

        They were made after one of these was told (at once, where that is not known). None where arms are shown with
        fixed shares, or where nobody was shown a second arm: own ratings then choose nothing.
        """
        row = pl.col("row").cast(pl.Int64)
        told = pl.when(pl.col("rating").is_not_null()).then(pl.max_horizontal("known", row + 1))  # from this row on
        after = row >= told.min().over("participant")
        several = pl.col("arm").n_unique().over("participant") > 1
        counts = (pl.col("status") != "void") & pl.col("participant").is_not_null()
        found = self.table.with_row_index("row").select(after=after & counts, several=several & counts)
        return 0 if self.fixed_shares or not found["several"].any() else int(found["after"].sum())

    def firsts(self) -> "Decisions":
        """Return the decisions of which only the first of each participant counts: the others are void.

        It was made before the participant rated anything, so that own ratings cannot have led to it.
        """
        later = pl.col("participant").is_not_null() & ~pl.col("participant").is_first_distinct()
        status = pl.when(later).then(pl.lit("void")).otherwise("status").alias("status")
        return replace(self, table=self.table.with_columns(status), first_only=True)

    def without(self, participant: str) -> "Decisions":
        """Return the decisions without those of a participant, which are void."""
        theirs = pl.col("participant") == participant
        status = pl.when(theirs.fill_null(value=False)).then(pl.lit("void")).otherwise("status").alias("status")
        return replace(self, table=self.table.with_columns(status))

    def __repr__(self) -> str:
        low, high = self.scale
        people = self.counting["participant"].drop_nulls().n_unique()
        return (
            f"Decisions: {self.n:,} of {len(self.arms)} arms, {people:,} participants named, scale {low:g} to {high:g}"
        )


def declared_scale(policy: Policy) -> Scale | None:
    """Return the range of ratings that a policy declares, if it does."""
    found = next(declared_ranges(policy.start(2, horizon=1000)), None)
    return None if found is None else (found.low, found.high)


def uniform_share_of(policy: Policy) -> float:
    """Return the share of the decisions that a policy, or one around it, lets be uniform."""
    share = policy.share if isinstance(policy, UniformShare) else 0.0
    return max(share, uniform_share_of(policy.inner)) if isinstance(policy, Wrapper) else share


def _possible(labels: Sequence[str], asked: Asked) -> dict[str, float]:
    """Return the probabilities of the arms that could be shown."""
    return {label: p for label, p, here in zip(labels, asked.p.tolist(), asked.available, strict=True) if here}


def _possible_of(policy: Policy, p: dict[str, float]) -> dict[str, float]:
    """Return the same for a study: with a uniform share, an arm without a probability could not be shown."""
    floor = isinstance(policy, UniformShare) and policy.share > 0.0
    return {label: value for label, value in p.items() if value > 0.0 or not floor}


def _status(log: Log, number: int) -> str:
    if number in log.void:
        return "void"
    return "rated" if number in log.told else "missing" if number in log.closed else "pending"


def _known(events: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Return, for each reward, how many asks had been made when it was told."""
    known, asked = {}, 0
    for event in events:
        asked += "ask" in event
        if "tell" in event:
            known[event["tell"]] = asked
    return known
