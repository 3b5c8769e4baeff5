"""Schema versions; `upgrade` below loads Alembic only when there is something to do."""

from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncConnection

from yudai.kit.errors import RefusedError
from yudai.store import postgresql, sqlite
from yudai.store.connections import is_sqlite, make_migrating_engine
from yudai.store.database import Database

Direction = Literal["upgrade", "downgrade"]
HEAD = "0009"
"""The newest version, known without reading the scripts (a test compares them)."""


async def is_current(database: Database) -> bool:
    async with database.engine.connect() as connection:
        return await _read_version(connection) == HEAD


async def upgrade(url: str, *, to: str = "head") -> None:
    await _move(url, "upgrade", to=to)


async def downgrade(url: str, *, to: str = "base") -> None:
    await _move(url, "downgrade", to=to)


async def _move(url: str, direction: Direction, *, to: str) -> None:
    engine = make_migrating_engine(url)
    try:
        async with engine.execution_options(**sqlite.IMMEDIATE).begin() as connection:
            await connection.run_sync(_run, direction, to)
    finally:
        await engine.dispose()


def _run(connection: Connection, direction: Direction, to: str) -> None:
    from alembic import command  # noqa: PLC0415 - costs start-up time, seldom needed
    from alembic.config import Config  # noqa: PLC0415 - see above
    from alembic.util import CommandError  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    if not is_sqlite(connection.dialect):
        postgresql.wait_for_migrations(connection)
    try:
        getattr(command, direction)(config, to)
    except CommandError as error:
        raise RefusedError(
            f"this database belongs to another version of Yudai, use that one: {error}"
        ) from error


async def _read_version(connection: AsyncConnection) -> str | None:
    has_version = await connection.run_sync(lambda sync: inspect(sync).has_table("alembic_version"))
    if not has_version:
        return None
    return (await connection.scalars(text("SELECT version_num FROM alembic_version"))).one_or_none()
