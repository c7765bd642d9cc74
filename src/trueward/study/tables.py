"""The tables of a study. `event` is the only truth; the others are written in the same transaction, to be asked.

A first version of them is made by the migration 0001; a change here needs a migration of its own.
"""

import sqlalchemy as sa

metadata = sa.MetaData()

Name = sa.String(100)
Moment = sa.String(32)  # ISO 8601 in UTC, to the microsecond: the order of texts is that of times
Digest = sa.String(64)

study = sa.Table(
    "study",
    metadata,
    sa.Column("name", Name, primary_key=True),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("test", sa.Boolean, nullable=False),  # a test study may be deleted
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("last_seq", sa.Integer, nullable=False),
    sa.Column("head", Digest, nullable=False),  # the hash of the last event
    sa.Column("asks", sa.Integer, nullable=False),
    sa.Column("key", Digest, nullable=False),  # hashes the ids of participants; never in the log
    sa.Column("created_at", Moment, nullable=False),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # the very text that is hashed
    sa.Column("previous_hash", Digest, nullable=False),
    sa.Column("hash", Digest, nullable=False),
)

arm = sa.Table(
    "arm",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("content_hash", Digest, nullable=False),
    sa.Column("added_seq", sa.Integer, nullable=False),
    sa.Column("retired_seq", sa.Integer),
)

decision = sa.Table(
    "decision",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("participant", sa.String(32)),  # a pseudonym
    sa.Column("occasion", sa.String(200), nullable=False),
    sa.Column("arm", sa.String(200), nullable=False),
    sa.Column("probability", sa.Float(53), nullable=False),
    sa.Column("probabilities", sa.Text, nullable=False),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("learned_seq", sa.Integer, nullable=False),  # the last event that was learned
    sa.Column("corrections_seq", sa.Integer, nullable=False),  # the last correction that was applied
    sa.Column("asked_at", Moment, nullable=False),
    sa.Column("void", sa.Boolean, nullable=False, default=False),
    sa.Column("expired_seq", sa.Integer),
    sa.UniqueConstraint("study", "participant", "occasion", name="one_decision_per_occasion"),
)

reward = sa.Table(
    "reward",
    metadata,
    sa.Column("study", Name, primary_key=True),
    sa.Column("decision", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("value", sa.Float(53), nullable=False),
    sa.Column("evidence", sa.Text, nullable=False),
    sa.Column("told_at", Moment, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),  # whether it counts
    sa.ForeignKeyConstraint(["study", "decision"], ["decision.study", "decision.number"]),
)
sa.Index(
    "one_active_reward",
    reward.c.study,
    reward.c.decision,
    unique=True,
    sqlite_where=reward.c.active,
    postgresql_where=reward.c.active,
)

participant = sa.Table(
    "participant",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("id_hash", Digest, primary_key=True),  # keyed with the study's own key
    sa.Column("pseudonym", sa.String(32), nullable=False),
)
