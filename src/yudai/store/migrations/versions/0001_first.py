"""Solves, runs, events, messages and artifacts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SECONDS = sa.Double[float]()


def upgrade() -> None:
    op.create_table(
        "solves",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=True),
        sa.Column("repo", sa.Text(), nullable=False),
        sa.Column("base_branch", sa.Text(), nullable=False),
        sa.Column("base_commit", sa.String(length=64), nullable=False),
        sa.Column("issue_number", sa.BigInteger(), nullable=True),
        sa.Column("issue_title", sa.Text(), nullable=False),
        sa.Column("issue_body", sa.Text(), nullable=False),
        sa.Column("matrix", sa.Text(), nullable=False),
        sa.Column("not_started", sa.Text(), nullable=False),
        sa.Column("budget", sa.Text(), nullable=False),
        sa.Column("reducer", sa.String(length=64), nullable=False),
        sa.Column("require_proof", sa.Boolean(), nullable=False),
        sa.Column("sandbox_backend", sa.String(length=64), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("champion_run_id", sa.String(length=64), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("test_command", sa.Text(), nullable=False),
        sa.Column("baseline", sa.Text(), nullable=True),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("started_at", SECONDS, nullable=True),
        sa.Column("finished_at", SECONDS, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_solves")),
    )
    op.create_index(op.f("ix_solves_created_at"), "solves", ["created_at"], unique=False)
    op.create_index(
        op.f("ix_solves_state_created_at"), "solves", ["state", "created_at"], unique=False
    )
    op.create_index(
        op.f("ix_solves_user_id_created_at"), "solves", ["user_id", "created_at"], unique=False
    )
    op.create_table(
        "trajectory_messages",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", SECONDS, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "attempt", "seq", name=op.f("pk_trajectory_messages")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("contestant", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("cause", sa.String(length=32), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("sandbox_id", sa.Text(), nullable=False),
        sa.Column("queued_at", SECONDS, nullable=False),
        sa.Column("started_at", SECONDS, nullable=True),
        sa.Column("submitted_at", SECONDS, nullable=True),
        sa.Column("finished_at", SECONDS, nullable=True),
        sa.Column("exit_status", sa.Text(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("edits", sa.Integer(), nullable=False),
        sa.Column("edits_capped", sa.Boolean(), nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.Column("files_changed", sa.Integer(), nullable=False),
        sa.Column("lines_changed", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.BigInteger(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("diagnostics", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_runs_solve_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("solve_id", "handle", name=op.f("uq_runs_solve_id_handle")),
        sa.UniqueConstraint("solve_id", "position", name=op.f("uq_runs_solve_id_position")),
    )
    op.create_index(op.f("ix_runs_state"), "runs", ["state"], unique=False)
    op.create_table(
        "artifacts",
        sa.Column("id", sa.String(length=128), nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_artifacts_run_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_artifacts_solve_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
    )
    op.create_index(op.f("ix_artifacts_run_id"), "artifacts", ["run_id"], unique=False)
    op.create_index(op.f("ix_artifacts_solve_id"), "artifacts", ["solve_id"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("at", SECONDS, nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_events_run_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_events_solve_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_events_run_id"), "events", ["run_id"], unique=False)
    op.create_index(op.f("ix_events_solve_id_id"), "events", ["solve_id", "id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_events_solve_id_id"), table_name="events")
    op.drop_index(op.f("ix_events_run_id"), table_name="events")
    op.drop_table("events")
    op.drop_index(op.f("ix_artifacts_solve_id"), table_name="artifacts")
    op.drop_index(op.f("ix_artifacts_run_id"), table_name="artifacts")
    op.drop_table("artifacts")
    op.drop_index(op.f("ix_runs_state"), table_name="runs")
    op.drop_table("runs")
    op.drop_table("trajectory_messages")
    op.drop_index(op.f("ix_solves_user_id_created_at"), table_name="solves")
    op.drop_index(op.f("ix_solves_state_created_at"), table_name="solves")
    op.drop_index(op.f("ix_solves_created_at"), table_name="solves")
    op.drop_table("solves")
