"""The parts specific to PostgreSQL: connections, time limits, and remedies for errors."""

import hashlib
from typing import Any

from sqlalchemy import URL, Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from yudai.kit.errors import RefusedError
from yudai.store.pool import Pool

LOCK_TIMEOUT_S = 0.1
LOCK_ATTEMPTS = 300
"""Pauses between retries; together as long as SQLite waits for its lock."""
_MIGRATING = 0x7975646169
_LOCK_STATES = frozenset({"40001", "40P01", "55P03"})
_FORBIDDEN = "42501"
# Shutting down, crashed, starting up, too many connections.
_AWAY_STATES = frozenset({"57P01", "57P02", "57P03", "53300"})
_CONNECTION_CLASS = "08"
READING: dict[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""Execution options: all statements of a transaction see the same moment."""

# A peer that is gone without a word is noticed within a minute.
_CONNECT: dict[str, Any] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}

# What is looked for stands in the server's or the driver's words: most of these errors come before
# a connection exists, and have no code.
_REMEDIES = (
    ("pg_hba.conf", "allow this user from here in the server's pg_hba.conf"),
    ("system is", "wait until PostgreSQL has started"),
    ("password", "check the password in DATABASE_URL or POSTGRES_PASSWORD"),
    ("too many", "lower DATABASE_POOL_SIZE or raise max_connections of the server"),
    ("connection slots", "lower DATABASE_POOL_SIZE or raise max_connections of the server"),
    ("permission denied", "make its user the owner of the database"),
    ("role ", "check the user in DATABASE_URL or POSTGRES_USER"),
    ("database ", "create it with `createdb`, or name another one in DATABASE_URL"),
    ("refused", "start PostgreSQL, or name its host and port in DATABASE_URL"),
    ("no such file", "start PostgreSQL, or name its host and port in DATABASE_URL"),
)
_ANY_REMEDY = "check DATABASE_URL, and that PostgreSQL can be reached from here"


def options(url: URL, pool: Pool) -> dict[str, Any]:
    """Arguments of create_engine. Parameters in the URL take precedence."""
    connect = {
        **_CONNECT,
        "connect_timeout": pool.connect_timeout_s,
        "application_name": pool.session,
    }
    return {
        "isolation_level": "READ COMMITTED",
        "connect_args": {name: value for name, value in connect.items() if name not in url.query},
    }


def pooling(pool: Pool) -> dict[str, Any]:
    return {
        "pool_size": pool.size,
        "max_overflow": pool.overflow,
        "pool_timeout": pool.wait_s,
        "pool_pre_ping": True,
    }


def set_up(engine: Engine, pool: Pool, *, lock_timeout_s: float = 0) -> None:
    """Time limits of every connection, set by a statement: poolers refuse them as parameters."""
    limits = {
        "statement_timeout": pool.statement_timeout_s,
        "idle_in_transaction_session_timeout": pool.idle_timeout_s,
        "lock_timeout": lock_timeout_s,
    }
    settings = ", ".join(
        f"set_config('{name}', '{int(seconds * 1000)}', false)" for name, seconds in limits.items()
    )

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(f"SELECT {settings}")
        cursor.close()
        connection.autocommit = False


def session_name(host: str, pid: int) -> str:
    """Application name of a process's connections; the server keeps 63 characters."""
    return f"yudai {pid} {hashlib.sha256(host.encode()).hexdigest()[:16]}"


def refuse_encoding(connection: Connection) -> None:
    encoding: str = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise RefusedError(
            f"the database is encoded in {encoding}, which cannot store every text: create one "
            "with `createdb --encoding UTF8 --template template0`"
        )


def wait_for_migrations(connection: Connection) -> None:
    """Lock the schema change; PostgreSQL releases the lock at the commit."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})


def is_lock_conflict(error: DBAPIError) -> bool:
    """Whether another transaction interfered, so that a retry may succeed."""
    return getattr(error.orig, "sqlstate", None) in _LOCK_STATES


def is_away(error: DBAPIError) -> bool:
    """Whether the server was unreachable, instead of refusing a statement."""
    if not hasattr(error.orig, "sqlstate"):
        return False
    state: str | None = getattr(error.orig, "sqlstate", None)
    if state is None:
        # The driver's own words: it could not connect, or was cut off.
        return isinstance(error, OperationalError)
    return state in _AWAY_STATES or state.startswith(_CONNECTION_CLASS)


def is_our_fault(error: DBAPIError) -> bool:
    """Whether the statement is invalid. A missing permission does not count."""
    state = getattr(error.orig, "sqlstate", None)
    return isinstance(error, ProgrammingError) and state not in (None, _FORBIDDEN)


def remedy(reason: str) -> str:
    words = reason.lower()
    return next((what for sign, what in _REMEDIES if sign in words), _ANY_REMEDY)
