"""Events and their projections in the database: SQL is here, and nowhere above."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from trueward.errors import StudyError
from trueward.study import tables
from trueward.study.chain import Event, body_of, text_of
from trueward.study.database import execute, places
from trueward.study.settings import Settings

MANY = 1000  # numbers in one statement
NO_STUDY = "there is no study"  # how the error begins

# Statements that every request executes, made once.
ROW = sa.select(tables.study).where(tables.study.c.name == sa.bindparam("study_name"))
LOCK_ROW = ROW.with_for_update()


def row_of(connection: sa.Connection, name: str, *, lock: bool = False) -> sa.Row[Any]:
    """Return a study's row; with `lock`, nobody else writes to the study until the end of the transaction."""
    row = connection.execute(LOCK_ROW if lock else ROW, {"study_name": name}).one_or_none()
    if row is None:
        known = connection.execute(sa.select(tables.study.c.name).order_by(tables.study.c.name)).scalars().all()
        raise StudyError(f"{NO_STUDY} {name!r} in this database; it has {', '.join(map(repr, known)) or 'none'}")
    return row


class Head(NamedTuple):
    """Where a study stands, and its key."""

    last_seq: int
    head: str
    key: str


def head_of(connection: sa.Connection, name: str) -> Head:
    """Return where a study stands; nobody else writes to it until the end of the transaction."""
    lock = "" if connection.dialect.name == "sqlite" else " FOR UPDATE"  # a writer of SQLite has locked all of it
    query = f"SELECT last_seq, head, key FROM study WHERE name = {places(connection, 1)}{lock}"
    rows = execute(connection, query, (name,))
    return Head(*(rows[0] if rows else row_of(connection, name)))  # which says that there is none


def events_after(connection: sa.Connection, name: str, seq: int = 0, limit: int | None = None) -> Iterator[Event]:
    """Give the events of a study behind one, in order; all, or so many."""
    columns = tables.event.c
    query = sa.select(tables.event).where(columns.study == name, columns.seq > seq).order_by(columns.seq)
    for rows in connection.execute(query.limit(limit)).partitions(MANY):
        for row in rows:
            yield Event._make([*row, body_of(row.kind, row.body)])


def rows_of(event: Event) -> Sequence[tuple[sa.Table, tuple[Any, ...]]]:
    """Return the rows that an event adds: to the log, and a decision or a reward."""
    logged = tables.event, event[:8]
    if event.kind == "ask":
        return logged, (tables.decision, _decision(event))
    if event.kind == "tell":
        return logged, (tables.reward, _reward(event, event.body["tell"], 1, text_of(event.body["evidence"])))
    return (logged,)


def add_arms(connection: sa.Connection, event: Event) -> None:
    """Add the arms of a new study."""
    for position, (name, payload) in enumerate(Settings(**event.body["settings"]).arms.items()):
        _insert_arm(connection, event, name, payload, position)


def _add_arm(connection: sa.Connection, event: Event) -> None:
    count = sa.select(sa.func.count()).select_from(tables.arm).where(tables.arm.c.study == event.study)
    position = connection.execute(count).scalar_one()
    _insert_arm(connection, event, event.body["add"], event.body["payload"], position)


def _insert_arm(connection: sa.Connection, event: Event, name: str, payload: Any, position: int) -> None:
    text = text_of(payload)
    digest = hashlib.sha256(text.encode()).hexdigest()
    values = {"name": name, "position": position, "payload": text, "content_hash": digest, "added_seq": event.seq}
    connection.execute(sa.insert(tables.arm), {"study": event.study, **values})


def _retire_arm(connection: sa.Connection, event: Event) -> None:
    columns = tables.arm.c
    retired = sa.update(tables.arm).where(columns.study == event.study, columns.name == event.body["retire"])
    connection.execute(retired.values(retired_seq=event.seq))


def _decision(event: Event) -> tuple[Any, ...]:
    body = event.body
    arms, p = body["arms"], body["p"]
    what = body["ask"], body["participant"], body["occasion"], body["arm"], p[arms.index(body["arm"])]
    known = body["kind"], body["learned"], body["corrections"]
    return event.study, *what, text_of(dict(zip(arms, p, strict=True))), *known, event.at, False


def _reward(event: Event, number: int, revision: int, evidence: str) -> tuple[Any, ...]:
    return event.study, number, revision, event.body["reward"], evidence, event.at, True


def _amend(connection: sa.Connection, event: Event) -> None:
    columns, number = tables.reward.c, event.body["amend"]
    mine = sa.and_(columns.study == event.study, columns.decision == number)
    newest = sa.select(columns.revision, columns.evidence).where(mine).order_by(columns.revision.desc()).limit(1)
    revision, evidence = connection.execute(newest).one()
    connection.execute(sa.update(tables.reward).where(mine).values(active=False))
    connection.execute(sa.insert(tables.reward).values(_reward(event, number, revision + 1, evidence)))


def _void(connection: sa.Connection, event: Event) -> None:
    rewards = tables.reward.c
    for some in _in_parts(event.body["void"]):
        _mark(connection, event, some, void=True)
        mine = sa.and_(rewards.study == event.study, rewards.decision.in_(some))
        connection.execute(sa.update(tables.reward).where(mine).values(active=False))


def _restore(connection: sa.Connection, event: Event) -> None:
    rewards = tables.reward.c
    other = tables.reward.alias()
    same = sa.and_(other.c.study == rewards.study, other.c.decision == rewards.decision)
    newest = sa.select(sa.func.max(other.c.revision)).where(same).scalar_subquery()
    for some in _in_parts(event.body["restore"]):
        _mark(connection, event, some, void=False)
        mine = sa.and_(rewards.study == event.study, rewards.decision.in_(some), rewards.revision == newest)
        connection.execute(sa.update(tables.reward).where(mine).values(active=True))


def _close(connection: sa.Connection, event: Event) -> None:
    for some in _in_parts(event.body["close"]):
        _mark(connection, event, some, expired_seq=event.seq)


def _mark(connection: sa.Connection, event: Event, numbers: Sequence[int], **values: Any) -> None:
    columns = tables.decision.c
    marked = sa.update(tables.decision).where(columns.study == event.study, columns.number.in_(numbers))
    connection.execute(marked.values(**values))


def _in_parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), MANY):
        yield numbers[start : start + MANY]


PROJECTIONS: dict[str, Callable[[sa.Connection, Event], None]] = {
    "create": add_arms,
    "add": _add_arm,
    "retire": _retire_arm,
    "amend": _amend,
    "void": _void,
    "restore": _restore,
    "close": _close,
}
"""What else an event of a kind does to the tables beside the log."""
