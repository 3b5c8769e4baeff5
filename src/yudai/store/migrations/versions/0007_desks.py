"""Attempts whose agents call their models from their sandboxes."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "desks",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("uncertain_micros", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.Double[float](), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_desks_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "attempt", name=op.f("pk_desks")),
    )


def downgrade() -> None:
    op.drop_table("desks")
