"""The tables of a study. `event` is the only truth; the others are written in the same transaction, to be asked.

The last ones are the service's: who may call it, what was answered to whom, and how often. A first version of the
tables is made by the migration 0001; a change here needs a migration of its own.
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
    sa.UniqueConstraint("participant", "occasion", "study", name="one_decision_per_occasion"),  # see migration 0005
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
    sa.Column("verified", sa.Boolean, nullable=False, server_default=sa.true()),  # whether a server vouched for the id
)
sa.Index("participant_pseudonym", participant.c.pseudonym)

snapshot = sa.Table(
    "snapshot",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False),  # the last event that it knows
    sa.Column("head", Digest, nullable=False),  # the hash of that event
    sa.Column("stamp", Digest, nullable=False),  # the hash of all that it depends on
    sa.Column("body", sa.LargeBinary, nullable=False),
)

api_key = sa.Table(
    "api_key",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("kind", sa.String(10), nullable=False),  # secret, or public: one that browsers show to everybody
    sa.Column("digest", Digest, nullable=False),  # SHA-256 of the whole key
    sa.Column("study", Name, sa.ForeignKey("study.name")),  # NULL: all studies of the database
    sa.Column("scopes", sa.String(100), nullable=False),  # words, with spaces between them
    sa.Column("origins", sa.Text, nullable=False),  # of a public key: the pages that may use it, with spaces between
    sa.Column("signed_only", sa.Boolean, nullable=False),  # of a public key: whether participants must be signed
    sa.Column("per_minute", sa.Integer),  # decisions; NULL: as the service's settings say
    sa.Column("label", sa.String(200), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment),
    sa.Column("revoked_at", Moment),
)

answered = sa.Table(
    "answered",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("idempotency_key", sa.String(200), primary_key=True),
    sa.Column("fingerprint", Digest, nullable=False),  # of who asked for what
    sa.Column("answer", sa.Text, nullable=False),  # as JSON
    sa.Column("at", Moment, nullable=False),
)
sa.Index("answered_at", answered.c.at)

rate = sa.Table(
    "rate",
    metadata,
    sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("who", sa.String(40), primary_key=True),
    sa.Column("minute", sa.Integer, nullable=False),  # since 1970; the count is of this minute
    sa.Column("count", sa.Integer, nullable=False),
)

signing_secret = sa.Table(
    "signing_secret",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("secret", Digest, nullable=False),
)

OF_A_STUDY = (reward, decision, arm, participant, snapshot, event, api_key, answered, rate)
"""The tables with rows of one study, in an order in which they can be deleted."""

person = sa.Table(
    "person",
    metadata,
    sa.Column("name", Name, primary_key=True),
    sa.Column("role", sa.String(10), nullable=False),  # viewer or editor
    sa.Column("added_at", Moment, nullable=False),
)

sign_in_link = sa.Table(
    "sign_in_link",
    metadata,
    sa.Column("digest", Digest, primary_key=True),  # SHA-256 of what the link holds
    sa.Column("person", Name, sa.ForeignKey("person.name"), nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
    sa.Column("used_at", Moment),
)

signed_in = sa.Table(
    "signed_in",
    metadata,
    sa.Column("digest", Digest, primary_key=True),  # SHA-256 of what the cookie holds
    sa.Column("person", Name, sa.ForeignKey("person.name"), nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
)
