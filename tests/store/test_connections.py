import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from yudai.store.database import Database


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
