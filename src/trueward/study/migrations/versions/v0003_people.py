"""The people of the dashboard, the links with which they sign in, and who has."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

Name, Moment, Digest = sa.String(100), sa.String(32), sa.String(64)


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "person",
        sa.Column("name", Name, primary_key=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("added_at", Moment, nullable=False),
    )
    op.create_table(
        "sign_in_link",
        sa.Column("digest", Digest, primary_key=True),
        sa.Column("person", Name, sa.ForeignKey("person.name"), nullable=False),
        sa.Column("expires_at", Moment, nullable=False),
        sa.Column("used_at", Moment),
    )
    op.create_table(
        "signed_in",
        sa.Column("digest", Digest, primary_key=True),
        sa.Column("person", Name, sa.ForeignKey("person.name"), nullable=False),
        sa.Column("expires_at", Moment, nullable=False),
    )
