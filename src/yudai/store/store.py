"""The store: the database and the parts that write to it, opened and closed together."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Protocol, Self, TypeVar, cast

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.redaction import Redact, as_it_is
from yudai.store import migrations
from yudai.store.connections import refusals
from yudai.store.database import Database
from yudai.store.outages import WriteError
from yudai.store.pool import DEFAULT_POOL, Pool


class Part(Protocol):
    """A resource beside the database, closed before it."""

    async def flush(self) -> None: ...

    async def close(self) -> None: ...


Kind = TypeVar("Kind", bound=Part)


class Store:
    def __init__(self, database: Database, redact: Redact = as_it_is) -> None:
        self.database = database
        self.redact = redact
        """Parts that store data elsewhere."""
        self._parts: dict[type[Part], Part] = {}
        self._is_closed = False
        self._closing = AsyncExitStack()
        self._closing.push_async_callback(database.close)

    @classmethod
    async def open(
        cls,
        url: str,
        pool: Pool = DEFAULT_POOL,
        *,
        patience_s: float = 0.0,
        redact: Redact = as_it_is,
    ) -> Self:
        """Open the database with the newest schema.

        With `patience_s`, work waits that long for an unavailable database; without it,
        StoreAwayError is raised at once.
        """
        database = await Database.open(url, pool, patience_s=patience_s)
        try:
            with refusals(url):
                if not await migrations.is_current(database):
                    await migrations.upgrade(url)
        except BaseException:
            await database.close()
            raise
        return cls(database, redact)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def part(self, kind: type[Kind], make: Callable[[], Kind]) -> Kind:
        """The part of this type, created on first use."""
        if kind not in self._parts:
            part = self._parts[kind] = make()
            self._closing.push_async_callback(part.close)
        return cast("Kind", self._parts[kind])

    def read(self) -> AbstractAsyncContextManager[AsyncSession]:
        return self.database.read()

    @asynccontextmanager
    async def change(self) -> AsyncGenerator[AsyncSession]:
        """A write transaction. Messages appended before it are committed first."""
        if self._is_closed:
            raise WriteError("the store is closed")
        for part in tuple(self._parts.values()):
            await part.flush()
        async with self.database.transaction() as db:
            yield db

    async def close(self) -> None:
        try:
            await self._closing.aclose()
        finally:
            self._is_closed = True
