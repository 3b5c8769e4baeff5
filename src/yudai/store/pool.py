"""How many connections to PostgreSQL one process keeps, and how long it waits; SQLite has none."""

from yudai.kit.value import Value


class Pool(Value):
    size: int = 5
    """Connections that stay open."""
    overflow: int = 10
    """More that are opened when all are in use, and closed again."""
    wait_s: float = 30
    """For a free connection."""
    connect_timeout_s: int = 10
    statement_timeout_s: float = 60
    """For one statement; 0: no limit."""
    idle_timeout_s: float = 8
    """For an idle transaction: a process that freezes in one would block the others."""
    session: str = "yudai"
    """What the server calls our connections; those of a worker can be cut off by that name."""


DEFAULT_POOL = Pool()
