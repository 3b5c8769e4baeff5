"""How databases are opened and where they differ: all that only SQLite needs is here."""

import sqlite3
import time
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Dialect,
    Engine,
    Insert,
    Table,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

BUSY_TIMEOUT_S = 30.0
_WAL_ATTEMPTS = 500
_WAL_RETRY_S = 0.02
_PRIMARY_CODE = 0xFF
_BEGIN = "sqlite_begin"
IMMEDIATE = {_BEGIN: "IMMEDIATE"}
"""Execution option: take SQLite's write lock at BEGIN, where waiting for it works."""


def make_engine(url: str, *, foreign_keys: bool = True) -> AsyncEngine:
    engine = create_async_engine(url, **_options(make_url(url)))
    _set_up(engine.sync_engine, foreign_keys=foreign_keys)
    return engine


def make_blocking_engine(url: str) -> Engine:
    parts = make_url(url)
    # PostgreSQL's psycopg is blocking or not by how it is opened; SQLite has two drivers.
    if parts.get_backend_name() == "sqlite":
        parts = parts.set(drivername="sqlite")
    engine = create_engine(parts, **_options(parts))
    _set_up(engine, foreign_keys=True)
    return engine


def insert_new(table: Table, dialect: Dialect) -> Insert:
    """An INSERT that leaves a row alone when its key is there already."""
    # Only the dialect in use is loaded: each costs start-up time.
    if dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert  # noqa: PLC0415 - see above
    else:
        from sqlalchemy.dialects.postgresql import insert  # noqa: PLC0415 - see above
    return insert(table).on_conflict_do_nothing()


def probe(engine: Engine) -> None:
    """Connect once, so that what cannot be opened is known at once; SQLite learns WAL here."""
    # No BEGIN: the journal cannot be switched inside a transaction.
    with engine.connect().execution_options(**{_BEGIN: None}) as connection:
        if engine.dialect.name == "sqlite":
            _switch_to_wal(connection)


def _switch_to_wal(connection: Connection) -> None:
    """Retried, because SQLite does not wait for another process that is switching as well."""
    for attempts_left in reversed(range(_WAL_ATTEMPTS)):
        try:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError as error:
            code: int = getattr(error.orig, "sqlite_errorcode", 0)
            is_busy = code & _PRIMARY_CODE == sqlite3.SQLITE_BUSY
            if not is_busy or not attempts_left:
                raise
            time.sleep(_WAL_RETRY_S)
        else:
            return


def _options(url: URL) -> dict[str, Any]:
    # Parameters stay out of error messages: they are whole trajectories.
    options: dict[str, Any] = {"hide_parameters": True}
    if url.get_backend_name() == "sqlite":
        options["connect_args"] = {"timeout": BUSY_TIMEOUT_S}
    return options


def _set_up(engine: Engine, *, foreign_keys: bool) -> None:
    """SQLAlchemy's recipe for SQLite: the driver must not begin by itself, we do."""
    if engine.dialect.name != "sqlite":
        return
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
        kind: str | None = connection.get_execution_options().get(_BEGIN, "DEFERRED")
        if kind is not None:
            connection.exec_driver_sql(f"BEGIN {kind}")
