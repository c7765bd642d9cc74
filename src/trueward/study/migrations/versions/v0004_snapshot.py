"""Snapshots: what a process knew of a study at one event."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

Name, Digest = sa.String(100), sa.String(64)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "snapshot",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("head", Digest, nullable=False),
        sa.Column("stamp", Digest, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
