import sys
from asyncio.subprocess import PIPE, create_subprocess_exec
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from yudai.domain.errors import RefusedError
from yudai.store import migrations
from yudai.store.db import Database
from yudai.store.store import Store
from yudai.store.tables import Base, RunRow


async def _tables(url: str) -> set[str]:
    database = await Database.open(url)
    async with database.engine.connect() as connection:
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    await database.close()
    return set(names)


def test_the_head_is_the_one_named() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.HEAD


async def test_models_and_migrations_agree(store: Store) -> None:
    def compare(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, Base.metadata))

    async with store.database.engine.connect() as connection:
        assert await connection.run_sync(compare) == []


async def test_migrated_and_made_at_once_are_the_same_schema(store: Store, tmp_path: Path) -> None:
    """Also what Alembic does not compare: keys, constraints, AUTOINCREMENT."""
    made = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'made.db'}")
    async with made.engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    schemas = [await _schema(database) for database in (made, store.database)]
    await made.close()
    assert schemas[0] == schemas[1]


async def _schema(database: Database) -> dict[str, list[str]]:
    query = text("SELECT name, sql FROM sqlite_master WHERE name != 'alembic_version'")
    async with database.engine.connect() as connection:
        rows = (await connection.execute(query)).all()
    return {
        name: sorted(line.strip(" ,") for line in sql.splitlines())
        for name, sql in rows
        if sql is not None
    }


async def test_up_down_and_up_again(url: str) -> None:
    await migrations.upgrade(url)
    assert {"solves", "runs", "events", "trajectory_messages", "artifacts"} <= await _tables(url)
    await migrations.downgrade(url)
    assert await _tables(url) == {"alembic_version"}
    await migrations.upgrade(url)
    await migrations.upgrade(url)
    async with await Store.open(url) as store:
        assert await migrations.is_current(store.database)


async def test_a_new_file_is_not_current(url: str) -> None:
    database = await Database.open(url)
    assert not await migrations.is_current(database)
    await database.close()


async def test_a_failed_migration_leaves_nothing_half_done(url: str) -> None:
    database = await Database.open(url)
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE runs (id TEXT)"))
    await database.close()
    with pytest.raises(Exception, match="runs already exists"):
        await migrations.upgrade(url)
    assert await _tables(url) == {"runs"}


async def test_a_database_of_a_newer_yudai_is_refused(url: str, store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(RefusedError, match="another version of Yudai"):
        await Store.open(url)


_OPEN_EACH = """
import asyncio, sys
from yudai.store.store import Store

async def main():
    for line in sys.stdin:
        async with await Store.open(line.strip()):
            pass
        print("opened", flush=True)

asyncio.run(main())
"""


async def test_processes_that_open_a_new_file_at_once_all_get_it(tmp_path: Path) -> None:
    command = (sys.executable, "-c", _OPEN_EACH)
    processes = [await create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE) for _ in range(3)]
    for number in range(5):
        place = f"sqlite+aiosqlite:///{tmp_path / f'{number}.db'}\n".encode()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(place)
        for process in processes:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"opened\n"
    for process in processes:
        await process.communicate(b"")
        assert process.returncode == 0
