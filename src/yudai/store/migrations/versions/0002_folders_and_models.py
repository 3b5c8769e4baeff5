"""Models with prices; solves of folders."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SECONDS = sa.Double[float]()

# What rows of the first version get.
NO_PROJECT = "{}"
NO_MODELS = "[]"


def upgrade() -> None:
    op.create_table(
        "models",
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("model_id", sa.String(length=300), nullable=False),
        sa.Column("aliases", sa.Text(), nullable=False),
        sa.Column("input_micros", sa.BigInteger(), nullable=True),
        sa.Column("cached_micros", sa.BigInteger(), nullable=True),
        sa.Column("output_micros", sa.BigInteger(), nullable=True),
        sa.Column("edited", sa.Boolean(), nullable=False),
        sa.Column("updated_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_models")),
    )
    with op.batch_alter_table("solves") as solves:
        solves.add_column(sa.Column("snapshot", sa.Text(), nullable=True))
        solves.add_column(
            sa.Column("project", sa.Text(), nullable=False, server_default=NO_PROJECT)
        )
        solves.add_column(sa.Column("models", sa.Text(), nullable=False, server_default=NO_MODELS))
        solves.add_column(sa.Column("test_plan", sa.Text(), nullable=True))
        solves.add_column(sa.Column("cancel_requested_at", SECONDS, nullable=True))
    with op.batch_alter_table("solves") as solves:
        solves.alter_column("project", server_default=None)
        solves.alter_column("models", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("solves") as solves:
        for name in ("cancel_requested_at", "test_plan", "models", "project", "snapshot"):
            solves.drop_column(name)
    op.drop_table("models")
