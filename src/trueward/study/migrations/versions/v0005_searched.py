"""Indexes that begin with what is searched for.

PostgreSQL plans for an empty table once, and believes that an index which begins with the study finds a row as soon as
the key does. It took that one: a search then reads all rows of the study, until statistics are gathered.
"""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make them anew; that of SQLite's decisions stays, which never takes it where the key will do."""
    op.drop_index("answered_at", "answered")
    op.create_index("answered_at", "answered", ["at"])
    op.create_index("participant_pseudonym", "participant", ["pseudonym"])
    if op.get_bind().dialect.name != "sqlite":
        name = "one_decision_per_occasion"
        op.drop_constraint(name, "decision")
        op.create_unique_constraint(name, "decision", ["participant", "occasion", "study"])
