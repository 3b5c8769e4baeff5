"""Cheap consistent reads: runs all statements of one poll in one transaction on its own thread.

An async session on SQLite switches threads for every statement, which costs more than the
statement itself. Each open page polls every two seconds.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine

from yudai.store import postgresql
from yudai.store.connections import is_sqlite, make_blocking_engine
from yudai.store.database import Database
from yudai.store.outages import away_errors
from yudai.store.pool import DEFAULT_POOL

T = TypeVar("T")


class SnapshotReader:
    """Runs reads on one thread. Close it before its database."""

    def __init__(self, database: Database) -> None:
        url = database.engine.url
        self._thread: _Thread | None = None
        if is_sqlite(database.engine.dialect):
            text = url.render_as_string(hide_password=False)
            self._thread = _Thread(make_blocking_engine(text, DEFAULT_POOL))
        self._engine = database.engine.execution_options(**postgresql.READING)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a read-only transaction, which sees one snapshot."""
        with away_errors():
            if self._thread is not None:
                return await self._thread.do(work)
            async with self._engine.connect() as connection:
                return await connection.run_sync(work)

    async def close(self) -> None:
        if self._thread is not None:
            await self._thread.close()


class _Thread:
    """One thread with one connection that stays open."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._executor = ThreadPoolExecutor(1, "yudai-reads")
        self._connection: Connection | None = None

    async def do(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._do, work)

    def _do(self, work: Callable[[Connection], T]) -> T:
        connection = self._connection or self._engine.connect()
        self._connection = connection
        try:
            found = work(connection)
            connection.rollback()
        except BaseException:
            self._drop()
            raise
        return found

    def _drop(self) -> None:
        """After an error, the next read opens a new connection."""
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._executor, self._drop)
        self._executor.shutdown()
        self._engine.dispose()
