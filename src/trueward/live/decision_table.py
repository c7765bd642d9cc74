"""The decisions of a bandit as a table, with the columns of `Study.decisions`."""

import json
from typing import Any

import polars as pl

from trueward.live.log import Log

SCHEMA = {
    "number": pl.Int64,
    "participant": pl.String,  # unknown to a bandit, as are all columns below that say so
    "occasion": pl.String,  # unknown
    "arm": pl.String,
    "probability": pl.Float64,
    "probabilities": pl.String,  # of the arms that could be shown, as JSON
    "kind": pl.String,  # unknown
    "asked_at": pl.Int64,  # place of the event in the log: a bandit has no clock
    "status": pl.String,  # rated, pending, missing (closed without a reward) or void
    "reward": pl.Float64,
    "told_at": pl.Int64,
    "revision": pl.Int64,
    "evidence": pl.String,
    "learned_seq": pl.Int64,  # unknown
    "corrections_seq": pl.Int64,  # unknown
}


def decision_table(log: Log) -> pl.DataFrame:
    """Return a row per decision; without events, as in the memory of a study, the order of telling is unknown."""
    labels = [str(label) for label in log.arms]
    asked_at, told_at, revision = _places(log)
    rows: list[dict[str, Any]] = []
    for number, asked in enumerate(log.asks, start=1):
        possible = zip(labels, asked.p.tolist(), asked.available, strict=True)
        row = {
            "number": number,
            "arm": labels[asked.arm],
            "probability": asked.p.item(asked.arm),
            "probabilities": json.dumps({label: p for label, p, available in possible if available}),
            "asked_at": asked_at.get(number),
            "status": _status(log, number),
        }
        if number in log.told:
            row |= {
                "reward": log.told[number],
                "told_at": told_at.get(number),
                "revision": revision.get(number),
                "evidence": json.dumps(dict(log.evidence.get(number, {}))),
            }
        rows.append(row)
    return pl.DataFrame(rows, schema=SCHEMA)


def _places(log: Log) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """Return the places of asks and rewards among the events, and how many values each reward has had."""
    asked_at, told_at, revision = {}, {}, {}
    for place, event in enumerate(log.events, start=1):
        if "ask" in event:
            asked_at[event["ask"]] = place
        elif "tell" in event:
            told_at[event["tell"]], revision[event["tell"]] = place, 1
        elif "amend" in event:
            revision[event["amend"]] += 1
    return asked_at, told_at, revision


def _status(log: Log, number: int) -> str:
    if number in log.void:
        return "void"
    return "rated" if number in log.told else "missing" if number in log.closed else "pending"
