from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bare_env import bare_env
from databases import database_kind, database_url, new_database
from proving_ground import Ground
from talking import Hall
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.store.store import Store

__all__ = ["database_kind", "database_url", "new_database"]


@pytest.fixture
async def hall(database_url: str) -> AsyncGenerator[Hall]:
    async with await Store.open(database_url) as store:
        hall = Hall(store)
        await hall.open()
        yield hall


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncGenerator[Ground]:
    backend = BubblewrapBackend(tmp_path / "home")
    try:
        yield Ground(tmp_path, backend, bare_env())
        assert await backend.list() == [], "a sandbox was left behind"
    finally:
        await backend.close()
