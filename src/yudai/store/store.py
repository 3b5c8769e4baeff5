"""The store: the database and its message writer, opened and closed together."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Self

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.domain.redaction import Redact, as_it_is
from yudai.store import migrations
from yudai.store.db import Database
from yudai.store.engines import refusals
from yudai.store.lines import Lines
from yudai.store.pool import DEFAULT_POOL, Pool
from yudai.store.writer import MessageWriter


class Store:
    def __init__(self, database: Database, redact: Redact = as_it_is) -> None:
        self.database = database
        self.redact = redact
        """For what is kept elsewhere."""
        self.writer = MessageWriter(database, patience_s=database.patience_s, redact=redact)
        self.lines = Lines()

    @classmethod
    async def open(
        cls,
        url: str,
        pool: Pool = DEFAULT_POOL,
        *,
        patience_s: float = 0.0,
        redact: Redact = as_it_is,
    ) -> Self:
        """Open the database, brought to the newest schema first.

        With patience, what begins while the database is away waits that long for it; without,
        StoreAwayError comes at once.
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

    def read(self) -> AbstractAsyncContextManager[AsyncSession]:
        return self.database.read()

    @asynccontextmanager
    async def change(self) -> AsyncGenerator[AsyncSession]:
        """Write in one transaction; every message appended before it is there first."""
        await self.writer.flush()
        async with self.database.transaction() as db:
            yield db

    async def close(self) -> None:
        try:
            await self.lines.close()
            await self.writer.close()
        finally:
            await self.database.close()
