"""Looks at a study that wait for nobody: its decisions as a table, its log, and both in a folder of files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from trueward.errors import StorageError
from trueward.parameters import check_integer
from trueward.study import tables
from trueward.study.log import events_after, row_of

COLUMNS = {
    "number": (pl.Int64, "the decision, counted from 1 in the order of asking"),
    "participant": (
        pl.String,
        "a pseudonym: 8 digits that say when they came, 16 random ones; empty where nobody was named",
    ),
    "occasion": (pl.String, "which of the participant's occasions"),
    "arm": (pl.String, "the arm that was shown"),
    "probability": (pl.Float64, "the probability with which it was drawn"),
    "probabilities": (pl.String, "the probabilities of all arms, as JSON"),
    "kind": (pl.String, "policy, uniform for one of the uniform share, or forced: made elsewhere, and imported"),
    "asked_at": (pl.String, "when it was asked for, in UTC"),
    "status": (pl.String, "rated, pending, missing (expired without a reward) or void (does not count)"),
    "reward": (pl.Float64, "the reward, as amended last; also of a void decision"),
    "told_at": (pl.String, "when that reward was told, in UTC"),
    "revision": (pl.Int64, "1, and one more for each amendment"),
    "evidence": (pl.String, "what came with the reward, as JSON"),
    "learned_seq": (pl.Int64, "the last event that the decision was made with"),
    "corrections_seq": (
        pl.Int64,
        "the last event learned that changed what had been learned before (a void, an amendment, an arm); 0 if none",
    ),
}
"""The columns of the table of decisions, and what they mean."""

LAST = 2**30  # more rows than a study has; twice as many still fit into 32 bits


def part(after: int, limit: int | None) -> tuple[int, int | None]:
    """Return behind which row a part begins and how many it has at most, as numbers that every database can hold."""
    behind = min(check_integer("after", after), LAST)
    return behind, None if limit is None else min(check_integer("limit", limit), LAST)


def arms(connection: sa.Connection, study: str) -> dict[str, Any]:
    """Return what is to be shown, by the name of the arm, in the order in which they were added."""
    of_study = sa.select(tables.arm.c.name, tables.arm.c.payload).where(tables.arm.c.study == study)
    return {name: json.loads(text) for name, text in connection.execute(of_study.order_by(tables.arm.c.position))}


def decisions(connection: sa.Connection, study: str, after: int = 0, limit: int | None = None) -> pl.DataFrame:
    """Return every decision of a study with its reward; or so many behind one."""
    of_study = sa.select(tables.reward).where(_some(tables.reward.c, "decision", study, after, limit))
    rewards = {row.decision: row for row in connection.execute(of_study.order_by(tables.reward.c.revision))}
    of_study = sa.select(tables.decision).where(_some(tables.decision.c, "number", study, after, limit))
    made = connection.execute(of_study.order_by(tables.decision.c.number))
    rows = [_row(each._mapping, rewards.get(each.number)) for each in made]
    return pl.DataFrame(rows, schema={name: kind for name, (kind, _) in COLUMNS.items()}, orient="row")


def _some(columns: Any, number: str, study: str, after: int, limit: int | None) -> sa.ColumnElement[bool]:
    """Say which rows belong to a study's decisions behind one; their numbers have no gaps."""
    last = [] if limit is None else [columns[number] <= after + limit]
    return sa.and_(columns.study == study, columns[number] > after, *last)


def _row(made: Mapping[Any, Any], reward: Any) -> tuple[Any, ...]:
    told = {"reward": None, "told_at": None, "revision": None, "evidence": None}
    if reward is not None:
        told = {"reward": reward.value, **{name: getattr(reward, name) for name in ("told_at", "revision", "evidence")}}
    known = {**made, **told, "status": _status(made, reward)}
    return tuple(known[name] for name in COLUMNS)


def _status(made: Mapping[Any, Any], reward: Any) -> str:
    if made["void"]:
        return "void"
    if reward is not None:
        return "rated"
    return "pending" if made["expired_seq"] is None else "missing"


def export(connection: sa.Connection, study: str, folder: Path) -> list[Path]:
    """Write the log, the decisions and a codebook into a folder, and return the files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _written(connection, study, folder)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror or error}") from None


def _written(connection: sa.Connection, study: str, folder: Path) -> list[Path]:
    row = row_of(connection, study)
    files = [folder / name for name in ("events.jsonl", "decisions.csv", "decisions.parquet", "codebook.md")]
    with files[0].open("w", encoding="utf-8", newline="\n") as lines:
        for event in events_after(connection, study):
            known = {name: getattr(event, name) for name in ("seq", "kind", "at", "actor")}
            known |= {"body": event.text, "previous_hash": event.previous_hash, "hash": event.hash}
            lines.write(json.dumps({"study": study, **known}, ensure_ascii=False) + "\n")
    table = decisions(connection, study)
    table.write_csv(files[1])
    table.write_parquet(files[2])
    files[3].write_text(_codebook(row), encoding="utf-8")
    return files


def _codebook(row: sa.Row[Any]) -> str:
    """Return what the files mean, and where the log ends."""
    columns = [f"| `{name}` | {words} |" for name, (_, words) in COLUMNS.items()]
    settings = json.loads(row.settings)
    hashed = "HMAC-SHA-256, with the study's secret as the key," if settings.get("keyed") else "SHA-256"
    return "\n".join(
        [
            f"# Study {row.name}",
            "",
            f"Created {row.created_at}, {row.state}; {row.last_seq} events, {row.asks} decisions.",
            f"Head of the log (the hash of its last event): `{row.head}`",
            "",
            "`events.jsonl` is the log, an event per line, the body as the very text that is hashed: "
            f"hash = {hashed} of the JSON text of [previous_hash, study, seq, kind, at, actor, body], without spaces.",
            "`decisions.csv` and `decisions.parquet` are the same table:",
            "",
            "| column | meaning |",
            "|---|---|",
            *columns,
            "",
            "Settings:",
            "",
            "```json",
            json.dumps(settings, indent=2, ensure_ascii=False),
            "```",
            "",
        ]
    )
