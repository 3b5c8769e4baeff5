"""Sandboxes that are elsewhere: their rows, prepared bases and who builds them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

SECONDS = sa.Double[float]()
TABLES = ("installations", "sandboxes", "bases", "base_builders")


def upgrade() -> None:
    op.create_table(
        "installations",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installations")),
    )
    op.create_table(
        "sandboxes",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("backend", sa.String(length=64), nullable=False),
        sa.Column("external", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("holder", sa.String(length=64), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("beat_at", SECONDS, nullable=False),
        sa.Column("closed_at", SECONDS, nullable=True),
        sa.Column("reaped", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sandboxes")),
    )
    op.create_index(op.f("ix_sandboxes_backend_closed_at"), "sandboxes", ["backend", "closed_at"])
    op.create_index(op.f("ix_sandboxes_holder_closed_at"), "sandboxes", ["holder", "closed_at"])
    op.create_table(
        "bases",
        sa.Column("backend", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=500), nullable=False),
        sa.Column("external", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("made_at", SECONDS, nullable=False),
        sa.Column("used_at", SECONDS, nullable=False),
        sa.Column("setup_log", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("backend", "key", name=op.f("pk_bases")),
    )
    op.create_table(
        "base_builders",
        sa.Column("backend", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=500), nullable=False),
        sa.Column("holder", sa.String(length=64), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("beat_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("backend", "key", name=op.f("pk_base_builders")),
    )


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
