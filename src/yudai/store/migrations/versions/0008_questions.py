"""Questions that a person answers before there can be a champion."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SECONDS = sa.Double[float]()


def upgrade() -> None:
    op.create_table(
        "questions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("choices", sa.Text(), nullable=False),
        sa.Column("runs", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("asked_at", SECONDS, nullable=False),
        sa.Column("closed_at", SECONDS, nullable=True),
        sa.Column("choice", sa.Text(), nullable=True),
        sa.Column("answered_by", sa.Text(), nullable=False),
        sa.Column("answered_at", SECONDS, nullable=True),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_questions_solve_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sa.UniqueConstraint("solve_id", "key", name=op.f("uq_questions_solve_id_key")),
    )
    op.create_index(op.f("ix_questions_answered_at"), "questions", ["answered_at"])


def downgrade() -> None:
    op.drop_table("questions")
