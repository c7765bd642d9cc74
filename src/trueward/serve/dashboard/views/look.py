"""A look at a study: all that its pages are computed from, at one moment."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import polars as pl
import sqlalchemy as sa

from trueward.analysis.decisions import declared_scale
from trueward.analysis.exclusion import Rule, parse_rules
from trueward.live.explanation import Explanation
from trueward.policies.policy import Policy
from trueward.study import tables
from trueward.study.database import Database
from trueward.study.log import row_of
from trueward.study.reading import decisions
from trueward.study.settings import Settings
from trueward.study.study import Study

EVERYDAY = ("ask", "tell", "close")  # kinds of events that are shown as decisions


@dataclass(frozen=True)
class Happened:
    """An event of the log that is no everyday one, and how many decisions had been asked for before it."""

    seq: int
    kind: str
    at: str
    actor: str
    body: dict[str, Any]
    after: int

    @property
    def reason(self) -> str:
        """Why, as far as somebody said."""
        return str(self.body.get("reason") or "")

    @property
    def numbers(self) -> tuple[int, ...]:
        """The decisions that a void or its undoing was about."""
        return tuple(self.body.get(self.kind, ())) if self.kind in ("void", "restore") else ()


@dataclass(frozen=True)
class TheArm:
    """An arm, what it shows, and whether it is shown no more."""

    name: str
    payload: Any
    retired: bool


@dataclass(frozen=True, eq=False)
class Look:
    """What the database says of a study, and what its policy believes; may be analysed as a study."""

    name: str
    state: str
    created_at: str
    last_seq: int
    head: str
    settings: Settings
    arms: tuple[TheArm, ...]
    table: pl.DataFrame
    events: tuple[Happened, ...]
    policy: Policy
    explanation: Explanation
    probabilities: dict[str, float]

    @property
    def rules(self) -> tuple[Rule | str, ...]:
        """The rules that were written down in the beginning; an analysis applies those that it can."""
        return parse_rules(self.settings.rules)

    def decisions(self) -> pl.DataFrame:
        """Return every decision with its reward."""
        return self.table

    @cached_property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest rating: as the policy declares them, or as they are so far."""
        given = self.table["reward"].drop_nulls().to_list()
        return declared_scale(self.policy) or (min(given, default=0.0), max([*given, min(given, default=0.0) + 1.0]))

    @cached_property
    def seconds(self) -> dict[int, float]:
        """How long it took to give a rating, where that is known."""
        told = self.table.drop_nulls("evidence").select("number", "evidence").iter_rows()
        found = {number: json.loads(text).get("seconds") for number, text in told}
        return {number: float(value) for number, value in found.items() if value is not None}

    @cached_property
    def aside(self) -> dict[int, str]:
        """Why a decision's rating does not count, for those that the policy sets aside."""
        return {each.ticket: each.reason for arm in self.explanation.arms for each in arm.trimmed}

    @cached_property
    def shut_out(self) -> frozenset[str]:
        """The pseudonyms of those whose decisions do not count, those to come neither."""
        out: set[str] = set()
        for event in self.events:
            out |= {event.body["shut_out"]} if "shut_out" in event.body else set()
            out -= {event.body["let_in"]} if "let_in" in event.body else set()
        return frozenset(out)

    @property
    def n_rated(self) -> int:
        """How many ratings count."""
        return self.table.filter(status="rated").height


def last_seq(database: Database, name: str) -> int:
    """Return the number of a study's last event."""
    with database.read() as connection:
        return int(row_of(connection, name).last_seq)


def look_at(study: Study, database: Database) -> Look:
    """Return what there is to be seen of a study now."""
    policy, explanation = study.policy, study.explain()
    p = study.probabilities()
    with database.read() as connection:
        row = row_of(connection, study.name)
        table = decisions(connection, study.name)
        return Look(
            name=study.name,
            state=row.state,
            created_at=row.created_at,
            last_seq=row.last_seq,
            head=row.head,
            settings=Settings(**json.loads(row.settings)),
            arms=_arms(connection, study.name),
            table=table,
            events=_events(connection, study.name, table["asked_at"].to_list()),
            policy=policy,
            explanation=explanation,
            probabilities=p,
        )


def _arms(connection: sa.Connection, name: str) -> tuple[TheArm, ...]:
    of_study = sa.select(tables.arm).where(tables.arm.c.study == name).order_by(tables.arm.c.position)
    return tuple(
        TheArm(row.name, json.loads(row.payload), row.retired_seq is not None) for row in connection.execute(of_study)
    )


def _events(connection: sa.Connection, name: str, asked: Sequence[str]) -> tuple[Happened, ...]:
    columns = tables.event.c
    rare = sa.select(columns.seq, columns.kind, columns.at, columns.actor, columns.body)
    rare = rare.where(columns.study == name, columns.kind.not_in(EVERYDAY)).order_by(columns.seq)
    times = pl.Series(asked, dtype=pl.String)
    return tuple(
        Happened(seq, kind, at, actor, json.loads(body), int(times.search_sorted(at, side="right")))
        for seq, kind, at, actor, body in connection.execute(rare)
    )


def when(moment: str) -> str:
    """Return a time for people.

    >>> when("2026-05-04T09:05:12.000000+00:00")
    '4 May 2026, 09:05 UTC'
    """
    time = datetime.fromisoformat(moment)
    return f"{time.day} {time:%b %Y, %H:%M} UTC"
