"""A snapshot: what a process knew of a study at one event, so that the next one need not read the log from its start.

It is a cache, and never the truth. It counts only if its stamp is right, the hash of all of these:

    the study, the event and its hash as the log has it;  version, code and platform;  the policy;  the snapshot itself

so that one that was changed, is of another log or was computed by other code is passed over, and the log is read. In a
study with a secret the stamp is made with it. `verify` reads the log alone. A policy of the user's own, whose code
nobody else knows, has no snapshots.
"""

import hmac
import io
import json
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from trueward.errors import TruewardError
from trueward.live.log import Log
from trueward.policies.policy import Policy
from trueward.serialization import policy_to_plain
from trueward.study import tables
from trueward.study.chain import Event, digest, text_of
from trueward.study.database import Database
from trueward.study.forking import gate
from trueward.study.log import events_after
from trueward.study.memory import Made, Memory
from trueward.study.settings import code_of, origin

EVERY = 20_000  # events, after which a process that goes on makes one
AT_THE_END = 1_000  # events, after which it is worth one when a study is closed

PLAIN = ("state", "last_correction", "code", "platform")  # parts of a memory that are words or numbers

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Snapshot:
    """What is known at one moment, in copies: to be written by another thread while the study goes on."""

    study: str
    seq: int
    head: str
    policy: dict[str, Any]
    plain: dict[str, Any]
    made: list[Made]
    log: Log
    learned: list[NDArray[Any]]

    def write(self, database: Database, secret: str | None) -> None:
        """Put it into the database in place of the one before; where that fails there is none, and nothing is lost."""
        with gate.at_work():
            body = self._body()
            stamp = _stamp(self.study, self.seq, self.head, self.policy, body, secret)
            row = {"study": self.study, "seq": self.seq, "head": self.head, "stamp": stamp, "body": body}
            with suppress(TruewardError), database.write() as connection:
                connection.execute(sa.delete(tables.snapshot).where(tables.snapshot.c.study == self.study))
                connection.execute(sa.insert(tables.snapshot), row)

    def _body(self) -> bytes:
        people = {name: [getattr(made, name) for made in self.made] for name in ("participant", "occasion", "asked_at")}
        words = {**self.plain, "arms": self.log.arms, "evidence": [*self.log.evidence.items()], **people}
        arrays: dict[str, Any] = {f"learned{i}": array for i, array in enumerate(self.learned)}
        arrays |= {"words": np.frombuffer(text_of(words).encode(), np.uint8), **self.log.columns()}
        file = io.BytesIO()
        np.savez(file, **arrays)
        return file.getvalue()


def taken_of(memory: Memory) -> Snapshot | None:
    """Return a snapshot of a memory that has learned all corrections; None where the policy has no name."""
    policy = policy_to_plain(memory.policy)
    if policy is None or memory.policy.interpreted_only:
        return None
    plain = {name: getattr(memory, name) for name in PLAIN}
    plain |= {"retired": sorted(memory.retired), "shut_out": sorted(memory.shut_out)}
    copies = memory.made.copy(), memory.bandit.log.as_it_is(), memory.known.learner.kept()
    return Snapshot(memory.study, memory.last_seq, memory.head, policy, plain, *copies)


def restored(connection: sa.Connection, first: Event, policy: Policy | None, secret: str | None) -> Memory | None:
    """Return the memory that a study's snapshot holds, if there is one that counts."""
    columns = tables.snapshot.c
    row = connection.execute(sa.select(tables.snapshot).where(columns.study == first.study)).one_or_none()
    if row is None:
        return None
    memory = Memory(first, policy)
    described = policy_to_plain(memory.policy)
    there = next(events_after(connection, first.study, row.seq - 1, limit=1), None)
    if described is None or there is None or (there.seq, there.hash) != (row.seq, row.head):
        return None
    if not hmac.compare_digest(_stamp(first.study, row.seq, row.head, described, row.body, secret), row.stamp):
        return None
    with suppress(ValueError, LookupError, zipfile.BadZipFile):  # nothing that this code wrote
        _fill(memory, row.body)
        memory.last_seq, memory.head, memory.snapshot = row.seq, row.head, row.seq
        return memory
    return None


def _fill(memory: Memory, body: bytes) -> None:
    """Let a new memory know what is in a snapshot."""
    with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
        columns = {name: arrays[name] for name in arrays.files}
    words = json.loads(columns["words"].tobytes())
    for name in PLAIN:
        setattr(memory, name, words[name])
    memory.retired, memory.shut_out = set(words["retired"]), set(words["shut_out"])
    log = memory.bandit.log
    log.take_columns(words["arms"], columns)
    log.evidence = dict(words["evidence"])
    memory.remember_all(_made(words, columns))
    learned = [columns[f"learned{i}"] for i in range(sum(name.startswith("learned") for name in columns))]
    memory.take_known(learned)


def _made(words: Mapping[str, Any], columns: Columns) -> list[Made]:
    arms, p = columns["arms"], columns["p"]
    labels = map(words["arms"].__getitem__, arms.tolist())
    probabilities = p[np.arange(arms.size), arms].tolist()
    people = words["participant"], words["occasion"], words["asked_at"]
    return [*map(Made._make, zip(range(1, arms.size + 1), labels, probabilities, *people, strict=True))]


def _stamp(study: str, seq: int, head: str, policy: dict[str, Any], body: bytes, secret: str | None) -> str:
    return digest(text_of([study, seq, head, origin(), code_of("study"), policy, sha256(body).hexdigest()]), secret)
