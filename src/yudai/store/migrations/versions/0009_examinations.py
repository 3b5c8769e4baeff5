"""What was found about patches, so that verdicts can be decided again without running anything."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, key, parent in (
        ("examined_runs", "run_id", "runs"),
        ("examinations", "solve_id", "solves"),
    ):
        op.create_table(
            table,
            sa.Column(key, sa.String(length=64), nullable=False),
            sa.Column("facts", sa.Text(), nullable=False),
            sa.ForeignKeyConstraint(
                [key], [f"{parent}.id"], name=op.f(f"fk_{table}_{key}"), ondelete="CASCADE"
            ),
            sa.PrimaryKeyConstraint(key, name=op.f(f"pk_{table}")),
        )


def downgrade() -> None:
    op.drop_table("examinations")
    op.drop_table("examined_runs")
