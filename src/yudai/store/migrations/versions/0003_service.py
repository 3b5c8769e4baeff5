"""A service: leases, attempts, holds, conversations, idempotency keys."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SECONDS = sa.Double[float]()
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# (table, column, type, what rows of the earlier version get)
GROWN = (
    ("solves", "repo_url", sa.Text(), ""),
    ("solves", "durable", sa.Boolean(), sa.false()),
    ("solves", "worker_id", sa.String(length=64), ""),
    ("solves", "attempt", sa.Integer(), "0"),
    ("solves", "spent_micros", sa.BigInteger(), "0"),
    ("solves", "uncertain_micros", sa.BigInteger(), "0"),
    ("solves", "rev", sa.Integer(), "0"),
    ("runs", "worker_id", sa.String(length=64), ""),
    ("runs", "earlier_cost_micros", sa.BigInteger(), "0"),
    ("runs", "rev", sa.Integer(), "0"),
)
TABLES = ("idempotency_keys", "messages", "conversations", "workers", "holds", "attempts")


def upgrade() -> None:
    for table in ("solves", "runs"):
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column("deadline_at", SECONDS, nullable=True))
            for of, name, kind, value in GROWN:
                if of == table:
                    batch.add_column(sa.Column(name, kind, nullable=False, server_default=value))
        with op.batch_alter_table(table) as batch:
            for of, name, _, _ in GROWN:
                if of == table:
                    batch.alter_column(name, server_default=None)
    with op.batch_alter_table("solves") as batch:
        batch.alter_column("base", existing_type=sa.Text(), nullable=True)
        batch.drop_column("cancel_requested_at")
        batch.create_index(
            op.f("ix_solves_conversation_id_created_at"), ["conversation_id", "created_at"]
        )
    _create_running()
    _create_talking()


def _create_running() -> None:
    op.create_table(
        "attempts",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("worker_id", sa.String(length=64), nullable=False),
        sa.Column("sandbox_id", sa.Text(), nullable=False),
        sa.Column("started_at", SECONDS, nullable=True),
        sa.Column("finished_at", SECONDS, nullable=False),
        sa.Column("cause", sa.String(length=32), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("artifacts", sa.Text(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_attempts_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_attempts")),
    )
    op.create_table(
        "holds",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("worker_id", sa.String(length=64), nullable=False),
        sa.Column("micros", sa.BigInteger(), nullable=False),
        sa.Column("at", SECONDS, nullable=False),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_holds_solve_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holds")),
    )
    op.create_index(op.f("ix_holds_solve_id"), "holds", ["solve_id"])
    op.create_index(op.f("ix_holds_worker_id"), "holds", ["worker_id"])
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("durable", sa.Boolean(), nullable=False),
        sa.Column("started_at", SECONDS, nullable=False),
        sa.Column("beat_at", SECONDS, nullable=False),
        sa.Column("adopted_by", sa.String(length=64), nullable=True),
        sa.Column("adopted_at", SECONDS, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_index(op.f("ix_workers_beat_at"), "workers", ["beat_at"])


def _create_talking() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("repo_url", sa.Text(), nullable=False),
        sa.Column("repo_path", sa.Text(), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
    )
    op.create_index(
        op.f("ix_conversations_user_id_created_at"), "conversations", ["user_id", "created_at"]
    )
    op.create_table(
        "messages",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", SECONDS, nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=True),
        sa.Column("milestone", sa.String(length=64), nullable=True),
        sa.Column("links", sa.Text(), nullable=False),
        sa.Column("reply_to", SERIAL, nullable=True),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_messages_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_messages_solve_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("solve_id", "milestone", name=op.f("uq_messages_solve_id_milestone")),
        sa.UniqueConstraint("reply_to", name=op.f("uq_messages_reply_to")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_messages_conversation_id_id"), "messages", ["conversation_id", "id"])
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("resource_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"])


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    # Solves that no forge had fetched yet mean nothing to the earlier version.
    op.execute("DELETE FROM solves WHERE base IS NULL")
    with op.batch_alter_table("solves") as batch:
        batch.drop_index(op.f("ix_solves_conversation_id_created_at"))
        batch.add_column(sa.Column("cancel_requested_at", SECONDS, nullable=True))
        batch.alter_column("base", existing_type=sa.Text(), nullable=False)
    for table in ("solves", "runs"):
        with op.batch_alter_table(table) as batch:
            batch.drop_column("deadline_at")
            for of, name, _, _ in GROWN:
                if of == table:
                    batch.drop_column(name)
