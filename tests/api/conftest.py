from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from tests.support.api_client import Place, RecordingEngine, app_of, client_of, open_place
from tests.support.forge.repositories import Repository
from tests.support.servers.databases import _migrated_file
from tests.support.solve_rows import Ring
from yudai.store.urls import sqlite_url

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
}


@pytest.fixture
def engine() -> RecordingEngine:
    return RecordingEngine()


@pytest.fixture
async def place(tmp_path: Path, engine: RecordingEngine) -> AsyncGenerator[Place]:
    file = tmp_path / "yudai.db"
    file.write_bytes(_migrated_file())
    async with open_place(tmp_path / "home", sqlite_url(file), engine) as opened:
        yield opened


@pytest.fixture
def app(place: Place) -> FastAPI:
    return app_of(place)


@pytest.fixture
async def client(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_of(app) as opened:
        yield opened


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "folder", FILES)


@pytest.fixture
def ring(place: Place) -> Ring:
    return Ring(place.context)
