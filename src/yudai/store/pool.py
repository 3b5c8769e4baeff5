"""How many connections to PostgreSQL one process keeps, and how long it waits; SQLite has none."""

from yudai.domain.value import Value


class Pool(Value):
    size: int = 5
    """Connections that stay open."""
    overflow: int = 10
    """More that are opened when all are in use, and closed again."""
    wait_s: float = 30
    """For a free connection."""
    connect_timeout_s: int = 10
    statement_timeout_s: float = 60
    """For one statement, and for a transaction in which nothing happens; 0: no limit."""


DEFAULT_POOL = Pool()
