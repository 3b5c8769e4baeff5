"""Configuration of DBOS: its settings, its database and its log."""

import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psycopg
import structlog
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, WorkflowStatus
from pydantic import Field

from yudai.engine.adapters.dbos.contract import APPLICATION, VERSION
from yudai.kit.value import Value

log: structlog.stdlib.BoundLogger = structlog.get_logger()

SINGLE = "local"
"""Executor id for a database with one process: each start recovers the previous one's work."""
_CONNECT_TIMEOUT_S = 10
_BUSY_TIMEOUT_S = 30.0
_WORKER_POOL = 10
_CLIENT_POOL = 4
_SQLITE = "sqlite:///"


class EngineLimits(Value):
    """Concurrency limits; work above them waits in its queue."""

    max_solves: int = 4
    user_max_solves: int = 4
    max_runs: int = 200
    worker_max_runs: int = 100
    worker_max_answers: int = 8


class EngineConfig(Value):
    url: str = Field(repr=False)
    """`sqlite:///file` or `postgresql://...`, with its password."""
    executor_id: str = SINGLE
    """Unique per start of a process where several share the database; a lease's id."""
    limits: EngineLimits = EngineLimits()
    poll_s: float = 0.25
    idle_timeout_s: float = 8.0
    """Limit for an idle transaction on PostgreSQL: a worker frozen while it claims work blocks the
    others. Shorter than the time after which a worker counts as dead."""

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite")

    @property
    def database_url(self) -> str:
        """The URL in DBOS's form."""
        scheme, _, rest = self.url.partition("://")
        if self.is_sqlite:
            return f"sqlite://{rest}"
        if "connect_timeout=" in rest:
            return f"{scheme}://{rest}"
        sign = "&" if "?" in rest else "?"
        return f"{scheme}://{rest}{sign}connect_timeout={_CONNECT_TIMEOUT_S}"


class DatabaseConnector:
    """Connects DBOS to PostgreSQL until it is closed.

    DBOS retries when the database is unavailable, but recognises only one of the driver's error
    messages. It also retries during shutdown, and its threads then keep the process alive.
    """

    def __init__(self, config: EngineConfig) -> None:
        scheme, _, rest = config.database_url.partition("://")
        self._place = f"{scheme.partition('+')[0]}://{rest}"
        self._is_open = True

    def connect(self) -> psycopg.Connection:
        if not self._is_open:
            raise psycopg.InterfaceError("the engine has stopped")
        try:
            return psycopg.connect(self._place, application_name=APPLICATION)
        except psycopg.OperationalError as error:
            raise psycopg.OperationalError(f"connection failed: {error}") from error

    def close(self) -> None:
        self._is_open = False


def dbos_settings(
    config: EngineConfig,
    *,
    connector: DatabaseConnector | None = None,
    pool_size: int = _WORKER_POOL,
) -> DBOSConfig:
    by_connector = {} if connector is None or config.is_sqlite else {"creator": connector.connect}
    return {
        "name": APPLICATION,
        "application_version": VERSION,
        "executor_id": config.executor_id,
        "system_database_url": config.database_url,
        "sys_db_pool_size": pool_size,
        "db_engine_kwargs": by_connector,
        "sys_db_idle_transaction_timeout_sec": config.idle_timeout_s,
        "serializer": DBOSPortableJSONSerializer(),
        "log_level": "WARNING",
        # We use no notifications; their thread would wake up a hundred times a second.
        "use_listen_notify": False,
        # A stop takes this long, because the thread only sleeps.
        "notification_listener_polling_interval_sec": 0.2,
        "run_migrations": False,
    }


def open_client(config: EngineConfig) -> DBOSClient:
    """A client that fails at once when the database is unavailable."""
    forward_log()
    return DBOSClient(
        system_database_url=config.database_url,
        system_database_pool_size=_CLIENT_POOL,
        serializer=DBOSPortableJSONSerializer(),
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=False,
        sys_db_idle_transaction_timeout_sec=config.idle_timeout_s,
    )


def list_workflows(client: DBOSClient, **query: Any) -> list[WorkflowStatus]:
    """List workflows without their inputs and outputs."""
    return client.list_workflows(load_input=False, load_output=False, **query)


def migrate_database(config: EngineConfig) -> None:
    """Migrate DBOS's database to its newest schema. Blocking."""
    forward_log()
    if config.is_sqlite:
        file = unquote(config.database_url.removeprefix(_SQLITE))
        Path(file).touch(mode=0o600)
        with closing(sqlite3.connect(file, timeout=_BUSY_TIMEOUT_S)) as database:
            database.execute("PRAGMA journal_mode = WAL")
    DBOS.migrate(config.database_url)


def forward_log() -> None:
    """Send DBOS's log to ours instead of the console. Most of its warnings are routine for us."""
    logger = logging.getLogger("dbos")
    if not any(isinstance(handler, _Listener) for handler in logger.handlers):
        logger.addHandler(_Listener())
    logger.propagate = False
    logger.setLevel(logging.WARNING)


class _Listener(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = repr(record.exc_info[1]) if record.exc_info else None
        tell = log.warning if record.levelno >= logging.ERROR else log.info
        tell("dbos.said", words=record.getMessage(), error=error)
