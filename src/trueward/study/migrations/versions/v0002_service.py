"""The tables of the service: keys, what was answered, how often; and which participants a server vouched for."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

Name, Moment, Digest = sa.String(100), sa.String(32), sa.String(64)


def upgrade() -> None:
    """Add the tables and the column."""
    op.add_column("participant", sa.Column("verified", sa.Boolean, nullable=False, server_default=sa.true()))
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("digest", Digest, nullable=False),
        sa.Column("study", Name, sa.ForeignKey("study.name")),
        sa.Column("scopes", sa.String(100), nullable=False),
        sa.Column("origins", sa.Text, nullable=False),
        sa.Column("signed_only", sa.Boolean, nullable=False),
        sa.Column("per_minute", sa.Integer),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("expires_at", Moment),
        sa.Column("revoked_at", Moment),
    )
    op.create_table(
        "answered",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("idempotency_key", sa.String(200), primary_key=True),
        sa.Column("fingerprint", Digest, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("at", Moment, nullable=False),
    )
    op.create_index("answered_at", "answered", ["study", "at"])
    op.create_table(
        "rate",
        sa.Column("study", Name, sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("who", sa.String(40), primary_key=True),
        sa.Column("minute", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_table(
        "signing_secret",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("secret", Digest, nullable=False),
    )
