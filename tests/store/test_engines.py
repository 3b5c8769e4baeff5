import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from yudai.store.db import Database
from yudai.store.engines import insert_new
from yudai.store.tables import Base, MessageRow


async def test_it_waits_for_another_process_that_makes_the_same_file(tmp_path: Path) -> None:
    """SQLite itself answers "locked" at once to whoever comes second to switch to WAL."""
    file = tmp_path / "new.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        opening = asyncio.create_task(Database.open(f"sqlite+aiosqlite:///{file}"))
        await asyncio.wait([opening], timeout=0.2)
        assert not opening.done()
        other.execute("ROLLBACK")
        await (await opening).close()


def test_an_insert_that_leaves_what_is_there_is_known_to_both_databases() -> None:
    table = MessageRow.__table__
    assert isinstance(table, Table)
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        statement = insert_new(table, dialect).compile(dialect=dialect)
        assert str(statement).endswith("ON CONFLICT DO NOTHING")


def test_postgresql_knows_every_type() -> None:
    dialect = postgresql.dialect()
    made = {
        name: str(CreateTable(table).compile(dialect=dialect))
        for name, table in Base.metadata.tables.items()
    }
    assert "id BIGSERIAL NOT NULL" in made["events"]
    assert "cost_micros BIGINT NOT NULL" in made["runs"]
    assert "created_at DOUBLE PRECISION NOT NULL" in made["solves"]
    assert "state VARCHAR(32) NOT NULL" in made["runs"]
