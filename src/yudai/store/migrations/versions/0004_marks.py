"""What lanes and trajectories show: marks of a run, edits and tests of its messages.

Columns may be empty, so that rows of the version before stay as they are and it can go on writing.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

MESSAGES = "trajectory_messages"
EDITS = "ix_trajectory_messages_run_id_attempt_seq"


def upgrade() -> None:
    op.add_column("runs", sa.Column("marks", sa.Text(), nullable=True))
    op.add_column(MESSAGES, sa.Column("is_test", sa.Boolean(), nullable=True))
    op.add_column(MESSAGES, sa.Column("edit", sa.Integer(), nullable=True))
    is_edit = sa.text("edit IS NOT NULL")
    op.create_index(
        op.f(EDITS),
        MESSAGES,
        ["run_id", "attempt", "seq"],
        sqlite_where=is_edit,
        postgresql_where=is_edit,
    )


def downgrade() -> None:
    op.drop_index(op.f(EDITS), MESSAGES)
    for name in ("edit", "is_test"):
        op.drop_column(MESSAGES, name)
    op.drop_column("runs", "marks")
