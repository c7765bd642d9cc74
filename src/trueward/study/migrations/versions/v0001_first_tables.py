"""The first tables, and triggers that refuse to change or delete an event."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Name, Moment, Digest = sa.String(100), sa.String(32), sa.String(64)
REFUSED = "events are never changed or deleted"
NOT_A_TEST = "NOT EXISTS (SELECT 1 FROM study WHERE name = OLD.study AND test)"

SQLITE = (
    f"CREATE TRIGGER event_kept_as_it_is BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
    f"CREATE TRIGGER event_kept BEFORE DELETE ON event WHEN {NOT_A_TEST} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
    f"CREATE TRIGGER test_kept BEFORE UPDATE OF test ON study BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
)
POSTGRESQL = (
    f"CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{REFUSED}'; END $$",
    f"CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN IF {NOT_A_TEST} THEN RAISE EXCEPTION '{REFUSED}'; END IF; RETURN OLD; END $$",
    "CREATE TRIGGER event_kept_as_it_is BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change()",
    "CREATE TRIGGER event_kept BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_delete()",
    "CREATE TRIGGER events_kept BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    "CREATE TRIGGER test_kept BEFORE UPDATE OF test ON study FOR EACH ROW EXECUTE FUNCTION refuse_change()",
)


def upgrade() -> None:
    """Make the tables and their triggers."""
    create_tables()
    for statement in SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRESQL:
        op.execute(statement)


def create_tables() -> None:
    """Make the tables, as they were in the first version."""
    op.create_table(
        "study",
        sa.Column("name", Name, primary_key=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("test", sa.Boolean, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("last_seq", sa.Integer, nullable=False),
        sa.Column("head", Digest, nullable=False),
        sa.Column("asks", sa.Integer, nullable=False),
        sa.Column("key", Digest, nullable=False),
        sa.Column("created_at", Moment, nullable=False),
    )
    op.create_table(
        "event",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", Moment, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous_hash", Digest, nullable=False),
        sa.Column("hash", Digest, nullable=False),
    )
    op.create_table(
        "arm",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("content_hash", Digest, nullable=False),
        sa.Column("added_seq", sa.Integer, nullable=False),
        sa.Column("retired_seq", sa.Integer),
    )
    op.create_table(
        "decision",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("participant", sa.String(32)),
        sa.Column("occasion", sa.String(200), nullable=False),
        sa.Column("arm", sa.String(200), nullable=False),
        sa.Column("probability", sa.Float(53), nullable=False),
        sa.Column("probabilities", sa.Text, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("learned_seq", sa.Integer, nullable=False),
        sa.Column("corrections_seq", sa.Integer, nullable=False),
        sa.Column("asked_at", Moment, nullable=False),
        sa.Column("void", sa.Boolean, nullable=False),
        sa.Column("expired_seq", sa.Integer),
        sa.UniqueConstraint("study", "participant", "occasion", name="one_decision_per_occasion"),
    )
    op.create_table(
        "reward",
        sa.Column("study", Name, primary_key=True),
        sa.Column("decision", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("value", sa.Float(53), nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("told_at", Moment, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(["study", "decision"], ["decision.study", "decision.number"]),
    )
    op.create_index(
        "one_active_reward",
        "reward",
        ["study", "decision"],
        unique=True,
        sqlite_where=sa.text("active"),
        postgresql_where=sa.text("active"),
    )
    op.create_table(
        "participant",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("id_hash", Digest, primary_key=True),
        sa.Column("pseudonym", sa.String(32), nullable=False),
    )
