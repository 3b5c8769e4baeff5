"""Alembic's entry: runs the scripts on the connection it is handed, inside its transaction."""

from alembic import context

from yudai.store.sandbox_tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()
