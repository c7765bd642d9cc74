"""The log: every decision with what became of it, to be filtered; and what was changed by whom, and why."""

import json
from dataclasses import dataclass
from typing import Any

import polars as pl

from trueward.reporting.labels import count
from trueward.serve.dashboard.views.look import Happened, Look

PAGE = 50
STATUSES = ("rated", "pending", "missing", "void")


@dataclass(frozen=True)
class Filter:
    """Which decisions to show: those before a number, of a status, an arm, a participant."""

    status: str = ""
    arm: str = ""
    participant: str = ""
    aside: bool = False  # only those that the policy leaves out
    before: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.status or self.arm or self.participant or self.aside)


@dataclass(frozen=True)
class Entry:
    """A decision in the log."""

    number: int
    asked_at: str
    participant: str
    occasion: str
    arm: str
    probability: float
    kind: str
    status: str
    reward: float | None
    revision: int
    evidence: str  # in words
    aside: str  # why the policy leaves it out


@dataclass(frozen=True)
class LogPage:
    """A page of the log, the latest first."""

    entries: tuple[Entry, ...]
    matching: int
    next_before: int | None  # where the next page begins; None on the last


def log_of(look: Look, chosen: Filter) -> LogPage:
    """Return the decisions that match, so many of them."""
    table = look.table
    for column in ("status", "arm"):
        if getattr(chosen, column):
            table = table.filter(pl.col(column) == getattr(chosen, column))
    if chosen.participant:
        table = table.filter(pl.col("participant").str.starts_with(chosen.participant.strip()))
    if chosen.aside:
        table = table.filter(pl.col("number").is_in(list(look.aside)))
    matching = table.height
    if chosen.before is not None:
        table = table.filter(pl.col("number") < chosen.before)
    shown = table.tail(PAGE).reverse()
    more = table.height > PAGE
    entries = tuple(_entry(look, row) for row in shown.iter_rows(named=True))
    return LogPage(entries, matching, entries[-1].number if more else None)


def entry_of(look: Look, number: int) -> Entry | None:
    """Return one decision, if it is there."""
    found = look.table.filter(number=number)
    return _entry(look, found.row(0, named=True)) if found.height else None


def _entry(look: Look, row: dict[str, Any]) -> Entry:
    return Entry(
        number=row["number"],
        asked_at=row["asked_at"],
        participant=row["participant"] or "",
        occasion=row["occasion"],
        arm=row["arm"],
        probability=row["probability"],
        kind=row["kind"],
        status=row["status"],
        reward=row["reward"],
        revision=row["revision"] or 0,
        evidence=_evidence(row["evidence"]),
        aside=look.aside.get(row["number"], ""),
    )


def _evidence(text: str | None) -> str:
    """Return what came with a rating, in words.

    >>> _evidence('{"seconds": 12.345, "check": true}')
    'seconds 12.35, check yes'
    """
    found = json.loads(text) if text else {}
    return ", ".join(f"{name} {_word(value)}" for name, value in found.items())


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Line:
    """Something that was done to the study, and whether it can be undone."""

    seq: int
    at: str
    actor: str
    what: str
    reason: str
    undo: bool
    tone: str  # void, restore, arm, state, other


def history_of(look: Look) -> tuple[Line, ...]:
    """Return what was done, the latest first."""
    void = set(look.table.filter(status="void")["number"].to_list())
    return tuple(_line(event, void) for event in reversed(look.events))


TONES = {"void": "void", "restore": "restore", "amend": "void", "add": "arm", "retire": "arm"}


def _line(event: Happened, void: set[int]) -> Line:
    undo = event.kind == "void" and bool(void & set(event.numbers))
    tone = TONES.get(event.kind, "state" if event.kind in ("pause", "resume", "end") else "other")
    return Line(event.seq, event.at, event.actor, what_was_done(event), event.reason, undo, tone)


def what_was_done(event: Happened) -> str:
    """Return what an event did, in words."""
    body = event.body
    decisions = count(len(event.numbers), "decision")
    whose = body.get("by", {}).get("participant") if isinstance(body.get("by"), dict) else None
    of = f" of rater {whose}" if whose else ""
    words = {
        "create": "Study created",
        "void": f"{decisions}{of} taken out",
        "restore": f"{decisions}{of} brought back",
        "amend": f"Rating of decision {body.get('amend')} changed to {body.get('reward')}",
        "add": f"Arm “{body.get('add')}” added",
        "retire": f"Arm “{body.get('retire')}” retired",
        "pause": "Study paused",
        "resume": "Study resumed",
        "end": "Study ended",
        "erase": f"Participant behind {body.get('erase')} forgotten",
        "upgrade": "Policy code upgraded",
    }
    return words.get(event.kind, event.kind)
