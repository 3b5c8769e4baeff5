"""The parts specific to SQLite: SQLAlchemy's recipe for transactions, and WAL."""

import asyncio
import sqlite3
import time
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, OperationalError

BUSY_TIMEOUT_S = 30.0
IMMEDIATE = {"sqlite_begin": "IMMEDIATE"}
"""Execution option: take the write lock at BEGIN, where waiting for it works."""
_NO_BEGIN = {"sqlite_begin": None}
_WAL_ATTEMPTS = 500
_WAL_RETRY_S = 0.02
_PRIMARY_CODE = 0xFF

OPTIONS: dict[str, Any] = {"connect_args": {"timeout": BUSY_TIMEOUT_S}}


def set_up(engine: Engine, *, foreign_keys: bool) -> None:
    """Stop the driver from beginning transactions, because we do."""
    pragmas = (f"foreign_keys = {int(foreign_keys)}", "synchronous = NORMAL")

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        kind: str | None = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
        if kind is not None:
            connection.exec_driver_sql(f"BEGIN {kind}")

    @event.listens_for(engine, "invalidate")
    def _invalidate(connection: Any, _record: object, _error: object) -> None:
        # Closed while a cursor is half read, it would keep its lock until that is forgotten: for
        # as long as the cancelled task still holds the exception.
        with suppress(Exception, asyncio.CancelledError):
            connection.rollback()


def switch_to_wal(engine: Engine) -> None:
    """Retry, because SQLite does not wait for another process that switches as well."""
    # No BEGIN: the journal cannot be switched inside a transaction.
    with engine.connect().execution_options(**_NO_BEGIN) as connection:
        for attempts_left in reversed(range(_WAL_ATTEMPTS)):
            try:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            except OperationalError as error:
                if not is_busy(error) or not attempts_left:
                    raise
                time.sleep(_WAL_RETRY_S)
            else:
                return


def is_busy(error: DBAPIError) -> bool:
    """Whether another process held the lock for longer than we wait."""
    code: int = getattr(error.orig, "sqlite_errorcode", 0)
    return code & _PRIMARY_CODE == sqlite3.SQLITE_BUSY
