"""The connection pool for PostgreSQL: its size and time limits. SQLite has none."""

from yudai.kit.value import Value


class Pool(Value):
    size: int = 5
    """Connections that are kept open."""
    overflow: int = 10
    """Temporary connections when all others are in use."""
    wait_s: float = 30
    """Seconds to wait for a free connection."""
    connect_timeout_s: int = 10
    statement_timeout_s: float = 60
    """Seconds for one statement; 0: no limit."""
    idle_timeout_s: float = 8
    """Seconds for an idle transaction, so that a frozen process does not block others."""
    session: str = "yudai"
    """Application name of our connections, by which a dead worker's can be ended."""


DEFAULT_POOL = Pool()
