"""Forges: publications and their outcomes, triggers, users with their logins and keys."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SECONDS = sa.Double[float]()
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Empty in rows of the version before, which can go on writing them so.
GROWN = (("issue_facts", sa.Text()), ("origin", sa.Text()), ("publish", sa.String(length=32)))
TABLES = (
    "publications",
    "outcomes",
    "triggers",
    "deliveries",
    "watches",
    "writers",
    "users",
    "tokens",
    "logins",
    "login_attempts",
    "api_keys",
)


def upgrade() -> None:
    for name, kind in GROWN:
        op.add_column("solves", sa.Column(name, kind, nullable=True))
    op.create_table(
        "publications",
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("repo_url", sa.String(length=500), nullable=False),
        sa.Column("branch", sa.String(length=250), nullable=True),
        sa.Column("head_repo", sa.Text(), nullable=False),
        sa.Column("base_branch", sa.Text(), nullable=False),
        sa.Column("base_commit", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("commit", sa.String(length=64), nullable=False),
        sa.Column("patch_id", sa.String(length=64), nullable=False),
        sa.Column("inverse_patch_id", sa.String(length=64), nullable=False),
        sa.Column("pull_number", sa.BigInteger(), nullable=True),
        sa.Column("pull_url", sa.Text(), nullable=False),
        sa.Column("pull_title", sa.Text(), nullable=False),
        sa.Column("pull_state", sa.String(length=32), nullable=True),
        sa.Column("is_draft", sa.Boolean(), nullable=False),
        sa.Column("merge_commit", sa.String(length=64), nullable=False),
        sa.Column("merged_at", SECONDS, nullable=True),
        sa.Column("comment_id", sa.BigInteger(), nullable=True),
        sa.Column("comment_url", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", SECONDS, nullable=False),
        sa.Column("holder", sa.String(length=64), nullable=False),
        sa.Column("held_until", SECONDS, nullable=False),
        sa.Column("looked_at", SECONDS, nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("updated_at", SECONDS, nullable=False),
        sa.ForeignKeyConstraint(["solve_id"], ["solves.id"], name=op.f("fk_publications_solve_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("solve_id", name=op.f("pk_publications")),
        sa.UniqueConstraint("repo_url", "branch", name=op.f("uq_publications_repo_url_branch")),
    )
    op.create_index(op.f("ix_publications_pull_state_looked_at"), "publications", ["pull_state", "looked_at"])
    op.create_index(op.f("ix_publications_state_due_at"), "publications", ["state", "due_at"])
    op.create_table(
        "outcomes",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("at", SECONDS, nullable=False),
        sa.Column("seen_at", SECONDS, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=True),
        sa.Column("confirmed_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["solve_id"], ["solves.id"], name=op.f("fk_outcomes_solve_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outcomes")),
        sa.UniqueConstraint("solve_id", "kind", "key", name=op.f("uq_outcomes_solve_id_kind_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "triggers",
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("repo_url", sa.String(length=500), nullable=False),
        sa.Column("issue_number", sa.BigInteger(), nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("solve_id", sa.String(length=64), nullable=True),
        sa.Column("at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_triggers")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=100), nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("repo", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("received_at", SECONDS, nullable=False),
        sa.Column("processed_at", SECONDS, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sa.UniqueConstraint("body_sha256", name=op.f("uq_deliveries_body_sha256")),
    )
    op.create_index(op.f("ix_deliveries_processed_at_received_at"), "deliveries", ["processed_at", "received_at"])
    op.create_table(
        "watches",
        sa.Column("repo_url", sa.String(length=500), nullable=False),
        sa.Column("comments_since", SECONDS, nullable=False),
        sa.Column("issues_since", SECONDS, nullable=False),
        sa.Column("history_since", SECONDS, nullable=False),
        sa.Column("looked_at", SECONDS, nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("repo_url", name=op.f("pk_watches")),
    )
    op.create_table(
        "writers",
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("next_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_writers")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("forge", sa.String(length=500), nullable=False),
        sa.Column("forge_id", sa.BigInteger(), nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("seen_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("forge", "forge_id", name=op.f("uq_users_forge_forge_id")),
    )
    op.create_table(
        "tokens",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("access", sa.Text(), nullable=False),
        sa.Column("refresh", sa.Text(), nullable=False),
        sa.Column("access_expires_at", SECONDS, nullable=True),
        sa.Column("refresh_expires_at", SECONDS, nullable=True),
        sa.Column("updated_at", SECONDS, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_tokens")),
    )
    op.create_table(
        "logins",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("seen_at", SECONDS, nullable=False),
        sa.Column("expires_at", SECONDS, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_logins_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_logins")),
    )
    op.create_index(op.f("ix_logins_expires_at"), "logins", ["expires_at"])
    op.create_index(op.f("ix_logins_user_id"), "logins", ["user_id"])
    op.create_table(
        "login_attempts",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("return_to", sa.Text(), nullable=False),
        sa.Column("next_at", SECONDS, nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("expires_at", SECONDS, nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_login_attempts")),
    )
    op.create_index(op.f("ix_login_attempts_expires_at"), "login_attempts", ["expires_at"])
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", SECONDS, nullable=False),
        sa.Column("expires_at", SECONDS, nullable=True),
        sa.Column("used_at", SECONDS, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_api_keys_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
    )
    op.create_index(op.f("ix_api_keys_user_id"), "api_keys", ["user_id"])


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
    for name, _ in reversed(GROWN):
        op.drop_column("solves", name)
