import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from databases import database_kind, database_url, new_database
from proving_ground import Ground
from talking import Hall
from yudai.adapters.sandboxes.bubblewrap import BubblewrapBackend
from yudai.store.store import Store

__all__ = ["database_kind", "database_url", "new_database"]


@pytest.fixture(scope="session")
def bare_env() -> Generator[Path]:
    """A Python environment with pytest and nothing else: its tests start quickly."""
    # Not in pytest's own folder, which only its owner may enter: a box has another user.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        _build_env(Path(folder))
        yield Path(folder)


def _build_env(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    ours = Path(pytest.__file__).parents[1]
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        shutil.copytree(ours / name, packages / name)
    for metadata in (*ours.glob("pytest-[0-9]*.dist-info"), *ours.glob("pluggy-*.dist-info")):
        shutil.copytree(metadata, packages / metadata.name)
    shutil.copy(ours / "py.py", packages)


@pytest.fixture
async def hall(database_url: str) -> AsyncGenerator[Hall]:
    async with await Store.open(database_url) as store:
        hall = Hall(store)
        await hall.open()
        yield hall


@pytest.fixture
async def ground(tmp_path: Path, bare_env: Path) -> AsyncGenerator[Ground]:
    backend = BubblewrapBackend(tmp_path / "home")
    try:
        yield Ground(tmp_path, backend, bare_env)
        assert await backend.list() == [], "a sandbox was left behind"
    finally:
        await backend.close()
