import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from tests.support.servers.preforked import Warm
from yudai.kit.errors import RefusedError
from yudai.projects.domain.project import Project
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.store import migrations
from yudai.store.database import Database
from yudai.store.rows import Base
from yudai.store.store import Store

NewDatabase = Callable[..., str]
OF_SQLITE = "SELECT 'sql', replace(sql, '\"', '') FROM sqlite_master WHERE name NOT LIKE 'alembic%'"
OF_POSTGRESQL = """
SELECT table_name || '.' || column_name,
    concat_ws(' ', data_type, character_maximum_length, is_nullable, column_default)
FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'alembic%'
UNION ALL
SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = 'public' AND tablename NOT LIKE 'alembic%'
UNION ALL
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE 'alembic%'
"""


@asynccontextmanager
async def _open(url: str) -> AsyncGenerator[Database]:
    database = await Database.open(url)
    try:
        yield database
    finally:
        await database.close()


async def _execute(url: str, *statements: str) -> None:
    async with _open(url) as database, database.transaction() as db:
        for statement in statements:
            await db.execute(text(statement))


async def _tables(url: str) -> set[str]:
    async with _open(url) as database, database.engine.connect() as connection:
        return set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))


def test_the_head_is_the_one_named() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.HEAD


async def test_models_and_migrations_agree(store: Store) -> None:
    def compare(connection: Connection) -> list[object]:
        options = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Base.metadata))

    async with store.database.engine.connect() as connection:
        assert await connection.run_sync(compare) == []


async def test_migrated_and_made_at_once_are_the_same_schema(
    store: Store, empty_database_url: str
) -> None:
    """Also what Alembic does not compare: keys, constraints, AUTOINCREMENT."""
    async with _open(empty_database_url) as made:
        async with made.engine.begin() as connection:
            await connection.run_sync(Base.metadata.create_all)
        assert await _schema(made) == await _schema(store.database)


async def _schema(database: Database) -> list[tuple[str, str]]:
    query = OF_SQLITE if database.engine.dialect.name == "sqlite" else OF_POSTGRESQL
    async with database.engine.connect() as connection:
        rows = (await connection.execute(text(query))).all()
    # Columns that came later are the last ones, and SQLite writes them all on one line.
    return sorted(
        (name, part.strip())
        for name, definition in rows
        for part in re.split(r",\s|\n", definition or "")
        if part.strip(" \t,")
    )


async def test_up_down_and_up_again(empty_database_url: str) -> None:
    url = empty_database_url
    await migrations.upgrade(url)
    assert {"solves", "runs", "events", "trajectory_messages", "artifacts"} <= await _tables(url)
    await migrations.downgrade(url)
    assert await _tables(url) == {"alembic_version"}
    await migrations.upgrade(url)
    await migrations.upgrade(url)
    async with await Store.open(url) as store:
        assert await migrations.is_current(store.database)


async def test_rows_of_the_first_version_survive_the_way_up_and_down(
    empty_database_url: str,
) -> None:
    """Also the rows that belong to them: SQLite builds their table anew."""
    url = empty_database_url
    await migrations.upgrade(url, to="0001")
    await _execute(
        url,
        "INSERT INTO solves (id, user_id, repo, base_branch, base_commit, issue_title, issue_body,"
        " matrix, not_started, budget, reducer, require_proof, sandbox_backend, base, state,"
        " reason, error, test_command, created_at) VALUES ('old', 'local', 'r', '', '', 't', 'b',"
        """ '{"models": ["v/m"]}', '[]', '{}', 'simple', true, 'bubblewrap',"""
        """ '{"key": "k", "source": "s"}', 'queued', '', '', '', 1.5)""",
        "INSERT INTO events (solve_id, at, kind, data) VALUES ('old', 1.5, 'noted', '{}')",
    )
    async with await Store.open(url) as store, store.read() as db:
        row = await solves.find(db, "latest")
        assert (row.id, row.created_at, row.project, row.models) == ("old", 1.5, Project(), ())
        assert len(await events.after(db, row.id)) == 1
    await migrations.downgrade(url, to="0001")
    await _execute(url, "UPDATE solves SET reason = (SELECT kind FROM events)")
    async with await Store.open(url) as store, store.read() as db:
        assert (await solves.find(db, "latest")).reason == "noted"


async def test_an_empty_database_is_not_current(empty_database_url: str) -> None:
    async with _open(empty_database_url) as database:
        assert not await migrations.is_current(database)


async def test_a_failed_migration_leaves_nothing_half_done(empty_database_url: str) -> None:
    await _execute(empty_database_url, "CREATE TABLE runs (id TEXT)")
    with pytest.raises(Exception, match=r'runs"? already exists'):
        await Store.open(empty_database_url)
    assert await _tables(empty_database_url) == {"runs"}


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


async def test_processes_that_open_an_empty_database_at_once_all_get_it(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    program = tmp_path / "open_each.py"
    program.write_text(_OPEN_EACH)
    processes = [
        Warm([program], env=os.environ, stdin=PIPE, stdout=PIPE, bufsize=0) for _ in range(3)
    ]
    for _ in range(2):
        place = f"{new_database(empty=True)}\n".encode()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(place)
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == b"opened\n"
    for process in processes:
        process.communicate()
        assert process.returncode == 0
