"""Alembic's entry: runs the scripts on the connection it is handed, inside its transaction."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes.get("metadata"),
    render_as_batch=True,
)
context.run_migrations()
