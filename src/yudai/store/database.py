"""The database: reading, and the one place of commit and rollback."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import Any, Self, TypeVarTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Engine,
    cast,
    event,
    extract,
    func,
    literal,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import ORMExecuteState, Session

from yudai.kit.concurrency import to_its_end
from yudai.store import postgresql, sqlite
from yudai.store.connections import is_sqlite, make_blocking_engine, make_engine, probe, refusals
from yudai.store.outages import away_errors, retry_while_away
from yudai.store.pool import DEFAULT_POOL, Pool

Args = TypeVarTuple("Args")


class Database:
    """One pool of connections; on SQLite the writers of this process queue in order of arrival.

    A block waits up to `patience_s` for a database that is away before it begins; afterwards, and
    once it has begun, StoreAwayError.
    """

    def __init__(self, url: str, pool: Pool, *, patience_s: float = 0.0) -> None:
        self.patience_s = patience_s
        self.engine = make_engine(url, pool)
        blocking = make_blocking_engine(url, pool)
        self._thread = ThreadPoolExecutor(1, "store")
        self._writers: set[asyncio.Task[Any] | None] = set()
        if is_sqlite(self.engine.dialect):
            self._reading_engine = self.engine
            self._writing_engine = self.engine.execution_options(**sqlite.IMMEDIATE)
            self._blocking_engine = blocking.execution_options(**sqlite.IMMEDIATE)
            self._turn = asyncio.Lock()
        else:
            self._reading_engine = self.engine.execution_options(**postgresql.READING)
            self._writing_engine = self.engine
            self._blocking_engine = blocking
            self._turn = nullcontext()

    @classmethod
    async def open(cls, url: str, pool: Pool = DEFAULT_POOL, *, patience_s: float = 0.0) -> Self:
        """Connect once; RefusedError with the remedy in one line."""
        database = cls(url, pool, patience_s=patience_s)
        try:
            with refusals(url):
                await database._in_thread(probe, database._blocking_engine)
        except BaseException:
            await database.close()
            raise
        return database

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        """A write transaction: committed at the end of the block, rolled back on an error."""
        self.refuse_nesting()
        task = asyncio.current_task()
        async with self._turn:
            self._writers.add(task)
            try:
                async with self._begun(self._writing_engine, Session) as db, _ending(db):
                    yield db
            finally:
                self._writers.discard(task)

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncSession]:
        """A read transaction with one snapshot. A write in it is an error."""
        async with self._begun(self._reading_engine, _ReadingSession) as db:
            yield db

    async def transact_in_thread(self, work: Callable[[Connection], None]) -> None:
        """Write: one transaction whole in a thread, a quarter of the cost of an async one.

        An async one pays a change of thread for each statement: right for a change of state,
        too dear for messages.
        """
        self.refuse_nesting()
        async with self._turn:
            with away_errors():
                await self._in_thread(_transact, self._blocking_engine, work)

    def refuse_nesting(self) -> None:
        """Refuse a nested transaction of the same task, which would wait for itself forever."""
        if asyncio.current_task() in self._writers:
            raise RuntimeError("this task is in a transaction already")

    async def close(self) -> None:
        self._thread.shutdown()
        self._blocking_engine.dispose()
        await self.engine.dispose()

    @asynccontextmanager
    async def _begun(
        self, engine: AsyncEngine, session_class: type[Session]
    ) -> AsyncGenerator[AsyncSession]:
        """A session on a working connection. A later loss is not retried."""
        options: dict[str, Any] = {"sync_session_class": session_class, "expire_on_commit": False}
        with away_errors():
            async with AsyncSession(engine, **options) as db:
                await retry_while_away(db.connection, self.patience_s)
                yield db

    async def _in_thread(self, work: Callable[[*Args], None], *args: *Args) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)


@asynccontextmanager
async def _ending(db: AsyncSession) -> AsyncGenerator[None]:
    """Not cancellable: half a commit or rollback would lose the connection."""
    try:
        yield
    except BaseException:
        # It fails only with its connection, and then the server does it.
        with suppress(DBAPIError):
            await to_its_end(db.rollback())
        raise
    await to_its_end(db.commit())


def _transact(engine: Engine, work: Callable[[Connection], None]) -> None:
    """Retry while another transaction holds the lock; nothing waits for us meanwhile."""
    for attempts_left in reversed(range(postgresql.LOCK_ATTEMPTS)):
        try:
            with engine.begin() as connection:
                work(connection)
        except DBAPIError as error:
            if not attempts_left or not postgresql.is_lock_conflict(error):
                raise
        else:
            return


class _ReadingSession(Session):
    """Refuses writes, because nothing commits them."""


@event.listens_for(_ReadingSession, "do_orm_execute")
def _refuse_statement(state: ORMExecuteState) -> None:
    is_change = state.is_insert or state.is_update or state.is_delete
    if is_change or state.execution_options.get(LOCKS):
        raise RuntimeError("a change needs a transaction")


@event.listens_for(_ReadingSession, "before_flush")
def _refuse_flush(*_: object) -> None:
    raise RuntimeError("a change needs a transaction")


LOCKS = "yudai_locks"
"""Execution option of locking statements, which are refused in a read transaction."""


def instant(db: AsyncSession, now: float) -> ColumnElement[float]:
    """PostgreSQL's own clock. A SQLite file belongs to one machine, whose clock gave `now`."""
    if is_sqlite(db.get_bind().dialect):
        return literal(now, Double)
    return cast(extract("epoch", func.clock_timestamp()), Double)
